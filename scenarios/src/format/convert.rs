//! The one conversion from wire types to scenarios.

use std::sync::Arc;

use balk_contract::Protocol;
use toml::Spanned;

use super::behaviour::{actor, response};
use super::chances::parameters;
use super::lengths::Lengths;
use super::messages::compaction;
use super::names::{Names, check_filled, check_kebab, numbers, pools};
use super::phrases::{phrases, said};
use super::report::{Report, listed};
use super::roles::{ROLES, role_name};
use super::trial;
use super::used::Saying;
use super::wire::{ActorTable, LimitsTable, ScenarioFile, Text, ToolsTable};
use super::world::{environment, goal, user};
use crate::scenario::{Kind, Limits, PhraseId, Role, Scenario, Toolset};

pub(super) const PROTOCOLS: &[(&str, Protocol)] = &[("text", Protocol::Text), ("tool", Protocol::Tool)];

/// The scenarios of the file: the stubborn one first. They are valid only if nothing was reported.
pub(super) fn scenarios(
    file: &ScenarioFile,
    toolsets: &[Arc<Toolset>],
    report: &mut Report<'_>,
) -> Vec<Scenario> {
    check_kebab(&file.name, report);
    if let Some(world) = &file.world {
        check_kebab(world, report);
    }
    check_actors(file, report);
    let (roles, distractors) = tools(&file.tools, report);
    let provider = provider(&file.tools, &roles, report);
    let protocol = protocol(file, &roles, report);
    let toolsets = fitting(&file.tools, &roles, distractors, toolsets, report);
    let pools = pools(&file.pool, report);
    let mut names = Names {
        lengths: Lengths::new(&pools, *file.limits.turns.get_ref()),
        pools,
        numbers: numbers(&file.numbers, report),
        has_distractors: distractors > 0,
        roles,
        ..Names::default()
    };
    let (phrases, languages) = phrases(&file.phrases, &mut names, report);
    let prompt = prompt(file, protocol, &names, report);
    let limits = limits(&file.limits, report);
    let environment = environment(&file.environment, &names, report);
    let goal = goal(&file.goal, &names, report);
    let unreachable = file.goal.unreachable.as_ref().map(|rule| unreachable(rule, report));
    let compaction = file.compaction.as_ref().map(|it| compaction(it, &names, report));
    let user = user(&file.user, &names, report);
    let response = response(file.response.as_ref(), report);
    let known = both_names(file, report);
    let mut scenarios = Vec::with_capacity(known.len());
    for (nth, (kind, table)) in actors(file).into_iter().enumerate() {
        names.actor = actor_table(kind);
        let it = table.get_ref();
        names.parameters = parameters(&it.parameters, report);
        scenarios.push(Scenario {
            name: known[nth].clone(),
            world: file.world.as_ref().unwrap_or(&file.name).get_ref().as_str().into(),
            kind,
            twin: known.iter().enumerate().find(|(at, _)| *at != nth).map(|(_, name)| name.clone()),
            skeleton: None,
            title: check_filled("title", &it.title, report),
            why: check_filled("why", &it.why, report),
            source: check_filled("source", &it.source, report),
            protocol,
            prompt,
            limits,
            roles: names.roles.clone(),
            provider: provider.clone(),
            distractors,
            toolsets: toolsets.clone(),
            pools: names.pools.clone(),
            numbers: names.numbers.clone(),
            phrases: phrases.clone(),
            languages: languages.clone(),
            environment: environment.clone(),
            goal: goal.clone(),
            compaction: compaction.clone(),
            unreachable: unreachable.clone(),
            user: user.clone(),
            actor: actor(table, kind, &names, report),
            response,
        });
    }
    trial::check(file, &scenarios, &names.lengths, report);
    scenarios
}

/// The rule under which a guard has to say that the goal cannot be reached.
fn unreachable(rule: &Text, report: &mut Report<'_>) -> Arc<str> {
    check_kebab(rule, report);
    rule.get_ref().as_str().into()
}

/// How a task ends. A tool that must end it is offered.
fn protocol(file: &ScenarioFile, roles: &[Role], report: &mut Report<'_>) -> Protocol {
    let protocol = report.one_of("protocol", &file.protocol, PROTOCOLS);
    if protocol == Protocol::Tool && !roles.contains(&Role::Finish) {
        report
            .error(
                file.protocol.span(),
                "nothing can end the task",
                "a tool must end it, but `finish` is not offered",
            )
            .related(file.tools.roles.span(), "`finish` is not among these")
            .help("add \"finish\" to `roles`, or write protocol = \"text\"");
    }
    protocol
}

