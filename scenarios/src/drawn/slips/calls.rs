//! Calls that bring nothing new.

use crate::scenario::template::{Piece, Template};
use crate::scenario::{CallSpec, Called, Condition, Role, Rule, Sent, Stuck, Way};

use super::super::place::Place;
use super::super::splice::{Ring, Splice, Turn, call, join, ring, rule, text};

/// The ways out of calls that bring nothing.
const ELSEWHERE: &[Way] = &[Way::Inspect, Way::Change, Way::Tool];

fn turn(call: CallSpec) -> Turn {
    Turn { calls: vec![call], ..Turn::default() }
}

fn command(text: Template) -> CallSpec {
    call(Role::Shell, [text])
}

/// Anywhere.
pub(super) fn anywhere(_: &Place<'_>) -> bool {
    true
}

/// After the first round.
pub(super) fn later(place: &Place<'_>) -> bool {
    place.at > 0
}

/// The last calls can be sent again, to no avail.
pub(super) fn can_repeat(place: &Place<'_>) -> bool {
    place.still().is_some()
}

pub(super) fn same_call(splice: &mut Splice<'_, '_>) -> Ring {
    let calls = splice.place.still().expect("the slip fits");
    Ring { taken: 1, ..ring(Stuck::IdenticalCall, vec![Turn { calls, ..Turn::default() }], ELSEWHERE) }
}

/// The call that was just answered, and between any two of it tries that fail.
pub(super) fn comes_back(splice: &mut Splice<'_, '_>) -> Ring {
    let calls = splice.place.still().expect("the slip fits");
    let between = usize::try_from(splice.number(1, 3)).expect("a small number");
    let tries = ["notes/step", "data/part", "logs/run"].into_iter().take(between).map(|stem| {
        let number = Template { pieces: vec![Piece::Visit] };
        turn(call(Role::Read, [join([text(stem), text("-"), number, text(".txt")])]))
    });
    let turns = tries.chain([Turn { calls, ..Turn::default() }]).collect();
    Ring { taken: 1, ..ring(Stuck::IdenticalCall, turns, ELSEWHERE) }
}

/// A file that is not there, read again and again.
pub(super) fn missing_file(splice: &mut Splice<'_, '_>) -> Ring {
    let paths = ["docs/setup.md", "config.local.json", "src/legacy/index.txt", "data/input.csv"];
    let path = *splice.lot.pick(&paths);
    ring(Stuck::IdenticalCall, vec![turn(call(Role::Read, [text(path)]))], ELSEWHERE)
}

/// A file that is not there, under other spellings of its path.
pub(super) fn respells_path(splice: &mut Splice<'_, '_>) -> Ring {
    let spellings =
        ["docs/setup.md", "./docs/setup.md", "docs//setup.md", "docs/./setup.md", "docs/../docs/setup.md"];
    let count = usize::try_from(splice.number(2, 5)).expect("a small number");
    let turns = spellings[..count].iter().map(|it| turn(call(Role::Read, [text(it)])));
    ring(Stuck::NearDuplicate, turns.collect(), ELSEWHERE)
}

/// A script in which one value drifts, and which always answers the same. In recordings three quarters of such calls
/// fail; the others work, and are no use.
pub(super) fn drifting_argument(splice: &mut Splice<'_, '_>) -> Ring {
    let fails = splice.choice(4) > 0;
    let says = Some(splice.answer(if fails { "same-error" } else { "same-result" }));
    let head = "python - <<'PY'\nfrom solver import load, solve\n\nrows = load('data.csv')\n";
    let when = vec![Condition::ArgumentContains("command".into(), text(head))];
    splice.rule(Rule { fails, says, ..rule(Role::Shell, when) });
    let drifts = [
        ("found = solve(rows, tolerance=1e-", ")"),
        ("found = solve(rows, seed=1, steps=", "00)"),
        ("found = solve(rows)  # attempt ", ""),
        ("found = solve(rows, strict=True)[:", "]"),
    ];
    let (before, after) = drifts[splice.choice(drifts.len())];
    let tail = format!("{after}\nprint(found)\nassert found == 48.0\nPY");
    let script = |number| turn(command(join([text(head), text(before), number, text(&tail)])));
    let turns = tries(splice).into_iter().map(|(_, number)| script(number)).collect();
    ring(Stuck::NearDuplicate, turns, ELSEWHERE)
}

