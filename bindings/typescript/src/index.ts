/** Guards for agent loops: they notice a model that balks, and say what brings it back. */

export { drive, messagesOf } from "./conversations.ts";
export type { Conversations, Driven, Driving, Exchange, Form, Unit } from "./conversations.ts";
export { failureOf } from "./failures.ts";
export { Run, Stack } from "./guards.ts";
export type { Dialect, Done, GuardName, Host, Transcript } from "./guards.ts";
export type * from "./values.ts";
