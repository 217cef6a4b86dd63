//! Where a request goes on: after the last act, at another attempt, or where a history was changed.

use std::sync::Arc;

use balk::serve::Server;
use balk_guards::wire::Dialect;
use balk_scenarios::Scenario;
use serde_json::{Value, json};

use super::client::{
    Agent, TASK, TOOLS, opening, path, plain, plain_text, scenario, send, serving, start, steps, told,
};

#[test]
fn the_same_request_again_is_another_attempt() {
    let server = start(serving(vec![plain("empty = [\"1/1\", \"1/1\", \"0/1\"]\n")]));
    let mut agent = Agent::new(&server, "mine");
    for _ in 0..2 {
        let answer = agent.sends().fine();
        assert_eq!(answer["choices"][0]["message"]["content"].as_str().unwrap_or_default(), "", "{answer}");
    }
    assert_eq!(agent.asks().1, ["read_file"]);
    assert_eq!(steps(&server, "mine"), ["look 1.1", "look 1.2", "look 1.3"]);
}

#[test]
fn a_word_about_an_empty_answer_is_no_fresh_start() {
    let server = start(serving(vec![plain("empty = [\"1/1\", \"1/1\", \"0/1\"]\n")]));
    let mut agent = Agent::new(&server, "mine");
    for _ in 0..2 {
        agent.sends().fine();
        agent.says("Your answer was empty.");
    }
    assert_eq!(agent.asks().1, ["read_file"]);
    let said = steps(&server, "mine");
    let acts: Vec<_> = said.iter().filter(|it| it.starts_with("look")).collect();
    assert_eq!(acts, ["look 1.1", "look 1.2", "look 1.3"], "{said:?}");
    assert_eq!(told(&server, "mine").verdict.interventions, 2, "{said:?}");
}

#[test]
fn an_answer_that_is_lost_is_given_again() {
    let server = start(serving(vec![plain("")]));
    let agent = Agent::new(&server, "mine");
    let (first, again) = (agent.sends().fine(), agent.sends().fine());
    assert_eq!(first["choices"], again["choices"]);
    assert_ne!(first["id"], again["id"]);
    assert_eq!(steps(&server, "mine"), ["look 1.1", "look 1.2"]);
}

/// An agent that has looked and written.
fn worked<'s>(server: &'s Server, name: &str) -> Agent<'s> {
    let mut agent = Agent::new(server, name);
    for answer in ["Notes.", "written"] {
        agent.asks();
        agent.answers(answer);
    }
    agent
}

#[test]
fn a_fork_gets_what_the_script_does_there() {
    let server = start(serving(vec![plain("")]));
    let mut agent = worked(&server, "mine");
    agent.asks();
    // Back to the first result.
    agent.messages().truncate(3);
    assert_eq!(agent.asks().1, ["write_file"]);
    assert_eq!(steps(&server, "mine")[5..], ["Forked", "write 1.2"]);
    // The other way from there.
    agent.answers("written elsewhere");
    assert_eq!(agent.asks().0, "notes.txt is there.");
}

/// A user who has said all that they have to say does not say it again to an agent that forgot it.
#[test]
fn a_user_remembers_what_the_agent_forgets() {
    let server = start(serving(vec![plain("")]));
    let mut agent = worked(&server, "mine");
    let request = agent.clone();
    agent.asks();
    let replies = || server.user_replies(Some("mine"));
    assert_eq!(replies().as_deref(), Some("Thanks. And now once more."));
    assert_eq!(replies().as_deref(), Some("Thanks. And now once more."), "a question changes nothing");
    request.sends().fine();
    assert_eq!(replies(), None);
    assert_eq!(steps(&server, "mine")[4..], ["done 1.1", "done 1.2"]);
}

#[test]
fn a_new_task_starts_anew() {
    let server = start(serving(vec![plain("")]));
    worked(&server, "mine");
    let mut agent = Agent::new(&server, "mine");
    agent.messages().clear();
    agent.says("Something else.");
    assert_eq!(agent.asks().1, ["read_file"]);
    assert_eq!(steps(&server, "mine")[3..], ["Restarted", "look 1.1"]);
}

/// What an agent does to its history.
type Change = fn(&mut Vec<Value>);