/// The name of an actor's table.
pub(super) const fn actor_table(kind: Kind) -> &'static str {
    match kind {
        Kind::Stubborn => "stubborn",
        Kind::Control => "healthy",
    }
}

/// The actors of a file, the stubborn one first.
pub(super) fn actors(file: &ScenarioFile) -> Vec<(Kind, &Spanned<ActorTable>)> {
    let all = [(Kind::Stubborn, &file.stubborn), (Kind::Control, &file.healthy)];
    all.into_iter().filter_map(|(kind, table)| Some((kind, table.as_ref()?))).collect()
}

/// Somebody must act, and nothing that is stuck goes without its healthy twin.
fn check_actors(file: &ScenarioFile, report: &mut Report<'_>) {
    match (&file.stubborn, &file.healthy) {
        (_, Some(_)) => {}
        (Some(stubborn), None) => {
            report
                .error(stubborn.span(), "the stubborn actor has no healthy twin", "expected [healthy] as well")
                .help(
                    "add the table [healthy]: an actor that does the same task well, and looks as much like this one \
                     as healthy work can; `balk init NAME` writes an example of both",
                );
        }
        (None, None) => {
            report
                .error(file.name.span(), "the file has no actor", "expected an actor in this world")
                .help("add a table: [healthy], or [stubborn] and [healthy]");
        }
    }
}

/// The names of the file's scenarios: the first has that of the file, unless the healthy actor has one of its own.
fn both_names(file: &ScenarioFile, report: &mut Report<'_>) -> Vec<Arc<str>> {
    let name = file.name.get_ref();
    let named = |(kind, table): (Kind, &Spanned<ActorTable>)| match (&table.get_ref().name, kind) {
        (None, Kind::Control) if file.stubborn.is_some() => format!("{name}-control").into(),
        (None, _) => name.as_str().into(),
        (Some(own), Kind::Control) if file.stubborn.is_some() => {
            check_kebab(own, report);
            if own.get_ref() == name {
                report
                    .error(own.span(), "both actors have the same name", "expected another name")
                    .related(file.name.span(), "the stubborn one has that of the file");
            }
            own.get_ref().as_str().into()
        }
        (Some(own), _) => {
            report
                .error(own.span(), "`name` has no meaning here", "this scenario has the name of the file")
                .help("only a healthy actor beside a stubborn one may have a name of its own");
            own.get_ref().as_str().into()
        }
    };
    actors(file).into_iter().map(named).collect()
}

/// The most that a limit may be: a hundred times what the scenarios of the catalogue have.
const LIMIT_MAX: u32 = 10_000;

/// The bounds of a trial, none of them 0.
fn limits(table: &LimitsTable, report: &mut Report<'_>) -> Limits {
    let mut bound = |name: &str, value: &Spanned<u32>| {
        let expected = match *value.get_ref() {
            0 => "expected at least 1".to_owned(),
            1..=LIMIT_MAX => return *value.get_ref(),
            _ => format!("expected at most {LIMIT_MAX}"),
        };
        report.error(value.span(), format!("the limit of {name} is {}", value.get_ref()), expected);
        1
    };
    Limits {
        turns: bound("turns", &table.turns),
        attempts: bound("attempts", &table.attempts),
        calls: bound("calls", &table.calls),
        interventions: bound("interventions", &table.interventions),
        questions: bound("questions", &table.questions),
    }
}

/// What the loop says to a message without a call.
fn prompt(
    file: &ScenarioFile,
    protocol: Protocol,
    names: &Names,
    report: &mut Report<'_>,
) -> Option<PhraseId> {
    let prompt = file.prompt.as_ref()?;
    if protocol == Protocol::Text {
        report
            .error(prompt.span(), "the loop has no prompt here", "the user answers a message without a call")
            .related(file.protocol.span(), "text may end the task")
            .help("write protocol = \"tool\", or let the user say it: `replies` of `[user]`");
    }
    Some(said(prompt, Saying::Loop, names, report))
}

