//! The loop that Balk drives, with plain values.

use std::collections::BTreeMap;

use balk_guards::record::EntryRecord;
use balk_guards::wire::Dialect;
use balk_host::{Answer, Begin, Bounds, Guards, Ran, Run, Step};
use serde_json::{Value, from_value, json};

fn begin() -> Begin {
    from_value(json!({
        "task": "Read notes.txt.",
        "tools": [{"name": "read_file", "effect": "read-only", "parameters": {"type": "object"}}],
        "limits": {"turns": 9},
    }))
    .expect("a beginning")
}

fn reads(run: &mut Run, id: &str) {
    let call = json!({"id": id, "tool": "read_file", "arguments": r#"{"path":"notes.txt"}"#});
    let answer: Answer = from_value(json!({"calls": [call]})).expect("an answer");
    run.completed(&answer);
}

fn ran(text: &str) -> Ran {
    from_value(json!({"text": text, "status": "ok"})).expect("a result")
}

#[test]
fn a_run_goes_step_by_step_and_can_be_resumed() {
    let guards = Guards::default();
    let mut run = Run::new(&guards, begin());
    for id in ["a", "b"] {
        assert_eq!(run.step(), Step::Model { asked: 1 });
        reads(&mut run, id);
        let Step::Tools { calls, attempt: 1 } = run.step() else { panic!("{:?}", run.step()) };
        assert_eq!(&*calls[0].id, id);
        run.executed(&[ran("milk, bread and a long list of other things")], false).expect("they were due");
    }
    assert_eq!(run.news(), []);
    let mut resumed = Run::resume(&guards, &run.transcript(), Bounds::default()).expect("a transcript");
    for run in [&mut run, &mut resumed] {
        reads(run, "c");
        let told = run.news();
        assert_eq!(told.iter().map(|it| it.kind).collect::<Vec<_>>(), ["block"]);
        assert_eq!(run.step(), Step::Model { asked: 1 });
    }
    assert_eq!(run.transcript(), resumed.transcript());
    run.completed(&from_value(json!({"text": "Milk and bread."})).expect("an answer"));
    assert_eq!(run.step(), Step::Reply {});
    run.news();
    run.end();
    assert!(matches!(run.step(), Step::Ended { .. }));
    // A conclusion and its notice say the same.
    assert_eq!(run.news().iter().map(|it| it.kind).collect::<Vec<_>>(), ["notice"]);
}

#[test]
fn requests_and_responses_have_the_providers_form() {
    let mut run = Run::new(&Guards::default(), begin());
    let request: Value =
        serde_json::from_str(&run.request(Dialect::OpenAi, "m", Some("Be short."))).expect("JSON");
    assert_eq!(request["messages"][1], json!({"role": "user", "content": "Read notes.txt."}));
    assert_eq!(request["tools"][0]["function"]["name"], "read_file");
    let response = json!({"content": [{"type": "text", "text": "Milk."}], "stop_reason": "end_turn"});
    run.responded(Dialect::Anthropic, &response.to_string()).expect("an answer of Anthropic");
    assert_eq!(run.step(), Step::Reply {});
    let error = run.responded(Dialect::OpenAi, "{").unwrap_err().to_string();
    assert!(error.starts_with("response: "), "{error}");
}

/// A bare number says nothing to a model, so the user is asked for the words, but only once.
#[test]
fn the_number_of_an_instruction_is_followed_by_its_words() {
    for (words, said) in [("1", "1"), ("Use sed.", "Use sed."), ("end the run", "end the run")] {
        let guards = Guards::new("no-tools", BTreeMap::new()).expect("a guard");
        let mut run = Run::new(&guards, begin());
        for step in 1..=2 {
            let answer = json!({"text": format!("I will read the file now, as step {step} of my plan.")});
            run.completed(&from_value(answer).expect("an answer"));
        }
        run.answered("1").expect("it asked");
        let Step::User { question, options } = run.step() else { panic!("{:?}", run.step()) };
        assert!(question.starts_with("In your own words: ") && options.is_empty(), "{question}");
        run.answered(words).expect("it asked");
        assert!(!matches!(run.step(), Step::User { .. }), "{words}: it asks again");
        let transcript = run.transcript();
        let answers = transcript.iter().filter_map(|it| {
            let EntryRecord::Answer(answer) = it else { return None };
            Some(&*answer.text)
        });
        assert_eq!(answers.collect::<Vec<_>>(), [said]);
    }
}

#[test]
fn another_number_of_results_is_refused() {
    let mut run = Run::new(&Guards::default(), begin());
    let error = run.executed(&[ran("milk")], false).unwrap_err().to_string();
    assert_eq!(error, "executed: expected no results, found 1");
    reads(&mut run, "a");
    let error = run.executed(&[], false).unwrap_err().to_string();
    assert_eq!(error, "executed: expected 1 results, one for each call; found 0");
    run.executed(&[ran("milk")], false).expect("it was due");
}