#[test]
fn what_agents_do_to_their_history_moves_nothing() {
    let changes: [(&str, Change); 6] = [
        ("texts of the model dropped", |all| {
            all.iter_mut().filter(|it| it["role"] == "assistant").for_each(|it| it["content"] = Value::Null);
        }),
        ("other ids", |all| {
            for it in all {
                for call in it["tool_calls"].as_array_mut().into_iter().flatten() {
                    call["id"] = json!(format!("other-{}", call["id"].as_str().expect("an id")));
                }
                if let Some(id) = it["tool_call_id"].as_str() {
                    it["tool_call_id"] = json!(format!("other-{id}"));
                }
            }
        }),
        ("results cut", |all| {
            let results: Vec<_> = all.iter_mut().filter(|it| it["role"] == "tool").collect();
            let old = results.len() - 1;
            results.into_iter().take(old).for_each(|it| it["content"] = json!("[old result]"));
        }),
        ("an instruction added", |all| {
            all.insert(0, json!({ "role": "system", "content": "You are good." }))
        }),
        ("the agent's own word as the model's", |all| {
            all.insert(1, json!({ "role": "assistant", "content": "I will do it." }));
        }),
        ("the text of a call rewritten", |all| {
            for call in all.iter_mut().filter_map(|it| it["tool_calls"].as_array_mut()).flatten() {
                let arguments = call["function"]["arguments"].as_str().expect("a text").replace(':', " : ");
                call["function"]["arguments"] = json!(arguments);
            }
        }),
    ];
    let server = start(serving(vec![plain("")]));
    for (at, (what, change)) in changes.into_iter().enumerate() {
        let name = format!("change-{at}");
        let mut agent = worked(&server, &name);
        change(agent.messages());
        assert_eq!(agent.asks().0, "notes.txt is there.", "{what}");
        let expected = ["look 1.1", "result Notes.", "write 1.1", "result written", "done 1.1"];
        assert_eq!(steps(&server, &name), expected, "{what}");
        assert!(told(&server, &name).verdict.goal, "{what}");
    }
}

#[test]
fn a_dropped_text_answer_does_not_hide_the_act() {
    let server = start(serving(vec![plain("")]));
    let mut agent = worked(&server, "mine");
    agent.asks();
    // The agent drops the text and says something of its own.
    agent.messages().pop();
    agent.says("Thanks. And now once more.");
    assert_eq!(agent.asks().1, ["read_file"]);
    assert_eq!(steps(&server, "mine")[4..], ["done 1.1", "user Thanks. And now once more.", "look 2.1"]);
}

/// Some agents that go on from a file have every result twice in it.
#[test]
fn a_result_that_is_shown_twice_counts_once() {
    let server = start(serving(vec![plain("")]));
    let mut agent = worked(&server, "mine");
    agent.asks();
    let once = std::mem::take(agent.messages());
    for message in once {
        let times = if message["role"] == "tool" { 2 } else { 1 };
        agent.messages().extend(std::iter::repeat_n(message, times));
    }
    agent.says("Thanks. And now once more.");
    assert_eq!(agent.asks().1, ["read_file"]);
    assert_eq!(steps(&server, "mine")[4..], ["done 1.1", "user Thanks. And now once more.", "look 2.1"]);
}

#[test]
fn a_beginning_that_is_not_known_goes_on_from_the_last_act() {
    let server = start(serving(vec![plain("")]));
    let mut agent = worked(&server, "mine");
    let resumed = json!({ "role": "user", "content": "Resumed. The task was: write notes.txt." });
    agent.messages()[0] = resumed;
    assert_eq!(agent.asks().0, "notes.txt is there.");
    assert_eq!(steps(&server, "mine")[3..], ["Rewritten", "result written", "done 1.1"]);
    // The new beginning is known from now on.
    agent.says("Thanks. And now once more.");
    assert_eq!(agent.asks().1, ["read_file"]);
    assert_eq!(steps(&server, "mine")[6..], ["user Thanks. And now once more.", "look 2.1"]);
}

#[test]
fn a_turn_that_the_agent_made_up_hides_nothing_that_was_said() {
    let server = start(serving(vec![plain("")]));
    let mut agent = Agent::new(&server, "mine");
    agent.asks();
    agent.answers("Notes.");
    agent.messages().push(json!({ "role": "assistant", "content": "Understood." }));
    agent.says("Careful now.");
    agent.asks();
    assert_eq!(steps(&server, "mine")[..3], ["look 1.1", "result Notes.", "intervention Careful now."]);
}

