//! Which programs of a command line get a stand-in, and which of them answers.

use super::shell::{self, Join, Simple, Word, is_assignment};

/// What makes a command line answer what the scenario says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) stand_ins: Vec<StandIn>,
    /// The folders that the shell goes to, from the one before or from the root.
    pub(super) folders: Vec<String>,
    /// Whether the shell does not wait for the one that answers.
    pub(super) in_background: bool,
}

/// A program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StandIn {
    /// Its name, or its path from the folder of the task.
    pub(super) program: String,
    pub(super) arguments: Vec<Word>,
    pub(super) part: Part,
}

/// What a program does for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// It prints it, and ends with its status.
    Answers,
    /// It prints nothing, and succeeds, so that the shell goes on.
    GoesOn,
    /// It prints nothing, and ends with the status of the answer: it comes after `||`.
    Replaces,
}

/// Programs that every shell has in itself. A stand-in would never be asked.
const BUILT_IN: &str = " : . source cd echo printf export unset set shift test [ true false pwd read wait exit return \
                        eval exec command type ulimit umask alias unalias jobs bg fg kill trap local break continue \
                        hash getopts times readonly let declare pushd popd ";

/// What to do for a command. The last program that is the end of a pipeline and does not come after `||` answers; the
/// others print nothing. The error says why nothing can be done.
pub(super) fn plan(line: &str, is_there: &dyn Fn(&str) -> bool) -> Result<Plan, &'static str> {
    let commands = shell::commands(line).ok_or("a script, or a line that no shell understands")?;
    let mut plan = Plan::default();
    let mut folder = Some(String::new());
    let mut ends = Vec::new();
    for (at, command) in commands.iter().enumerate() {
        let words = inner(&command.words, is_there);
        let Some((first, arguments)) = words.split_first() else { continue };
        if first.text == "cd" {
            folder = moved(folder.as_deref(), arguments);
            plan.folders.extend(folder.clone());
            continue;
        }
        if is_built_in(&first.text) || first.expands || command.redirected && !is_end(&commands, at) {
            continue;
        }
        let Some(program) = located(&first.text, folder.as_deref()) else { continue };
        if is_end(&commands, at) && !comes_after_or(&commands, at) {
            ends.push((plan.stand_ins.len(), command.in_background));
        }
        let part = if comes_after_or(&commands, at) { Part::Replaces } else { Part::GoesOn };
        plan.stand_ins.push(StandIn { program, arguments: arguments.to_vec(), part });
    }
    let (answers, in_background) = ends.last().copied().ok_or("no program of it can have a stand-in")?;
    plan.in_background = in_background;
    plan.stand_ins[answers].part = Part::Answers;
    Ok(plan)
}

fn is_built_in(program: &str) -> bool {
    BUILT_IN.split(' ').any(|it| it == program)
}

/// Whether nothing reads what the command prints.
fn is_end(commands: &[Simple], at: usize) -> bool {
    commands.get(at + 1).is_none_or(|next| next.join != Join::Pipe)
}

/// Whether the pipeline of the command comes after `||`.
fn comes_after_or(commands: &[Simple], at: usize) -> bool {
    let begins = commands[..=at].iter().rposition(|it| it.join != Join::Pipe);
    begins.is_some_and(|begins| commands[begins].join == Join::Or)
}

/// The path of a program that is named by one, or the name. `None` for one that is elsewhere on the machine.
fn located(program: &str, folder: Option<&str>) -> Option<String> {
    if !program.contains('/') {
        return Some(program.to_owned());
    }
    if program.starts_with('/') {
        return None;
    }
    Some(format!("{}{program}", folder?))
}

/// Where the shell is after `cd`, with `/` at the end. `None` if that is not known.
fn moved(from: Option<&str>, arguments: &[Word]) -> Option<String> {
    let [to] = arguments else { return None };
    if to.expands || to.text.is_empty() || to.text == "-" {
        return None;
    }
    let to = to.text.trim_end_matches('/');
    Some(if to.is_empty() || to.starts_with('/') { format!("{to}/") } else { format!("{}{to}/", from?) })
}

