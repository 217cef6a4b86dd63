/** Text of models, tools, users and files, fit for a terminal or a log. */

/** Control characters, marks of direction and noncharacters. */
const OBEYED = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/gu;

/**
 * What a workflow command of GitHub Actions or Azure Pipelines begins with: `##[` in any line, `::` after blanks. Blanks
 * are those of one line: each line is looked at once.
 */
const COMMAND = /##(?=\[)|^[^\S\n\u2028\u2029]*:(?=:)/gm;

/** The text with visible signs in place of these. They are those of the program `balk`. */
export function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(OBEYED, sign).replace(COMMAND, "$&\\");
}

function sign(character: string): string {
  const code = character.codePointAt(0)!;
  // The picture of a control character.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  if (!/\p{Bidi_Control}/u.test(character)) return "\ufffd";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