#[test]
fn a_request_follows_a_response_by_its_id() {
    let server = start(serving(vec![plain("")]));
    let ask = |name: &str, request: &Value| {
        let path = format!("/c/{name}{}", path(Dialect::Responses, false));
        send(&server, "POST", &path, &[], request.to_string().as_bytes())
    };
    let mut request = opening(Dialect::Responses, false, TOOLS);
    let first = ask("mine", &request).fine();
    let call = |answer: &Value| {
        let all = answer["output"].as_array().expect("a list");
        all.iter().find(|it| it["type"] == "function_call").expect("a call").clone()
    };
    let looked = call(&first);
    assert_eq!(looked["name"], "read_file");
    request["previous_response_id"] = first["id"].clone();
    request["input"] =
        json!([{ "type": "function_call_output", "call_id": looked["call_id"], "output": "Notes." }]);
    let second = ask("mine", &request).fine();
    assert_eq!(call(&second)["name"], "write_file");
    assert_eq!(second["previous_response_id"], first["id"]);
    // Once more from the same response is another attempt; from a response of somebody else there is nothing.
    assert_eq!(call(&ask("mine", &request).fine())["name"], "write_file");
    assert_eq!(steps(&server, "mine"), ["look 1.1", "result Notes.", "write 1.1", "write 1.2"]);
    let alike = ask("mine.1", &opening(Dialect::Responses, false, TOOLS)).fine();
    ask("mine-1", &opening(Dialect::Responses, false, TOOLS)).fine();
    for (name, id) in [
        ("mine", json!("resp_unknown")),
        ("mine", json!("balk_mine_99")),
        ("other", first["id"].clone()),
        ("mine-1", alike["id"].clone()),
        ("mine-1", json!("x_balk_mine-1_1")),
        ("mine-1", json!("balk_mine-1_+1")),
    ] {
        request["previous_response_id"] = id;
        let refused = ask(name, &request);
        assert_eq!(refused.status, 400, "{name}: {refused:?}");
        assert!(refused.error(Dialect::Responses).contains("has the id"), "{refused:?}");
    }
}

/// Looks five times, writes, ends.
fn long() -> Arc<Scenario> {
    let again = "when = \"succeeded\"\nvisits = 5\nto = \"write\"\n\n[[healthy.state.next]]\nwhen = \"succeeded\"\n\
                 to = \"look\"";
    scenario(&plain_text("").replacen("when = \"succeeded\"\nto = \"write\"", again, 1))
}

/// The last turns of a history, or all.
fn last_turns(all: &[Value], most: usize) -> &[Value] {
    let turns: Vec<usize> = (0..all.len()).filter(|&at| all[at]["role"] == "assistant").collect();
    &all[turns.len().checked_sub(most).filter(|_| !turns.is_empty()).map_or(1, |it| turns[it])..]
}

/// Plays to the end an agent that shows this of its history, and sends each request so many times.
fn played(server: &Server, name: &str, shows: impl Fn(&[Value]) -> Vec<Value>, ids: bool, times: usize) {
    let mut agent = Agent::new(server, name);
    let mut all = agent.messages().clone();
    for _ in 0..20 {
        *agent.messages() = shows(&all);
        (1..times).for_each(|_| drop(agent.sends().fine()));
        let (_, calls) = agent.asks();
        let mut message = agent.messages().pop().expect("an answer");
        if ids && !calls.is_empty() {
            message["tool_calls"][0]["id"] = json!(format!("own-{}", all.len()));
        }
        all.push(message);
        if calls.is_empty() {
            return;
        }
        agent.messages().clone_from(&all);
        agent.answers("Notes.");
        all.clone_from(agent.messages());
    }
    panic!("{name} has no end: {:?}", steps(server, name));
}

