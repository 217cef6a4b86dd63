//! What the user is told where they or the model end a run (spec C2): what the request names and no call has done, and
//! that the model ended after it was corrected. Both are read from the transcript, and neither disturbs the run.

use crate::common::handoffs::{conclude, says_all, soft};
use crate::common::{Loop, Turn, all_guards, calls, offer, says};
use balk_guards::{
    Effect, Entry, Handoff, Intervention, InterventionKind, NoTools, Note, Offer, Protocol, Purpose, Stack,
    Start, Subject, Termination, Tool,
};

const ENDS: [Termination; 2] = [Termination::Finished, Termination::StoppedByUser];

fn asked(request: &str) -> Loop {
    let mut run = Loop::new(NoTools::default());
    // The first request is settled.
    run.user("Never mind, thank you!");
    run.user(request);
    run
}

/// What the user is told about the request at the end.
fn told(run: &Loop) -> Option<String> {
    let said: Vec<Option<String>> = ENDS.iter().map(|end| of_end(run, end)).collect();
    assert_eq!(said[0], said[1], "who ended the run is not known for sure, so it makes no difference");
    said[0].clone()
}

fn of_end(run: &Loop, end: &Termination) -> Option<String> {
    let it = conclude(run, end)?;
    assert_eq!((it.gap.clone(), &*it.note.rule), (None, "open-request"));
    Some(it.note.text.to_string())
}

/// What is told where the run ends after these turns.
fn after(request: &str, turns: &[Turn]) -> Option<String> {
    let mut run = asked(request);
    turns.iter().for_each(|turn| drop(run.turn(turn)));
    told(&run)
}

