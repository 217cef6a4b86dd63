//! Repairs against spec X2: a call that the user asked to see is an answer, and an order is an order however it is put.

use crate::common::{Loop, outline, says};
use crate::repair::{APPEND, offer, start};
use balk_guards::NoTools;

/// What the guard says to a printed change after this request.
fn after(request: &str) -> String {
    let mut run = start();
    run.user(request);
    outline(&run.turn(&says(APPEND)))
}

#[test]
fn x2_a_call_that_the_user_asked_to_see_is_an_answer() {
    for request in [
        "What would the payload be? I post it myself.",
        "How would you call the tool for that?",
        "Write down the exact command, please.",
        "What arguments does write_file take for this file?",
        "Nenn mir bitte nur den genauen Befehl.",
        "¿Qué comando usarías? No lo ejecutes.",
        "Quelle commande lancerais-tu ?",
        "どのコマンドを使うつもりですか？",
        "不要运行，写出命令就行。",
        "Какую команду ты бы запустил?",
    ] {
        assert_eq!(after(request), "pass", "{request}");
    }
}

#[test]
fn x2_a_request_that_may_want_to_see_a_call_makes_it_doubtful() {
    for request in ["How would you put it?", "Don't run the tests. Add the line.", "What does write_file do?"]
    {
        assert_eq!(after(request), "ask printed-call 1", "{request}");
    }
}

#[test]
fn x2_a_user_who_wants_to_decide_first_is_shown_it_and_asked() {
    for request in [
        "Add the line. Show me the exact step first, and wait for my word.",
        "Häng die Zeile an. Zeig mir vorher den Schritt und warte auf mein Ja.",
        "Añade la línea, pero antes muéstrame el código y espera mi visto bueno.",
        "加上这一行，先把代码给我看，等我确认再执行。",
        "一行追加して。先にコードを見せて、必ず確認を待ってください。",
    ] {
        assert_eq!(after(request), "pass", "{request}");
        let mut run = Loop::new(NoTools::default());
        run.user(request);
        assert_eq!(outline(&run.turn(&says(APPEND))), "pass", "{request}");
    }
    for request in ["Add the line, but ask me first.", "Häng die Zeile an, aber frag mich vorher."] {
        assert_eq!(after(request), "ask printed-call 1", "{request}");
        for said in [APPEND, "Next I will append the line to the log:"] {
            let mut run = Loop::new(NoTools::default());
            run.user(request);
            assert_eq!(outline(&run.turn(&says(said))), "pass", "{request} {said}");
            run.user("Add the line.");
            assert_eq!(outline(&run.turn(&says(said))), "retry no-call 1", "{request} {said}");
        }
    }
    for request in [
        "Add the line. Don't wait for my approval.",
        "Add the line, you need not ask me first.",
        "Du musst nicht warten, bis ich zustimme: häng die Zeile an.",
        "加上这一行，不用等我确认。",
        "許可を待たずに一行追加して。",
        "확인을 기다리지 말고 한 줄 추가해 줘.",
        "Add the line. Wait for my wordpress site to be up.",
    ] {
        assert_eq!(after(request), "repair printed-call 1, notice printed-call 1", "{request}");
    }
}

#[test]
fn x2_an_order_to_do_it_is_no_wish_to_see_it_however_polite() {
    for request in [
        "Would you add the line, please?",
        "Run the usual command and show me the output.",
        "I tried it by hand. Add the line.",
        "Würden Sie bitte die Zeile anhängen?",
        "Ejecuta el comando y dime el resultado.",
        "コマンドを実行して結果を見せて。",
        "运行命令，然后告诉我结果。",
        "Can you use write_file for the line?",
    ] {
        assert_eq!(after(request), "repair printed-call 1, notice printed-call 1", "{request}");
    }
}

/// What the guard says to a printed change after one was shown and this was said.
fn after_another(said: &[&str]) -> String {
    let mut run = start();
    run.user("Give me the function call as JSON to append to the log. Don't really do it.");
    assert_eq!(outline(&run.turn(&says(APPEND))), "pass");
    let (last, before) = said.split_last().expect("one at least");
    for text in before {
        run.user(text);
        assert_eq!(outline(&run.turn(&says(APPEND))), "pass", "{text}");
    }
    run.user(last);
    outline(&run.turn(&says(APPEND)))
}

#[test]
fn x2_a_question_that_asks_for_more_keeps_the_wish_to_see_a_call() {
    for said in [
        &["And with two lines?"][..],
        &["What about the other log?", "As YAML?", "And how would it look without a path?"],
        &["Und für das andere Protokoll?", "Danke! Und mit zwei Zeilen?"],
        &["¿Y para el otro archivo?"],
        &["Et sans le titre ?"],
        &["А для второго файла?"],
        &["那第二个文件呢？", "写两行的呢？"],
        &["では二つ目は？"],
    ] {
        assert_eq!(after_another(said), "pass", "{said:?}");
    }
}

#[test]
fn x2_another_question_makes_it_doubtful_and_an_order_ends_it() {
    assert_eq!(after_another(&["Is the other log longer?"]), "ask printed-call 1");
    for said in [
        &["Now really do it."][..],
        &["And with two lines?", "Good, now append it."],
        &["And could you append it?"],
        &["Und kannst du es wirklich anhängen?"],
        &["那第二个文件呢？", "现在真的写进去。"],
    ] {
        assert_eq!(after_another(said), "repair printed-call 1, notice printed-call 1", "{said:?}");
    }
}

#[test]
fn x2_no_call_is_demanded_while_the_user_asks_for_more_to_see() {
    let after = |said: &[&str]| {
        let mut run = Loop::with_offer(NoTools::default(), offer());
        for text in said {
            run.user(text);
        }
        outline(&run.turn(&says(APPEND)))
    };
    let request = "Give me the function call as JSON to append to the log. Don't really do it.";
    for more in ["And with two lines?", "Und als curl?", "那第二个文件呢？"] {
        assert_eq!(after(&[request, more]), "pass", "{more}");
        assert_ne!(after(&["Append to the log.", more]), "pass", "{more}");
    }
    assert_ne!(after(&[request, "And could you append it now?"]), "pass");
}