/// Three tries that follow one another: which one it is, and a number that is another one in each lap. After failures
/// of one tool models send the call that just failed again in 20 to 59 % of cases (`docs/reactions.md`): here in a
/// third.
fn tries(splice: &mut Splice<'_, '_>) -> [(usize, Template); 3] {
    let mut which = 0;
    [false, true, true].map(|follows| {
        let is_equal = follows && splice.lot.once_in(3);
        splice.numbers.push(u32::from(is_equal));
        which += usize::from(follows && !is_equal);
        (which, join([Template { pieces: vec![Piece::Visit] }, text(&which.to_string())]))
    })
}

/// The last call was a command that can be sent again, to no avail.
pub(super) fn can_respell(place: &Place<'_>) -> bool {
    respelt(place).is_some()
}

fn respelt(place: &Place<'_>) -> Option<Template> {
    match &place.still()?[..] {
        [CallSpec { called: Called::Role(Role::Shell), sent: Sent::Arguments(values) }] => {
            values.first().cloned()
        }
        _ => None,
    }
}

/// The same command with changes that cannot matter.
pub(super) fn cosmetic_changes(splice: &mut Splice<'_, '_>) -> Ring {
    let plain = respelt(&splice.place).expect("the slip fits");
    let around =
        [("", " "), ("  ", ""), ("", " # once more"), ("", " 2>&1"), ("(", ")"), ("", ";"), ("time ", "")];
    let count = usize::try_from(splice.number(2, 7)).expect("a small number");
    let turns = around[..count]
        .iter()
        .map(|(before, after)| turn(command(join([text(before), plain.clone(), text(after)]))));
    ring(Stuck::NearDuplicate, turns.collect(), ELSEWHERE)
}

/// There are looks to go round in.
pub(super) fn can_cycle(place: &Place<'_>) -> bool {
    place.looks().len() >= 2
}

pub(super) fn cycles(splice: &mut Splice<'_, '_>) -> Ring {
    let mut looks = splice.place.looks();
    // In recordings most cycles have two steps: six of the eight that readers judged stuck in one half of the points.
    let most =
        if splice.lot.once_in(4) { u32::try_from(looks.len().min(5)).expect("a small number") } else { 2 };
    let length = usize::try_from(splice.number(2, most)).expect("a small number");
    // The last ones, which are likelier to be on the model's mind.
    let looks = looks.split_off(looks.len() - length);
    ring(Stuck::Cycle, looks.into_iter().map(turn).collect(), ELSEWHERE)
}

/// Several pages were read.
pub(super) fn can_page(place: &Place<'_>) -> bool {
    pages(place).len() >= 3
}

fn pages(place: &Place<'_>) -> Vec<CallSpec> {
    place.looks().into_iter().filter(|it| it.called == Called::Role(Role::Read)).collect()
}

/// Everything that was read, from the start.
pub(super) fn pages_again(splice: &mut Splice<'_, '_>) -> Ring {
    let pages = pages(&splice.place);
    ring(Stuck::Cycle, pages.into_iter().map(turn).collect(), ELSEWHERE)
}

/// Looks that were made before, in no order.
pub(super) fn rereads(splice: &mut Splice<'_, '_>) -> Ring {
    let looks = splice.place.looks();
    let length = splice.number(6, 12);
    let turns: Vec<Turn> = (0..length).map(|_| turn(splice.lot.pick(&looks).clone())).collect();
    ring(Stuck::Wandering, turns, ELSEWHERE)
}

/// Commands that succeed and change nothing.
pub(super) fn changes_nothing(splice: &mut Splice<'_, '_>) -> Ring {
    let commands = ["fmt --write .", "sync --all", "update --apply", "touch --refresh build"];
    let plain = text(commands[splice.lot.index(commands.len())]);
    let says = Some(splice.answer("nothing-to-do"));
    let when = vec![Condition::ArgumentContains("command".into(), plain.clone())];
    splice.rule(Rule { says, ..rule(Role::Shell, when) });
    ring(Stuck::NoOp, vec![turn(command(plain))], ELSEWHERE)
}

/// A job that died, asked for again and again.
pub(super) fn polls_the_dead(splice: &mut Splice<'_, '_>) -> Ring {
    let status = text("jobs status 4117");
    let log = text("jobs log 4117");
    let (dead, logged) = (splice.answer("job-status"), splice.answer("job-log"));
    for (plain, says) in [(&status, dead), (&log, logged)] {
        let when = vec![Condition::ArgumentContains("command".into(), plain.clone())];
        splice.rule(Rule { says: Some(says), ..rule(Role::Shell, when) });
    }
    let fair = splice.number(1, 3);
    let ways = &[Way::Inspect, Way::Change, Way::Ask, Way::Tool];
    let polling = ring(Stuck::IdenticalCall, vec![turn(command(status))], ways);
    Ring { fair, out: vec![turn(command(log))], ..polling }
}

