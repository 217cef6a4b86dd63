//! Repairs against spec X2: a call that the user asked to see is an answer, and an order is an order however it is put.

use crate::common::{outline, says};
use crate::repair::{APPEND, start};

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
