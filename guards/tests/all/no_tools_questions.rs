//! The no-tools guard against spec T1 where the model asks: questions of an interview, beside permission and values
//! that are asked for again. Text may end the task.

use crate::common::{Loop, calls, says};
use crate::no_tools_again::{FIRST, check};
use balk_guards::NoTools;

#[test]
fn t1_a_yes_to_one_question_of_an_interview_is_an_answer() {
    for turns in [
        [
            "I want to rent a bicycle.",
            "How tall are you?",
            "tall",
            "Do you need a helmet?",
            "yes",
            "Do you need lights?",
            "yes",
            "Do you want insurance?",
        ],
        [
            "Ich brauche einen Termin.",
            "Zum ersten Mal hier?",
            "nein",
            "Haben Sie Schmerzen?",
            "ja",
            "Haben Sie Fieber?",
            "ja",
            "Nehmen Sie Tabletten?",
        ],
        [
            "Хочу собаку.",
            "Живёте ли вы в доме?",
            "нет",
            "Нужна ли маленькая порода?",
            "да",
            "Нужна ли спокойная порода?",
            "да",
            "Нужна ли дрессировка?",
        ],
        [
            "Teach me about numbers.",
            "What is the first even one?",
            "two",
            "Is 6 an even number?",
            "yes",
            "Is 8 an even number?",
            "yes",
            "Is 12 an even number?",
        ],
    ] {
        check(&turns, None, None);
        // With no answer but yes, it may be permission that is asked for again.
        let yes = [turns[0], turns[3], turns[4], turns[5], turns[6], turns[7]];
        check(&yes, None, Some(2));
    }
}

/// A serial number answers no two questions.
#[test]
fn t1_a_long_value_that_the_user_gives_again_shows_that_they_were_asked_again() {
    let serial = ["Could you tell me the serial number?", "What is the serial number of your router?"];
    for again in ["SN-448120.", "As I said, SN-448120.", "You have it already: SN-448120."] {
        let turns = ["Open a case for my router.", serial[0], "It's SN-448120.", serial[1], again, serial[0]];
        check(&turns, None, Some(3));
        let goes_on = [turns[0], turns[1], turns[2], turns[3], again, "When did you buy it?"];
        check(&goes_on, None, None);
    }
    // A short one may answer both, and another long one is news.
    for answers in [["4", "4"], ["SN-448120", "SN-771035"], ["SN-448120", "SN-448120, port 7"]] {
        let turns = ["Order for us.", "How many cups?", answers[0], "How many plates?", answers[1]];
        check(&[&turns[..], &["How many cups, and how many plates?"]].concat(), None, None);
    }
}

#[test]
fn t1_an_open_question_may_follow_a_yes() {
    for turns in [
        ["Write to Sato.", "Shall I begin with \"Dear Sato\"?", "yes", "In whose name shall I sign?", "mine"],
        [
            "佐藤様宛てのお礼状を書いてください。",
            "書き出しは「拝啓」でよろしいですか？",
            "はい、それで。",
            "署名はどなたのお名前にしますか？",
            "山田です。",
        ],
        ["Schreib an Sato.", "Soll ich ihn duzen?", "ja", "Welche Unterschrift soll es sein?", "meine"],
    ] {
        check(&turns[..4], None, None);
        // Of what was asked, or a second time, it is another way to ask for leave.
        check(&[turns[0], turns[1], turns[2], turns[1]], None, Some(2));
        check(&[turns[0], turns[1], turns[2], turns[3], turns[2], turns[3]], None, Some(3));
    }
    // Who says yes twice has waited long enough.
    let turns =
        ["Write to Sato.", "Shall I begin?", "yes", "In whose name shall I sign?", "yes", "Which address?"];
    check(&turns, None, Some(3));
    check(&["Clean up.", "Shall I begin?", "yes", "How should I begin?"], None, Some(2));
}

#[test]
fn t1_permission_is_asked_again_also_after_an_answer() {
    for turns in [
        [
            "Cancel one of my rides.",
            "Which ride is it?",
            "the late one",
            "Shall I cancel the late ride?",
            "yes",
            "Are you sure that I should cancel the late ride?",
        ],
        [
            "Lösche eine Notiz.",
            "Welche Notiz?",
            "die alte",
            "Soll ich die alte Notiz löschen?",
            "ja",
            "Darf ich die Notiz jetzt löschen?",
        ],
        [
            "Отмени поездку.",
            "Какую поездку?",
            "утреннюю",
            "Отменить утреннюю поездку?",
            "да",
            "Точно отменить поездку?",
        ],
    ] {
        check(&turns, None, Some(3));
    }
    // A call begins a new matter.
    let mut run = Loop::new(NoTools::default());
    run.user("Paint the wall.");
    run.pass(&says("Which colour?"), 1);
    run.user("red");
    run.pass(&calls("read", r#"{"path":"wall"}"#), 1);
    run.pass(&says("Shall I begin?"), 1);
    run.user("yes");
    run.check(&says("Is everything prepared for it?"), FIRST);
}

#[test]
fn t1_a_portuguese_article_asks_for_no_choice() {
    check(
        &[
            "Apaga o texto.",
            "Confirma o apagamento?",
            "claro que confirmo isso",
            "Confirma mesmo o apagamento?",
        ],
        None,
        Some(2),
    );
}