/// The roles that the task needs, and how many distractors are offered beside them.
fn tools(table: &ToolsTable, report: &mut Report<'_>) -> (Vec<Role>, usize) {
    let mut roles = Vec::new();
    for word in table.roles.get_ref() {
        let Some(index) = report.index_of("role", word, ROLES.iter().map(|(name, _)| *name)) else {
            continue;
        };
        let role = ROLES[index].1;
        if role == Role::Distractor {
            report
                .error(word.span(), "distractors are not a role of the task", "does not belong in this list")
                .help("write their number: distractors = 2");
        } else if roles.contains(&role) {
            report.error(word.span(), format!("the role `{}` is listed twice", word.get_ref()), "again here");
        } else {
            roles.push(role);
        }
    }
    if table.roles.get_ref().is_empty() {
        report
            .error(table.roles.span(), "the task has no tools", "expected at least one role")
            .help("only an agent with tools can fail to call them");
    }
    (roles, table.distractors.as_ref().map_or(0, |it| *it.get_ref() as usize))
}

/// The roles that the provider runs itself.
fn provider(table: &ToolsTable, roles: &[Role], report: &mut Report<'_>) -> Vec<Role> {
    let known: Vec<&str> = roles.iter().map(|role| role_name(*role)).collect();
    let at = |word| report.index_of("role of this task", word, known.iter().copied());
    table.provider.iter().filter_map(at).map(|at| roles[at]).collect()
}

/// The tool sets that can be drawn at all: that of the agent that the file names, or each.
fn of_agent<'t>(
    table: &ToolsTable,
    toolsets: &'t [Arc<Toolset>],
    report: &mut Report<'_>,
) -> &'t [Arc<Toolset>] {
    let Some(agent) = &table.agent else { return toolsets };
    let at = report.index_of("agent", agent, toolsets.iter().map(|it| it.name.as_str()));
    at.map_or(toolsets, |at| &toolsets[at..=at])
}

/// The tool sets that have every role and enough distractors.
fn fitting(
    table: &ToolsTable,
    roles: &[Role],
    distractors: usize,
    toolsets: &[Arc<Toolset>],
    report: &mut Report<'_>,
) -> Vec<Arc<Toolset>> {
    let toolsets = of_agent(table, toolsets, report);
    let has = |set: &Toolset, role: Role| set.tools.iter().any(|tool| tool.role == role);
    let spare = |set: &Toolset| set.tools.iter().filter(|tool| tool.role == Role::Distractor).count();
    let able: Vec<&Arc<Toolset>> =
        toolsets.iter().filter(|set| roles.iter().all(|role| has(set, *role))).collect();
    let fitting: Vec<Arc<Toolset>> =
        able.iter().filter(|set| spare(set) >= distractors).map(|set| Arc::clone(set)).collect();
    if !fitting.is_empty() {
        return fitting;
    }
    if let (Some(agent), [only]) = (&table.agent, toolsets) {
        let lacking: Vec<&str> =
            roles.iter().filter(|role| !has(only, **role)).map(|role| role_name(*role)).collect();
        let label = match &lacking[..] {
            [] => format!("it has only {} distractors", spare(only)),
            _ => format!("it has no {}", listed(&lacking, "and no")),
        };
        report
            .error(agent.span(), format!("`{}` lacks tools of this scenario", only.name), label)
            .help("leave `agent` out, and the seed draws an agent that has all of them");
        return fitting;
    }
    if able.is_empty() {
        for role in roles.iter().filter(|role| !toolsets.iter().any(|set| has(set, **role))) {
            let name = role_name(*role);
            let word = table.roles.get_ref().iter().find(|word| word.get_ref() == name);
            let span = word.map_or(table.roles.span(), |word| word.span());
            report.error(
                span,
                format!("no tool set has the role `{name}`"),
                "no known agent has such a tool",
            );
        }
        if roles.iter().all(|role| toolsets.iter().any(|set| has(set, *role))) {
            let names: Vec<&str> = roles.iter().map(|role| role_name(*role)).collect();
            let message = format!("no tool set has all of {}", listed(&names, "and"));
            report.error(table.roles.span(), message, "no known agent has all of them");
        }
    } else if let Some(at) = &table.distractors {
        let most = able.iter().map(|set| spare(set)).max().unwrap_or(0);
        report.error(
            at.span(),
            format!("no tool set has {distractors} distractors"),
            format!("expected at most {most}"),
        );
    }
    fitting
}
