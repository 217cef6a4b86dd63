/** The values that go into the guards and come out of them. Members are named as in records of runs. */

/** What a call of a tool can change. */
export type Effect = "read-only" | "idempotent-write" | "write" | "external" | "unknown";

/** Whether a call failed; `unknown` leaves it to the words of the result. */
export type Status = "ok" | "error" | "unknown";

/** How a task ends: by a message without a call, or by a tool of the purpose `finish`. */
export type Protocol = "text" | "tool";

/** A tool on offer. Without a declared `effect`, each call counts as a possible change. */
export interface Tool {
  name: string;
  description?: string;
  /** The JSON Schema of the arguments. */
  parameters?: unknown;
  effect?: Effect;
  purpose?: "shell" | "ask-user" | "finish" | "wait" | "other";
}

/** A call of a tool; `arguments` is JSON text. */
export interface Call {
  id: string;
  tool: string;
  arguments: string;
}

/** What the model answered. */
export interface Answer {
  text?: string;
  /** Reasoning that the user does not see. */
  thinking?: string;
  calls?: Call[];
  finish?: "stop" | "length" | "tool_call" | "content_filter" | "error" | "not_given";
  usage?: { input_tokens: number; output_tokens: number };
}

/** An answer as the guards give it back. */
export interface Shown extends Answer {
  text: string;
  calls: Call[];
}

/** A message of a history. */
export type Said =
  | { role: "system" | "user"; text: string }
  | ({ role: "assistant" } & Answer)
  | { role: "tool"; id: string; /** Its name, in results of guards. */ tool?: string; text: string; status?: Status };

/** Why an attempt gave no answer; `retry_after` in milliseconds. */
export type Failure =
  | { cause: "connect" | "timed-out" | "disconnected"; message?: string }
  | { cause: "status"; code: number; retry_after?: number; message?: string };

/** What came of a call. */
export interface Ran {
  text: string;
  status?: Status;
}

/** Something that a guard did; `for_user` says whose eyes the text is for. */
export interface Told {
  kind: "repair" | "feedback" | "note" | "question" | "notice" | "block" | "stop";
  guard: string;
  rule: string;
  /** The rung of the rule's ladder, from 1. */
  level: number;
  text: string;
  for_user: boolean;
}

/** Wait for a time from this range, in milliseconds. */
export interface Wait {
  kind: "wait";
  at_least: number;
  at_most: number;
}

/** How a run ended. */
export type Termination =
  | "finished"
  | "no-progress"
  | "stopped-by-guard"
  | "stopped-by-user"
  | { "fatal-execution": string }
  | { limit: "turns" | "attempts" | "calls" | "interventions" | "questions" }
  | { "guard-fault": string };

/** An option of a question. */
export interface Choice {
  kind: "continue" | "instruct" | "switch-model" | "constrain" | "report" | "stop";
  label: string;
}

/** What an agent does next in a run. */
export type Step =
  | { kind: "model"; /** How often exactly this will have been sent, from 1. */ asked: number }
  | { kind: "tools"; calls: Call[]; /** Which try it is, from 1. */ attempt: number }
  | { kind: "user"; question: string; options: Choice[] }
  | Wait
  | { kind: "reply" }
  | { kind: "ended"; end: Termination };

/** When a run has to end. */
export interface Limits {
  turns?: number;
  attempts?: number;
  calls?: number;
  interventions?: number;
  questions?: number;
}

/** A request of a framework to its model. */
export interface Request {
  messages: Said[];
  tools?: Tool[];
  model?: string;
  protocol?: Protocol;
}

/** A message of a request as it is to be sent: one of the framework, perhaps with more calls, or a new one. */
export type Placed = { kind: "own"; from: number; calls?: Call[] } | { kind: "new"; said: Said };

/** What is to be done next with a request. */
export type Turn =
  | { kind: "send"; messages: Placed[]; /** Whether they are others than the framework's own. */ changed: boolean }
  | Wait
  | { kind: "show"; /** `null` if it is the model's last one as it came. */ answer: Shown | null; told: Told[] }
  | { kind: "failed"; told: Told[] };