#[test]
fn the_last_turns_of_a_history_say_where_it_goes_on() {
    let server = start(serving(vec![long()]));
    played(&server, "all", <[Value]>::to_vec, false, 1);
    let expected = steps(&server, "all");
    assert_eq!(expected.iter().filter(|it| it.starts_with("look")).count(), 5, "{expected:?}");
    // Where every turn has the same call, one turn with an id of the agent's own could be any.
    for (most, ids, has_task) in [
        (3, false, true),
        (3, true, true),
        (1, false, true),
        (3, false, false),
        (3, true, false),
        (1, false, false),
    ] {
        let name = format!("{most}-{ids}-{has_task}");
        let shows = |all: &[Value]| {
            let last = last_turns(all, most);
            let begins = if has_task || all.len() - last.len() == 1 { &all[..1] } else { &[] };
            [begins, last].concat()
        };
        played(&server, &name, shows, ids, 1);
        let said: Vec<_> = steps(&server, &name).into_iter().filter(|it| it != "Rewritten").collect();
        assert_eq!(said, expected, "{name}");
        assert!(told(&server, &name).verdict.goal, "{name}");
        // A lost answer is given again.
        played(&server, &format!("{name}-again"), shows, ids, 2);
        let verdict = told(&server, &format!("{name}-again")).verdict;
        assert_eq!((verdict.goal, verdict.identical_calls), (true, 5), "{name}: {verdict:?}");
    }
}

#[test]
fn a_retry_under_another_beginning_is_another_attempt() {
    let breaks =
        "\n[[healthy.state.break]]\nuntil = 1\nstatus = 429\nat = \"nothing\"\nsays = \"unavailable\"\n";
    let text = plain_text(breaks).replace("to = \"done\"\n", &format!("to = \"done\"\n{breaks}"));
    let server = start(serving(vec![scenario(&text)]));
    let mut agent = Agent::new(&server, "mine");
    let mut statuses = Vec::new();
    let mut begins = 0..;
    let mut renew = |agent: &mut Agent<'_>| {
        let nth = begins.next().unwrap_or(0);
        agent.messages()[0]["content"] = json!(format!("[open files: {nth}]\n{TASK}"));
    };
    for answer in ["Notes.", "written"] {
        renew(&mut agent);
        statuses.push(agent.sends().status);
        renew(&mut agent);
        agent.asks();
        agent.answers(answer);
    }
    renew(&mut agent);
    assert_eq!(agent.asks().0, "notes.txt is there.");
    assert_eq!(statuses, [429, 429]);
    let said: Vec<_> = steps(&server, "mine").into_iter().filter(|it| it != "Rewritten").collect();
    let expected =
        ["look 1.1", "look 1.2", "result Notes.", "write 1.1", "write 1.2", "result written", "done 1.1"];
    assert_eq!(said, expected);
    assert!(told(&server, "mine").verdict.goal);
}

#[test]
fn an_answer_that_is_given_again_is_one_turn() {
    let server = start(serving(vec![long()]));
    played(&server, "once", <[Value]>::to_vec, false, 1);
    played(&server, "thrice", <[Value]>::to_vec, false, 3);
    let told = |name: &str| told(&server, name).verdict;
    assert_eq!((told("once").identical_calls, told("thrice").identical_calls), (5, 5));
    assert_eq!(told("thrice").requests, 3 * told("once").requests);
}

#[test]
fn what_is_done_stays_done_until_what_comes_after_it_undoes_it() {
    let text = plain_text("").replace("file = \"notes.txt\"", "file = \"notes.txt\", contains = \"One.\"");
    let server = start(serving(vec![scenario(&text)]));
    let goal = || told(&server, "mine").verdict.goal;
    let asks_elsewhere = || {
        let mut title = Agent::new(&server, "mine");
        title.messages()[0]["content"] = json!("Write a title for this chat.");
        title.asks();
        Agent::new(&server, "mine").asks();
    };
    let mut agent = worked(&server, "mine");
    assert!(!goal());
    agent.asks();
    assert!(goal());
    asks_elsewhere();
    assert!(goal(), "{:?}", steps(&server, "mine"));
    // It goes on from there, and writes another text in the place of the call.
    agent.says("Thanks. And now once more.");
    assert_eq!(agent.asks().1, ["read_file"]);
    let arguments = json!({ "path": "notes.txt", "content": "Two.\n" }).to_string();
    let message = agent.messages().last_mut().expect("an answer");
    message["tool_calls"][0]["function"] = json!({ "name": "write_file", "arguments": arguments });
    agent.answers("written");
    agent.asks();
    assert!(!goal());
    asks_elsewhere();
    assert!(!goal(), "{:?}", steps(&server, "mine"));
}
