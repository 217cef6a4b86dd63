//! The no-tools guard against spec T1 to T3 and C2: texts that the transcript contradicts, in five languages, and texts
//! like them that it does not. Text may end the task, and the user has asked for `hello.py`.

use crate::common::{Loop, Turn, calls, says, text};
use balk_guards::{NoTools, Verdict};

const FIRST: &str = "retry no-call 1";
const ASK: &str = "ask limit 2";

fn run() -> Loop {
    Loop::new(NoTools::default())
}

/// A run with these turns, about which the guard says nothing.
#[track_caller]
pub(crate) fn after(turns: &[Turn]) -> Loop {
    let mut run = run();
    turns.iter().for_each(|turn| run.pass(turn, 1));
    run
}

pub(crate) fn reads() -> Turn {
    calls("read", r#"{"path":"notes.md"}"#)
}

pub(crate) fn writes(path: &str) -> Turn {
    calls("write_file", &format!(r#"{{"path":"{path}"}}"#))
}

/// Claims of work on `hello.py`, or on `src/greet.py`, in five languages.
const CLAIMS: [&str; 10] = [
    "All set! hello.py prints the greeting now.",
    "I've put everything into src/greet.py, and it runs.",
    "So, das wäre erledigt: hello.py begrüßt jetzt alle.",
    "Ich habe src/greet.py angelegt.",
    "Ya está: hello.py saluda a todos.",
    "El archivo src/greet.py ha quedado terminado.",
    "hello.py 写好了，可以直接运行。",
    "src/greet.py 已经创建成功。",
    "hello.py の作成が完了しました。",
    "src/greet.py を仕上げました。",
];

#[test]
fn t1_a_claim_of_work_that_no_call_did_is_a_mistake_the_first_time() {
    for claim in CLAIMS {
        for before in [vec![], vec![reads()], vec![writes("other.py")], vec![writes("hello.py").fails("no")]]
        {
            if before.len() == 1 && claim.contains("greet") {
                continue;
            }
            let mut run = after(&before);
            let said = text(&run.check(&says(claim), FIRST));
            assert!(!said.contains("`read`") && said.contains("no call of yours"), "{claim}: {said}");
        }
    }
    for claim in CLAIMS {
        after(&[reads()]).check(&says(claim), FIRST);
    }
}

#[test]
fn t1_a_claim_after_nothing_but_failures_is_a_mistake() {
    let mut run = after(&[calls("append", r#"{"path":"log.txt"}"#).fails("read-only file system")]);
    run.check(&says("Everything has been saved."), FIRST);
}

#[test]
fn t1_a_claim_that_a_call_may_have_made_true_is_none() {
    for claim in CLAIMS {
        for done in [
            vec![writes("hello.py"), writes("src/greet.py")],
            vec![writes("hello.py"), reads(), calls("append", r#"{"path":"/w/src/greet.py"}"#)],
            vec![calls("bash", r#"{"command":"python make.py"}"#)],
        ] {
            after(&done).pass(&says(claim), 1);
        }
    }
    for honest in [
        "hello.py was not written: the disk is full.",
        "hello.py fehlt noch, das Schreiben ist fehlgeschlagen.",
        "No he terminado hello.py.",
        "hello.py 没有写成。",
        "hello.py はまだ作成できていません。",
    ] {
        after(&[writes("hello.py").fails("no space")]).pass(&says(honest), 1);
    }
    // What was written for an earlier request is still there.
    let mut run = after(&[writes("src/greet.py")]);
    run.user("Then confirm to me that src/greet.py is complete, please.");
    run.pass(&says("src/greet.py is complete."), 1);
    let mut run = after(&[reads()]);
    run.user("Is hello.py finished?");
    run.pass(&says("hello.py is finished."), 1);
}

#[test]
fn t1_code_for_a_file_that_was_asked_for_is_a_mistake_where_nothing_was_tried() {
    for shown in [
        "Here is hello.py:\n```python\nprint('hi')\n```\nSave it and run it.",
        "Speichere das als hello.py:\n```python\nprint('hi')\n```",
        "Copia esto en hello.py:\n```python\nprint('hi')\n```",
        "请把下面的内容存成 hello.py：\n```python\nprint('hi')\n```",
        "次の内容を hello.py に保存してください。\n```python\nprint('hi')\n```",
    ] {
        run().check(&says(shown), FIRST);
        after(&[reads()]).check(&says(shown), FIRST);
        after(&[writes("hello.py")]).pass(&says(shown), 1);
        after(&[writes("hello.py").fails("no")]).pass(&says(shown), 1);
        for asked in [
            "Show me the code of hello.py.",
            "How would you write hello.py?",
            "Zeig mir hello.py als Beispiel.",
            "¿Cómo escribirías hello.py?",
            "hello.py 应该怎么写？",
            "hello.py のコードを見せてください。",
        ] {
            let mut run = run();
            run.user(asked);
            run.pass(&says(shown), 1);
        }
    }
}

#[test]
fn t1_words_about_a_file_that_was_asked_for_are_a_mistake_where_nothing_was_called() {
    for words in [
        "To write hello.py, open an editor and print a greeting in it.",
        "In hello.py gehört eine Zeile, die grüßt.",
        "hello.py debería imprimir un saludo.",
        "hello.py 里只需要一行打印语句。",
        "hello.py には挨拶を出力する行を入れます。",
    ] {
        run().check(&says(words), FIRST);
        after(&[reads()]).pass(&says(words), 1);
        for asked in ["Explain hello.py.", "What belongs into hello.py?", "Wie sieht hello.py aus?"] {
            let mut run = run();
            run.user(asked);
            run.pass(&says(words), 1);
        }
    }
}

#[test]
fn n8_what_comes_next_is_an_announcement_without_a_colon_where_no_call_touched_the_file() {
    for (language, words) in [
        ("en", "Moving on to src/greet.py."),
        ("de", "Nun ist src/greet.py an der Reihe."),
        ("es", "Lo siguiente será src/greet.py."),
        ("zh", "下一步是 src/greet.py。"),
        ("ja", "続けて src/greet.py に取り掛かる段階です。"),
    ] {
        after(&[writes("hello.py")]).check(&says(words), FIRST);
        let mut run = after(&[writes("hello.py"), writes("src/greet.py")]);
        assert_eq!(run.turn(&says(words)).verdict, Verdict::Pass, "{language}");
    }
}

#[test]
fn t1_denied_access_is_a_mistake_as_long_as_no_call_failed() {
    for denial in [
        "My apologies: I have no way to reach your file system, so hello.py is up to you.",
        "hello.py kann ich nicht anlegen, mir fehlen die Werkzeuge: ich bin nicht in der Lage, Befehle auszuführen.",
        "No soy capaz de escribir archivos como hello.py.",
        "我没有写入文件的工具，hello.py 需要你自己处理。",
        "hello.py を作るツールがないので、作成できません。",
    ] {
        run().check(&says(denial), FIRST);
        after(&[reads()]).check(&says(denial), FIRST);
        after(&[writes("hello.py").fails("permission denied")]).pass(&says(denial), 1);
    }
    // What is said after work, about something else, is no denial of it.
    after(&[reads()]).pass(&says("I have no access to the payment system."), 1);
}

#[test]
fn t1_a_question_that_was_answered_with_yes_is_not_asked_again() {
    for (first, yes, second) in [
        ("May I create src/greet.py?", "I said so already: yes!", "Is it fine to create src/greet.py?"),
        ("Darf ich src/greet.py anlegen?", "Klar; mach einfach.", "Ist src/greet.py wirklich gewünscht?"),
        ("¿Creo src/greet.py?", "Adelante: sin preguntar.", "¿Quieres que cree src/greet.py?"),
        ("要创建 src/greet.py 吗？", "可以：直接做。", "我可以开始写 src/greet.py 吗？"),
        ("src/greet.py を作りますか？", "はい：お願いします。", "src/greet.py を作ってもいいですか？"),
    ] {
        let mut run = after(&[writes("hello.py"), says(first)]);
        run.user(yes);
        let said = text(&run.check(&says(second), FIRST));
        assert!(said.contains("answered already"), "{said}");
        let mut run = after(&[writes("hello.py"), says(first)]);
        run.user("What would be in it?");
        run.pass(&says(second), 1);
    }
}

#[test]
fn t1_another_question_is_another_question() {
    for other in ["Shall I write src/farewell.py, too?", "Which greeting do you want?"] {
        let mut run = after(&[writes("hello.py"), says("May I create src/greet.py?")]);
        run.user("I said so already: yes!");
        run.pass(&says(other), 1);
    }
}

const PLAN: &str = "1. Look at the notes\n2. Write the greeting\n3. Run it";
const FINER_PLAN: &str =
    "1. Look at the notes once more\n2. Write the greeting, in two parts\n3. Run it and check";

#[test]
fn t1_a_plan_again_and_no_step_of_it_is_a_mistake() {
    for nudge in ["Proceed.", "Mach weiter.", "Continúa.", "继续。", "続けてください。"] {
        let mut run = after(&[says(PLAN)]);
        run.user(nudge);
        let said = text(&run.check(&says(FINER_PLAN), FIRST));
        assert!(said.contains("a plan again"), "{said}");
    }
    let mut run = run();
    run.user("Make a plan for the greeting.");
    run.pass(&says(PLAN), 1);
    run.user("Fine, but finer.");
    run.pass(&says(FINER_PLAN), 1);
    let mut run = after(&[says(PLAN), reads()]);
    run.user("Proceed.");
    run.pass(&says(FINER_PLAN), 1);
}

#[test]
fn t1_rows_of_a_list_that_goes_on_are_no_plan() {
    let mut run = after(&[reads(), says("- one: 1\n- two: 2\n- three: 3")]);
    run.user("Continue.");
    run.pass(&says("- four: 4\n- five: 5\n- six: 6"), 1);
}

#[test]
fn t1_a_claim_again_after_a_nudge_is_a_mistake_unless_work_was_done() {
    let [claim, again] = ["The greeting is finished.", "Everything has been set up, enjoy!"];
    for (nudge, done, expected) in [
        ("I see nothing of it.", reads(), FIRST),
        ("Hier ist nichts.", writes("hello.py"), FIRST),
        ("Ok, good.", reads(), "pass"),
        ("Ok, good.", writes("hello.py"), "pass"),
    ] {
        let mut run = after(&[done, says(claim)]);
        run.user(nudge);
        run.check(&says(again), expected);
    }
}

#[test]
fn t3_other_words_for_the_same_after_a_correction_are_told_to_the_user() {
    for (first, second) in [
        ("All set! hello.py prints the greeting now.", "I have finished hello.py, as said."),
        ("I have no access to your files.", "As a language model I only write text."),
        ("Let me write it:", "```python\nprint('hi')\n```"),
        ("Let me write it:", "I lack the tools for that: I can't run commands."),
    ] {
        let mut run = run();
        run.check(&says(first), FIRST);
        let Verdict::Ask(question) = run.check(&says(second), ASK).verdict else { panic!() };
        assert!(question.note.text.contains("one reminder did not help"), "{}", question.note.text);
        let tells = second.contains("finished").then_some("no tool did it");
        assert!(tells.is_none_or(|it| question.note.text.contains(it)), "{}", question.note.text);
    }
    // A plain word, a question and an honest end are left alone.
    for second in
        ["You are right, I am sorry.", "Which greeting do you want?", "The write tool is not in my reach."]
    {
        let mut run = run();
        run.check(&says("Let me write it:"), FIRST);
        run.pass(&says(second), 1);
    }
}

#[test]
fn t3_who_talks_is_not_disturbed() {
    for (asked, said) in [
        ("Good morning!", "Good morning! What can I do for you?"),
        ("Gib mir die drei Werte als JSON.", "{\"a\": 1, \"b\": 2, \"c\": 3}"),
        ("I renamed a.py to b.py, fyi.", "Noted: b.py it is."),
        (
            "Write me a haiku about Node.js.",
            "Node.js wakes up / a promise was kept at last / nothing is blocking",
        ),
        ("¿Qué diferencia hay entre a.py y b.py?", "a.py define la clase y b.py la usa."),
        ("请解释一下 main.rs 的作用。", "main.rs 是程序的入口。"),
        ("設計の手順を教えてください。", "1. 要件をまとめる\n2. 図を描く\n3. main.rs を書く"),
        ("Cancel order 4711.", "Your order has been cancelled. Anything else?"),
    ] {
        let mut run = run();
        run.user(asked);
        run.pass(&says(said), 1);
    }
    let mut run = after(&[writes("hello.py")]);
    run.pass(&says("hello.py greets everybody now; next you could translate it."), 1);
    run.user("Thanks!");
    run.pass(&says("You are welcome. Come back any time."), 1);
}

// What was answered, and what is still open.

/// The user has asked for three files, and says this to each message without a call.
fn three_files(reply: &str, texts: &[&str]) -> String {
    let mut run = run();
    run.user("Write a.py, then b.py, and ask me before c.py.");
    run.pass(&writes("a.py"), 1);
    let mut said = String::from("pass");
    for text in texts {
        said = crate::common::outline(&run.turn(&says(text)));
        run.user(reply);
        run.turn(&calls("read", r#"{"path":"a.py"}"#));
    }
    said
}

#[test]
fn t1_a_look_at_what_is_known_is_no_step_towards_what_was_allowed() {
    let asks = ["a.py is written. Shall I continue with b.py?", "Before I touch b.py: is that all right?"];
    for reply in ["Yes, go on.", "Oui, continue."] {
        assert_eq!(three_files(reply, &asks[..1]), "pass", "{reply}");
        assert_eq!(three_files(reply, &asks), FIRST, "{reply}");
    }
    // In a language whose yes is unknown, the same words again say it.
    let reply = "네. 그 파일은 허락이 필요 없다고 이미 여러 번 말씀드렸잖아요.";
    assert_eq!(three_files(reply, &asks), "pass");
    assert_eq!(three_files(reply, &[asks[0], asks[1], asks[0]]), FIRST);
}

#[test]
fn t1_a_step_settles_what_was_allowed() {
    for step in [
        writes("b.py"),
        writes("b.py").fails("disk full"),
        calls("read", r#"{"path":"other.md"}"#),
        calls("bash", r#"{"command":"make"}"#),
    ] {
        let mut run = run();
        run.user("Write a.py, then b.py, and ask me before c.py.");
        run.pass(&says("Shall I begin with b.py?"), 1);
        run.user("Yes, go on.");
        run.pass(&step, 1);
        run.pass(&says("b.py: which port, 80 or 8080?"), 1);
    }
}

#[test]
fn t1_a_third_text_after_two_nudges_is_a_mistake_while_the_request_is_open() {
    let nudged = |request: &str, nudge: &str, last: &str| {
        let mut run = run();
        run.user(request);
        run.turn(&calls("read", r#"{"path":"notes.md"}"#));
        for text in ["It comes together nicely.", "One moment."] {
            run.check(&says(text), "pass");
            run.user(nudge);
        }
        crate::common::outline(&run.turn(&says(last)))
    };
    let request = "Write src/a.py.";
    assert_eq!(nudged(request, "Go on.", "It is coming along."), FIRST);
    assert_eq!(nudged(request, "继续。", "差不多了。"), FIRST);
    // Nothing is named, a part after the other is shown, or the user says more than "go on".
    assert_eq!(nudged("Tell me a story.", "Go on.", "And then she left."), "pass");
    assert_eq!(nudged(request, "Go on.", &"The next part of it is long. ".repeat(20)), "pass");
    assert_eq!(nudged(request, "Show me the next one.", "x = 1"), "pass");
    assert_eq!(nudged(request, "What is in line 3?", "It is empty."), "pass");
}