fn runs(command: &str) -> Turn {
    calls("bash", &format!(r#"{{"command":"{command}"}}"#))
}

fn writes(path: &str) -> Turn {
    calls("write_file", &format!(r#"{{"path":"{path}"}}"#))
}

const LINT: &str = "Write docs/guide.md; `vale docs` must find nothing.";
const LASTS: [&str; 5] = [
    "Would you like me to go on?",
    "完成了，一切正常。",
    "Mach das bitte selbst.",
    "Por mi parte, listo.",
    "docs/guide.md looks fine.",
];

#[test]
fn c2_a_command_of_the_request_that_failed_or_never_ran_is_told_at_the_end() {
    for last in LASTS {
        let failed = after(LINT, &[writes("docs/guide.md"), runs("vale docs").fails("2 errors"), says(last)]);
        says_all(&failed.expect(last), &["Failed when it last ran: `vale docs`."]);
        let never = after(LINT, &[writes("docs/guide.md"), says(last)]);
        says_all(&never.expect(last), &["Not run: `vale docs`."]);
    }
    let fixed = [runs("vale docs").fails("2 errors"), writes("docs/guide.md"), runs("cd x && vale docs")];
    assert_eq!(after(LINT, &fixed), None);
    // The model found another way.
    let other =
        [runs("vale docs").fails("2 errors"), writes("docs/guide.md"), runs("npx vale docs/guide.md")];
    assert_eq!(after(LINT, &other), None);
}

#[test]
fn c2_a_file_of_the_request_that_no_call_names_is_told_at_the_end() {
    let request = "Search for left-pad, and note the result in findings.md.";
    let looked = || runs("grep -rn left-pad src").answers("");
    for last in LASTS {
        let text = after(request, &[looked(), says(last)]).expect(last);
        says_all(&text, &["Not named in any call that worked: `findings.md`."]);
    }
    let failed = after(request, &[writes("findings.md").fails("disk full"), says("Hm.")]);
    says_all(&failed.expect("it failed"), &["`findings.md`"]);
    assert_eq!(after(request, &[looked(), writes("findings.md"), says("Done.")]), None);
    assert_eq!(after(request, &[looked(), runs("echo none > findings.md"), says("Done.")]), None);
    // A long command of unknown effect may have named it where nothing was searched.
    assert_eq!(after(request, &[runs(&"x".repeat(600)), says("Done.")]), None);
}

#[test]
fn c2_other_files_only_say_where_something_is_unless_the_model_speaks_of_them() {
    let request = "Write a.py first, then b.py. The plan is in plan.md.";
    assert_eq!(after(request, &[writes("a.py"), writes("b.py"), says("Done.")]), None);
    let text = after(request, &[writes("a.py"), says("Shall I go on with b.py?")]).expect("b.py");
    says_all(&text, &["`b.py`."]);
    assert!(!text.contains("plan.md"), "{text}");
}

#[test]
fn c2_where_words_are_wanted_or_nothing_is_named_nothing_is_told() {
    for request in [
        "What does src/main.rs do?",
        "Explain how package.json works.",
        "Is left-pad used in index.js?",
        "What is in this folder?",
        "Tidy up.",
        "Rename `total` to `sum`, and `x = 1` too.",
    ] {
        assert_eq!(after(request, &[says("There are three.")]), None, "{request}");
    }
    let long = format!("{} Write out.md.", "It is a long story. ".repeat(120));
    assert_eq!(after(&long, &[says("Hm.")]), None);
}

#[test]
fn c2_a_short_word_of_the_user_closes_nothing_but_thanks_do() {
    for (word, is_open) in [
        ("I said yes: go ahead.", true),
        ("Are you sure? There is nothing.", true),
        ("No, that's all. Thank you!", false),
        ("Now write another one, and read other.md for it.", false),
    ] {
        let mut run = asked("Write out.md.");
        run.turn(&says("Shall I?"));
        run.user(word);
        run.turn(&calls("read", r#"{"path":"other.md"}"#));
        run.turn(&says("Just let me know when I may begin."));
        assert_eq!(told(&run).is_some(), is_open, "{word}");
    }
}

#[test]
fn c2_what_the_user_decides_when_asked_is_not_told_as_open() {
    for (question, word, is_open) in [
        ("删除后无法恢复，您确定吗？", "那就留着吧。", false),
        ("Deleting cannot be undone. Are you sure?", "No, better keep it.", false),
        ("Seguro?", "Entonces déjalo.", false),
        ("如果您确定，我会删除它；没有备份。", "那就留着吧。", false),
        ("If you are sure, I'll delete it; there is no copy.", "Then leave it.", false),
        ("Wenn du sicher bist, lösche ich es.", "Lieber behalten.", false),
        ("If you are sure, I'll delete it; there is no copy.", "I am. Go on.", true),
        ("I have deleted it. If you need more, tell me.", "Then look again.", true),
        ("Deleting cannot be undone. Are you sure?", "Yes, go ahead.", true),
        ("Sicher?", "Mach weiter.", true),
        ("Are you sure?", "Why do you ask?", true),
        ("It is gone.", "Really.", true),
    ] {
        let mut run = asked("I don't need old.zip any more.");
        run.turn(&says(question));
        run.user(word);
        run.turn(&says("All right."));
        assert_eq!(told(&run).is_some(), is_open, "{question} {word}");
    }
}

#[test]
fn c2_a_file_that_the_model_leaves_to_its_user_in_so_many_words_is_not_told() {
    for (last, is_told) in [
        ("如果您确定，我会删除它；没有备份。", false),
        ("If you are sure, I'll delete it; there is no copy.", false),
        ("Wenn du sicher bist, lösche ich es.", false),
        ("Si quieres, voy a borrarlo; no hay copia.", false),
        ("よろしければ削除します。コピーはありません。", false),
        // A question may be asked after the user has answered it.
        ("Are you sure?", true),
        ("It is gone. Tell me what else you need.", true),
        // A closing phrase is no offer.
        ("There is no such archive. Let me know if you need anything else.", true),
        ("If you have questions, ask me. I looked into it.", true),
        ("没有找到。如果您还需要什么，请告诉我。", true),
        ("Ich finde nichts. Falls du noch etwas brauchst, sag es mir.", true),
    ] {
        assert_eq!(after("I don't need old.zip any more.", &[says(last)]).is_some(), is_told, "{last}");
        let lint = after(LINT, &[runs("vale docs").fails("2 errors"), says(last)]).expect(last);
        says_all(&lint, &["Failed when it last ran: `vale docs`."]);
    }
}

#[test]
fn c2_who_was_just_told_is_not_told_again_and_other_ends_have_their_own_words() {
    let mut run = asked("Write out.md.");
    run.turn(&says("Shall I?"));
    let end = Termination::Limit(balk_guards::Limit::Turns);
    assert_eq!(conclude(&run, &end), None);
    assert!(told(&run).is_some());
    run.commit(intervention("abandonment", InterventionKind::Notice));
    assert_eq!(told(&run), None);
    // A model that only reads is asked for nothing else.
    let offer = Offer::new([Tool::new("read").effect(Effect::ReadOnly)]).into();
    let mut run = Loop::with_offer(NoTools::default(), offer);
    run.user("Write out.md.");
    run.turn(&says("I only read."));
    assert_eq!(told(&run), None);
}

fn intervention(guard: &'static str, kind: InterventionKind) -> Entry {
    let note = Note {
        guard: guard.into(),
        rule: "x".into(),
        level: 1,
        subject: Subject::Run,
        text: "Stop that.".into(),
    };
    Entry::Intervention(Intervention { kind, note, seen: true })
}

/// A run of **handoff** in which guards spoke so after these turns.
fn corrected(turns: &[Turn], kinds: &[InterventionKind]) -> Loop {
    let finish = Tool::new("finish").effect(Effect::Unknown).purpose(Purpose::Finish);
    let offer = Offer::new(offer().tools().iter().cloned().chain([finish])).into();
    let mut run =
        Loop::begun(Handoff::default(), Start { model: "test".into(), protocol: Protocol::Tool, offer });
    turns.iter().for_each(|turn| run.pass(turn, 1));
    kinds.iter().for_each(|kind| run.commit(intervention("other", kind.clone())));
    run
}

const UNHEEDED: &str = "it was last told that it is getting nowhere";

#[test]
fn c2_a_model_that_ends_after_a_correction_without_work_is_told_of() {
    use InterventionKind::{Block, Feedback, Note};
    let finish = || calls("finish", r#"{"summary":"Done."}"#);
    for kinds in [&[Block][..], &[Note], &[Feedback, Feedback]] {
        for last in [says("I wait until it is ready."), finish(), calls("read", "{}").fails("no such file")] {
            let mut run = corrected(&[writes("a.py")], kinds);
            run.pass(&last, 1);
            for end in &ENDS {
                says_all(&soft(&run, end, "unheeded"), &[UNHEEDED, "Changed and kept: `a.py`"]);
            }
        }
    }
}

#[test]
fn c2_a_model_that_works_or_was_refused_one_text_is_not_told_of() {
    use InterventionKind::{Block, Feedback, Note, Notice};
    let silent = |run: &Loop| ENDS.iter().for_each(|end| assert_eq!(conclude(run, end), None));
    // One refused text may have been a report, and the end is then what was asked for.
    for kinds in [&[][..], &[Feedback], &[Notice]] {
        let mut run = corrected(&[writes("a.py")], kinds);
        run.pass(&calls("finish", "{}"), 1);
        silent(&run);
    }
    for kinds in [&[Block][..], &[Note], &[Feedback, Feedback]] {
        let mut run = corrected(&[], kinds);
        run.pass(&writes("b.py"), 1);
        run.pass(&says("Done."), 1);
        silent(&run);
        let mut run = corrected(&[], kinds);
        run.user("Then count the lines of src/a.py in place of that, please.");
        run.pass(&says("There are twelve."), 1);
        silent(&run);
        let mut run = corrected(&[], kinds);
        run.pass(&says("I wait."), 1);
        run.commit(intervention("other", Notice));
        silent(&run);
    }
}

#[test]
fn c2_in_a_stack_the_user_is_told_once() {
    let mut run = Loop::new(Stack::new(all_guards()));
    run.user("Write src/out.md.");
    run.turn(&says("May I begin?"));
    let said = of_end(&run, &Termination::StoppedByUser).expect("nothing was written");
    says_all(&said, &["`src/out.md`"]);
}