/// The command that a program such as `timeout` starts. A program that is not there starts nothing, and `sudo` and
/// `env -i` do not keep `PATH`.
fn inner<'w>(words: &'w [Word], is_there: &dyn Fn(&str) -> bool) -> &'w [Word] {
    let Some((first, rest)) = words.split_first() else { return words };
    let (with_value, skipped): (&[&str], usize) = match first.text.as_str() {
        "command" | "exec" if rest.first().is_none_or(|it| !it.text.starts_with('-')) => (&[], 0),
        "nohup" | "setsid" if is_there(&first.text) => (&[], 0),
        "env" if is_there("env") => (&["-u"], 0),
        "timeout" if is_there("timeout") => (&["-s", "-k"], 1),
        "nice" if is_there("nice") => (&["-n"], 0),
        "stdbuf" if is_there("stdbuf") => (&["-i", "-o", "-e"], 0),
        _ => return words,
    };
    let mut rest = rest;
    while let Some((option, more)) = rest.split_first() {
        let is_variable = first.text == "env" && is_assignment(&option.text);
        if first.text == "env" && option.text == "-i" {
            return words;
        }
        if !option.text.starts_with('-') && !is_variable {
            break;
        }
        rest = more.get(usize::from(with_value.contains(&option.text.as_str()))..).unwrap_or(&[]);
    }
    match rest.get(skipped..) {
        Some(rest) if !rest.is_empty() => inner(rest, is_there),
        Some(_) | None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The programs of a line: `=` before the one that answers, `|` before one that comes after `||`.
    #[track_caller]
    fn check(line: &str, expected: &[&str]) {
        let is_there = |program: &str| !matches!(program, "nice" | "sudo");
        let plan = plan(line, &is_there).expect("something can be done");
        let shown = plan.stand_ins.iter().map(|it| {
            let part = match it.part {
                Part::Answers => "=",
                Part::GoesOn => "",
                Part::Replaces => "|",
            };
            let arguments: Vec<&str> = it.arguments.iter().map(|it| it.text.as_str()).collect();
            format!("{part}{}({})", it.program, arguments.join(","))
        });
        let folders = plan.folders.iter().map(|it| format!("cd {it}"));
        assert_eq!(folders.chain(shown).collect::<Vec<_>>(), expected, "{line}");
    }

    #[test]
    fn the_last_program_of_the_last_pipeline_answers() {
        check("make docs", &["=make(docs)"]);
        check("cd x && y 2>&1 | tail -5", &["cd x/", "y()", "=tail(-5)"]);
        check("a && b; c", &["a()", "b()", "=c()"]);
        check("cut -f1 a | sort -u | wc -l", &["cut(-f1,a)", "sort(-u)", "=wc(-l)"]);
        check("make -j4 firmware &", &["=make(-j4,firmware)"]);
        check("BUILD_ID=1 make --force", &["=make(--force)"]);
    }

    #[test]
    fn a_program_that_only_runs_where_the_first_fails_does_not_answer() {
        check("make || x", &["=make()", "|x()"]);
        check("make || a | b", &["=make()", "|a()", "|b()"]);
        check("make && echo done || exit 1", &["=make()"]);
        check("export A=1; make; echo $?", &["=make()"]);
    }

    #[test]
    fn programs_that_start_others_are_not_the_ones_that_answer() {
        check("timeout -k 5 60 make a", &["=make(a)"]);
        check("env -u X A=1 nohup timeout 60s make", &["=make()"]);
        check("nice -n 5 make", &["=nice(-n,5,make)"]);
        check("sudo apt install x", &["=sudo(apt,install,x)"]);
        check("env -i make", &["=env(-i,make)"]);
        check("timeout 60", &["=timeout(60)"]);
        check("bash -lc 'npm test | tail'", &["=bash(-lc,npm test | tail)"]);
    }

    #[test]
    fn programs_of_the_task_are_found_by_their_path() {
        check("./run.sh --all", &["=./run.sh(--all)"]);
        check("cd a && cd b/ && ../run.sh", &["cd a/", "cd a/b/", "=a/b/../run.sh()"]);
        check("cd /srv/home && getent passwd u", &["cd /srv/home/", "=getent(passwd,u)"]);
    }

    #[test]
    fn what_has_no_stand_in_is_left_alone() {
        for line in [
            "pwd",
            "break a.go:6; continue",
            "/opt/x/run",
            "$PROGRAM a",
            "cd $A && ./x",
            "cat <<E\nE",
            "a 'b",
            "",
        ] {
            assert!(plan(line, &|_| true).is_err(), "{line}");
        }
    }
}
