//! Calls in forms that no wire takes: printed as text, nearly JSON, under a misspelt name, cut off.

use crate::scenario::template::{Piece, Template};
use crate::scenario::{CallSpec, Called, Role, Sent, Stuck, ToolsetTool, Way};

use super::super::place::Place;
use super::super::splice::{Ring, Splice, Turn, join, ring, text};

/// A call that can be written down: of a role, with arguments.
pub(super) fn can_name(place: &Place<'_>) -> bool {
    place.due().is_some_and(|it| it.role().is_some())
}

impl CallSpec {
    fn role(&self) -> Option<Role> {
        match (&self.called, &self.sent) {
            (Called::Role(role), Sent::Arguments(_)) => Some(*role),
            (Called::Role(_) | Called::Name(_), _) => None,
        }
    }
}

/// The call that is due: its tool, and its arguments under the tool's names.
struct Due {
    role: Role,
    tool: String,
    arguments: Vec<(String, Template)>,
}

fn due(splice: &Splice<'_, '_>) -> Due {
    let call = splice.place.due().expect("the slip fits");
    let role = call.role().expect("the slip fits");
    let Sent::Arguments(values) = call.sent else { unreachable!("a call of a role has arguments") };
    let tool: &ToolsetTool = splice.tool(role);
    let named = |(at, value)| (tool.form.name(at).unwrap_or_default().to_owned(), short(value));
    let arguments = values.iter().enumerate().map(named).collect();
    Due { role, tool: legal(&tool.tool.name), arguments }
}