/// Searches for the same thing in other words.
pub(super) fn rewords_search(splice: &mut Splice<'_, '_>) -> Ring {
    let says = Some(splice.answer("no-matches"));
    let when = vec![Condition::ArgumentContains("command".into(), text("rg -n"))];
    splice.rule(Rule { says, ..rule(Role::Shell, when) });
    let words =
        ["retryPolicy", "retry_policy", "RetryPolicy", "retry policy", "policy.*retry", "retry-policy"];
    let count = usize::try_from(splice.number(3, 6)).expect("a small number");
    let turns = words[..count].iter().map(|it| turn(command(text(&format!("rg -n '{it}' ."))))).collect();
    let ways = &[Way::Inspect, Way::Tool, Way::Ask, Way::Tell];
    ring(Stuck::NearDuplicate, turns, ways)
}

/// Sends a sub-agent out with the same task under another name.
pub(super) fn delegates_again(splice: &mut Splice<'_, '_>) -> Ring {
    let target = splice.target();
    let says = Some(splice.answer("report"));
    let mark = "record analysis-";
    let when = vec![Condition::ArgumentContains("task".into(), text(mark))];
    splice.rule(Rule { says, ..rule(Role::Delegate, when) });
    let number = Template { pieces: vec![Piece::Visit] };
    let task = join([text("Analyse "), target, text(" and keep it as "), text(mark), number]);
    let ways = &[Way::Call, Way::Inspect, Way::Tool];
    ring(Stuck::NearDuplicate, vec![turn(call(Role::Delegate, [task]))], ways)
}

/// Writes a plan, reads it, and writes it again.
pub(super) fn plans_again(splice: &mut Splice<'_, '_>) -> Ring {
    let path = || text("PLAN.md");
    let (number, hex) = (Template { pieces: vec![Piece::Visit] }, Template { pieces: vec![Piece::Hex] });
    let head = join([text("# Plan, revision "), number, text("\n\n1. "), splice.target()]);
    let content = join([head, text("\n2. check it\n\nOpen: "), hex, text("\n")]);
    let says = Some(splice.word("refines"));
    let write = Turn { says, ..turn(call(Role::Write, [path(), content])) };
    let read = turn(call(Role::Read, [path()]));
    let fair = splice.number(1, 2);
    Ring { fair, ..ring(Stuck::Cycle, vec![write, read], &[Way::Call, Way::Tool]) }
}

/// Sends the todo list in one spelling, then in another.
pub(super) fn todo_flip(splice: &mut Splice<'_, '_>) -> Ring {
    let target = splice.target();
    let says = Some(splice.word("restores"));
    let list = |first: &str| {
        let items = join([text(first), target.clone(), text("\n[ ] Check the result\n")]);
        Turn { says, ..turn(call(Role::Plan, [items])) }
    };
    let turns = vec![list("[ ] Work on "), list("[-] Work On ")];
    Ring { fair: 1, ..ring(Stuck::Cycle, turns, &[Way::Call, Way::Tool]) }
}

/// Installs from a host that is gone, with different options each time.
pub(super) fn changes_options(splice: &mut Splice<'_, '_>) -> Ring {
    let gone = Some(splice.answer("host-gone"));
    let found = Some(splice.answer("vendored"));
    let when = |plain: &str| vec![Condition::ArgumentContains("command".into(), text(plain))];
    splice.rule(Rule { fails: true, says: gone, ..rule(Role::Shell, when("pkgs.corp.invalid")) });
    splice.rule(Rule { says: found, ..rule(Role::Shell, when("ls vendor")) });
    let options =
        ["--timeout {}0", "--retries {}", "--no-cache-dir --timeout {}5", "--prefer-binary --retries 1{}"];
    let first = splice.choice(options.len());
    let turns = tries(splice).into_iter().map(|(which, number)| {
        let option = options[(first + which) % options.len()];
        let (before, after) = option.split_once("{}").expect("each has a place for a number");
        let head = text(&format!("pip install -i https://pkgs.corp.invalid/simple ledger-client {before}"));
        turn(command(join([head, number, text(after)])))
    });
    let ways = &[Way::Inspect, Way::Tool, Way::Ask, Way::Tell];
    let trying = ring(Stuck::SameFailure, turns.collect(), ways);
    Ring { fair: 1, out: vec![turn(command(text("ls vendor")))], ..trying }
}
