//! Guards as they are common in the field: each counts one sign of a standstill, and ignores everything else. Busy
//! and healthy work shows the same signs.

use balk_guards::{
    Answer, Completion, Decision, Entry, Guard, Note, Status, Subject, ToolCall, ToolResult, Verdict,
};

/// Whether a completion continues what was counted in the results before it.
pub(crate) type Fires = fn(&[ToolResult], &Completion) -> bool;

/// All rules, by name. Their thresholds are those of shipped guards, or lower.
pub(crate) const RULES: [(&str, Fires); 7] = [
    ("third-call", third_call),
    ("third-look", third_look),
    ("failures", failures),
    ("equal-answers", equal_answers),
    ("alternation", alternation),
    ("no-write", no_write),
    ("chant", chant),
];

/// The same call a third time, whatever its results.
fn third_call(results: &[ToolResult], now: &Completion) -> bool {
    now.calls.iter().any(|call| results.iter().filter(|it| it.call.key == call.key).count() >= 2)
}

/// The same call after two equal results, whatever comes in between.
fn third_look(results: &[ToolResult], now: &Completion) -> bool {
    now.calls.iter().any(|call| {
        let looks: Vec<_> = results.iter().rev().filter(|it| it.call.key == call.key).take(2).collect();
        matches!(looks[..], [last, before] if last.text == before.text)
    })
}

/// A tool that failed three times, whatever else it did.
fn failures(results: &[ToolResult], now: &Completion) -> bool {
    let failed = |call| of_tool(results, call).filter(|it| it.status == Status::Error).count();
    now.calls.iter().any(|call| failed(call) >= 3)
}

/// A tool that gave three different calls in a row the same result.
fn equal_answers(results: &[ToolResult], now: &Completion) -> bool {
    now.calls.iter().any(|call| {
        let last: Vec<_> = of_tool(results, call).take(3).collect();
        let [a, b, c] = last[..] else { return false };
        let differ = a.call.key != b.call.key && b.call.key != c.call.key && c.call.key != a.call.key;
        differ && a.text == b.text && b.text == c.text
    })
}

/// Two tools alternating, four times.
fn alternation(results: &[ToolResult], _: &Completion) -> bool {
    let tools: Vec<_> = results.iter().rev().take(8).map(|it| &it.call.tool).collect();
    tools.len() == 8 && tools[0] != tools[1] && tools.windows(3).all(|it| it[0] == it[2])
}

/// Twelve calls without a write.
fn no_write(results: &[ToolResult], _: &Completion) -> bool {
    results.iter().rev().take_while(|it| !it.call.effect.is_known_change()).count() >= 12
}

/// Ten lines of a message that start with the same twenty characters.
fn chant(_: &[ToolResult], now: &Completion) -> bool {
    now.texts().any(|text| {
        let starts: Vec<String> = text.lines().map(|line| line.chars().take(20).collect()).collect();
        starts.iter().any(|start| starts.iter().filter(|it| *it == start).count() >= 10)
    })
}

/// The results of this call's tool, the last first.
fn of_tool<'r>(results: &'r [ToolResult], call: &'r ToolCall) -> impl Iterator<Item = &'r ToolResult> {
    results.iter().rev().filter(|it| it.call.tool == call.tool)
}

/// A guard with only one of the rules.
struct Counting {
    name: &'static str,
    fires: Fires,
    results: Vec<ToolResult>,
}

impl Guard for Counting {
    fn name(&self) -> &'static str {
        self.name
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Result(result) = entry {
            self.results.push(result.clone());
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        if !(self.fires)(&self.results, completion) {
            return Ok(Decision::pass());
        }
        Ok(Verdict::Retry(Note {
            guard: self.name.into(),
            rule: "counted".into(),
            level: 1,
            subject: Subject::Run,
            text: "You are going round in circles.".into(),
        })
        .into())
    }
}

/// The guard with this rule.
pub(crate) fn guard((name, fires): (&'static str, Fires)) -> Box<dyn Guard> {
    Box::new(Counting { name, fires, results: Vec::new() })
}