/// A name as a provider takes it.
fn legal(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

/// The value in one line, as it stands inside a string of JSON.
fn short(value: &Template) -> Template {
    let piece = |it: &Piece| match it {
        Piece::Text(plain) => {
            let quoted = serde_json::to_string(&**plain).expect("a string is JSON");
            Piece::Text(quoted[1..quoted.len() - 1].into())
        }
        Piece::Code | Piece::Draft => Piece::Text("total = sum(rows)\\n".into()),
        Piece::Field(..)
        | Piece::Number(_)
        | Piece::Argument(_)
        | Piece::Clock
        | Piece::Hex
        | Piece::Visit
        | Piece::OwnStep
        | Piece::Step(_)
        | Piece::EachVisit(..)
        | Piece::Applied
        | Piece::Seconds(_)
        | Piece::Tool(_)
        | Piece::ToolArgument(..) => it.clone(),
    };
    Template { pieces: value.pieces.iter().map(piece).collect() }
}

/// The arguments, each between these texts.
fn each(due: &Due, before: &str, between: &str, after: &str, separator: &str) -> Template {
    let part = |(nth, (name, value)): (usize, &(String, Template))| {
        let separator = if nth == 0 { "" } else { separator };
        join([text(&format!("{separator}{before}{name}{between}")), value.clone(), text(after)])
    };
    join(due.arguments.iter().enumerate().map(part))
}

fn object(due: &Due) -> Template {
    join([text("{"), each(due, "\"", "\": \"", "\"", ", "), text("}")])
}

/// The whole call as an object with these keys.
fn named(due: &Due, name: &str, arguments: &str) -> Template {
    let head = format!("{{\"{name}\": \"{}\", \"{arguments}\": ", due.tool);
    join([text(&head), object(due), text("}")])
}

fn around(before: &str, inside: Template, after: &str) -> Template {
    join([text(before), inside, text(after)])
}

/// How a model family prints a call.
type Print = fn(&Due) -> Template;

/// The forms, each with a family that prints it.
const PRINTED: [(&str, Print); 13] = [
    ("bare JSON: Llama 3, Qwen-Coder", |due| named(due, "name", "arguments")),
    ("fenced JSON: small models of every family", |due| {
        around("```json\n", named(due, "name", "arguments"), "\n```")
    }),
    ("Hermes, Qwen", |due| around("<tool_call>\n", named(due, "name", "arguments"), "\n</tool_call>")),
    ("Qwen3-Coder", |due| {
        let head = format!("<tool_call>\n<function={}>\n", due.tool);
        around(&head, each(due, "<parameter=", ">\n", "\n</parameter>\n", ""), "</function>\n</tool_call>")
    }),
    ("Claude, and models trained on its output", |due| {
        let head = format!("<function_calls>\n<invoke name=\"{}\">\n", due.tool);
        let inside = each(due, "<parameter name=\"", "\">", "</parameter>\n", "");
        around(&head, inside, "</invoke>\n</function_calls>")
    }),
    ("Mistral", |due| around("[TOOL_CALLS] [", named(due, "name", "arguments"), "]")),
    ("Mistral, later", |due| join([text(&format!("[TOOL_CALLS]{}[ARGS]", due.tool)), object(due)])),
    ("Llama 3.1", |due| around("<|python_tag|>", named(due, "name", "parameters"), "")),
    ("Llama 3.2 and 4", |due| around(&format!("[{}(", due.tool), each(due, "", "=\"", "\"", ", "), ")]")),
    ("Gemini", |due| {
        let head = format!("```tool_code\nprint(default_api.{}(", due.tool);
        around(&head, each(due, "", "=\"", "\"", ", "), "))\n```")
    }),
    ("Phi", |due| around("functools[", named(due, "name", "arguments"), "]")),
    ("gpt-oss", |due| {
        let head = format!("<|channel|>commentary to=functions.{} <|constrain|>json<|message|>", due.tool);
        join([text(&head), object(due)])
    }),
    ("ReAct prompts", |due| join([text(&format!("Action: {}\nAction Input: ", due.tool)), object(due)])),
];

/// The forms of plain JSON, which come first. The slip with the others is reserve.
const PLAIN: usize = 2;

/// The call that is due, in a drawn form that no tokens of a model family mark.
pub(super) fn printed_plainly(splice: &mut Splice<'_, '_>) -> Template {
    let form = splice.choice(PLAIN);
    (PRINTED[form].1)(&due(splice))
}

/// The call that is due, in a drawn form of a model family.
pub(super) fn printed(splice: &mut Splice<'_, '_>) -> Template {
    let form = PLAIN + splice.choice(PRINTED.len() - PLAIN);
    (PRINTED[form].1)(&due(splice))
}

/// Arguments that are nearly JSON.
const NEARLY: [(&str, Print); 6] = [
    ("single quotes", |due| join([text("{"), each(due, "'", "': '", "'", ", "), text("}")])),
    ("a comma at the end", |due| join([text("{"), each(due, "\"", "\": \"", "\"", ", "), text(",}")])),
    ("no bracket at the end", |due| join([text("{"), each(due, "\"", "\": \"", "\"", ", ")])),
    ("names without quotes", |due| join([text("{"), each(due, "", ": \"", "\"", ", "), text("}")])),
    ("a fence around it", |due| around("```json\n", object(due), "\n```")),
    ("a list around it", |due| around("[", object(due), "]")),
];

pub(super) fn nearly_json(splice: &mut Splice<'_, '_>) -> Ring {
    let form = splice.choice(NEARLY.len());
    let due = due(splice);
    let sent = Sent::Raw((NEARLY[form].1)(&due));
    let turn = Turn { calls: vec![CallSpec { called: Called::Role(due.role), sent }], ..Turn::default() };
    ring(Stuck::SameFailure, vec![turn], &[Way::Change, Way::Inspect, Way::Tool])
}

/// Another spelling of a name.
type Spell = fn(&str) -> String;

/// The spellings, each with what is wrong with it.
const SPELLINGS: [(&str, Spell); 6] = [
    ("a namespace before it", |name| format!("functions.{name}")),
    ("capitals", |name| name.to_ascii_uppercase()),
    ("dashes and capitals", |name| {
        let parts = name.split(['_', '-']).map(|part| {
            let (first, rest) = part.split_at(usize::from(!part.is_empty()));
            first.to_ascii_uppercase() + rest
        });
        parts.collect::<Vec<_>>().join("-")
    }),
    ("a word after it", |name| format!("{name}_tool")),
    ("a letter too much", |name| format!("{name}s")),
    ("a server before it", |name| format!("mcp__local__{name}")),
];

pub(super) fn misspells_tool(splice: &mut Splice<'_, '_>) -> Ring {
    let (first, second) = (splice.choice(SPELLINGS.len()), splice.choice(SPELLINGS.len()));
    let due = due(splice);
    let turn = |form: usize| {
        let spelt = (SPELLINGS[form].1)(&due.tool);
        let name = if spelt == due.tool { format!("{spelt}_") } else { spelt };
        let call = CallSpec { called: Called::Name(name), sent: Sent::Raw(object(&due)) };
        Turn { calls: vec![call], ..Turn::default() }
    };
    let forms = if first == second { vec![turn(first)] } else { vec![turn(first), turn(second)] };
    ring(Stuck::SameFailure, forms, &[Way::Change, Way::Tool, Way::Inspect])
}

/// Tools that other agents have.
const FOREIGN: [&str; 6] =
    ["apply_patch", "browser_open", "python", "str_replace_editor", "submit", "web_browser"];

pub(super) fn unknown_tool(splice: &mut Splice<'_, '_>) -> Ring {
    let name = FOREIGN[splice.choice(FOREIGN.len())];
    let sent = Sent::Raw(object(&due(splice)));
    let turn = Turn { calls: vec![CallSpec { called: Called::Name(name.into()), sent }], ..Turn::default() };
    ring(Stuck::SameFailure, vec![turn], &[Way::Tool, Way::Change, Way::Inspect])
}

/// The call that is due, whose content ends in the middle.
pub(super) fn cut(splice: &Splice<'_, '_>) -> Template {
    let due = due(splice);
    let [(path, target), (content, _), ..] = &due.arguments[..] else {
        unreachable!("a write has two arguments")
    };
    let lines = "All chapters in one file.\\n".repeat(40);
    let (head, middle) = (format!("{{\"{path}\": \""), format!("\", \"{content}\": \"{lines}The next chap"));
    join([text(&head), target.clone(), text(&middle)])
}
