//! The no-tools guard against spec T1 where words come again: claims that the user disputes, and promises in languages
//! without a vocabulary. Text may end the task.

use crate::common::{Loop, Turn, calls, outline, says, text};
use balk_guards::NoTools;

const PASS: &str = "pass";
pub(crate) const FIRST: &str = "retry no-call 1";

/// What the guard says to each text of the model; the user speaks first and in turn, and before each text there may be
/// the same call.
fn dialogue(turns: &[&str], call: Option<&Turn>) -> Vec<String> {
    let mut run = Loop::new(NoTools::default());
    let mut said = Vec::new();
    for (nth, words) in turns.iter().enumerate() {
        if nth % 2 == 0 {
            run.user(words);
        } else {
            if let Some(call) = call {
                run.pass(call, 1);
            }
            said.push(outline(&run.turn(&says(words))));
        }
    }
    said
}

/// That the guard first speaks at the text with this number, or never.
#[track_caller]
pub(crate) fn check(turns: &[&str], call: Option<&Turn>, nth: Option<usize>) {
    let said = dialogue(turns, call);
    let first = said.iter().position(|it| it != PASS);
    assert_eq!(first.map(|at| at + 1), nth, "{said:?} {turns:?}");
    if let Some(at) = first {
        assert_eq!(said[at], FIRST);
    }
}

// Offers.

#[test]
fn n8_an_offer_that_waits_for_the_user_is_no_announcement() {
    for (offer, step) in [
        (
            "Fine. If the footer is wrong too, I'll update it.",
            "I'll update the header now. If the footer is wrong too, I'll update it.",
        ),
        ("Fine. Just say the word and I'll run it.", "Fine. I'll run it."),
        ("Fine. Send me the key and I'll open it.", "Fine. I'll open it."),
        ("Gut. Wenn die Fußzeile nicht stimmt, ändere ich sie.", "Gut. Jetzt ändere ich die Fußzeile."),
        ("Gut. Gib mir die Nummer, dann trage ich sie jetzt ein.", "Gut. Ich trage sie jetzt ein."),
        ("Bien. Si el pie está mal, lo actualizo ahora.", "Bien. Ahora actualizo el pie."),
        ("好的。要是页脚不对，我来修改。", "好的。我来修改页脚。"),
        ("はい。もしフッターが違うなら、これから修正します。", "はい。これから修正します。"),
    ] {
        check(&["The header is as it should be.", offer], None, None);
        check(&["The header is as it should be.", step], None, Some(1));
    }
}

#[test]
fn t1_a_question_that_goes_on_asks_for_the_same_form() {
    let printed =
        |path: &str| format!("```json\n{{\"name\": \"read\", \"arguments\": {{\"path\": \"{path}\"}}}}\n```");
    let (one, two) = (printed("a"), printed("b"));
    let asks = ["What would the tool call for a be, as JSON?", &*one, "And for the second?", &*two];
    check(&asks, None, None);
    check(&[asks[0], &one, "Now look at the second.", &two], None, Some(2));
    check(&["And for the second?", &two], None, Some(1));
}

// Claims.

/// A look of unknown effect.
fn looks(answer: &str) -> Turn {
    calls("deploy", r#"{"id":"x"}"#).answers_something(answer)
}

#[test]
fn t1_a_claim_that_the_user_disputes_is_not_made_true_by_the_same_look() {
    for (answer, turns) in [
        (
            "limit = 20, owner = ann",
            ["Raise the limit to 75.", "The limit is 75 now.", "I still see 20.", "Sorry! Now it is 75."],
        ),
        (
            r#"{"raum":"Saal Nord","plätze":40}"#,
            [
                "Nenne den Raum „Saal Süd“.",
                "Der Raum heißt jetzt „Saal Süd“.",
                "Bei mir steht Nord.",
                "Entschuldigung, er heißt nun „Saal Süd“.",
            ],
        ),
        (
            "цена 300, склад 4, цвет серый",
            ["Поставь цену 450.", "Цена теперь 450.", "Нет, не так.", "Готово, цена 450."],
        ),
        (
            r#"{"nome":"sala A3","piano":2,"posti":12}"#,
            [
                "Sposta la riunione alle 17.",
                "La riunione è alle 17.",
                "Non è vero.",
                "Fatto: riunione alle 17.",
            ],
        ),
    ] {
        check(&turns, Some(&looks(answer)), Some(2));
        // The same words, where a call did it, and where the look shows it.
        let mut run = Loop::new(NoTools::default());
        run.user(turns[0]);
        run.pass(&looks(answer), 1);
        run.pass(&says(turns[1]), 1);
        run.user(turns[2]);
        run.pass(&calls("append", r#"{"id":"x"}"#), 1);
        run.pass(&says(turns[3]), 1);
        check(&turns, Some(&looks(&format!("{answer} {}", turns[0]))), None);
        check(
            &turns,
            Some(
                &calls("deploy", r#"{"id":"x","set":"75 Saal Süd 450 17"}"#)
                    .answers(&turns[0].to_lowercase()),
            ),
            None,
        );
    }
    let turns = ["Raise the limit to 75.", "The limit is 75 now.", "I still see 20.", "Sorry! Now it is 75."];
    let mut run = Loop::new(NoTools::default());
    for turn in turns.chunks(2) {
        run.user(turn[0]);
        run.pass(&looks("limit = 20, owner = ann"), 1);
        let decision = run.turn(&says(turn[1]));
        if turn[0].contains("see") {
            assert!(text(&decision).contains("your calls only looked"), "{}", text(&decision));
        }
    }
}

#[test]
fn t1_a_third_claim_needs_no_value() {
    let answer = "colour: violet, border: none";
    let turns = [
        "Make the banner green.",
        "The banner is green.",
        "It looks violet to me.",
        "Sorry, the banner should be green now.",
        "Violet, I said.",
        "Done, a green banner.",
    ];
    check(&turns, Some(&looks(answer)), Some(3));
    // Without an objection, a call with an empty answer is what the user asked for again.
    let again =
        [turns[0], turns[1], "more", "The banner is greener.", "still not enough", "The banner is green."];
    check(&again, Some(&looks("ok")), None);
}

#[test]
fn t1_a_report_and_a_refusal_after_the_same_look_are_no_claim() {
    let reads = |answer: &str| calls("read", r#"{"path":"x"}"#).answers(answer);
    for (answer, turns) in [
        (
            "18 of 21 done",
            ["Watch for 21.", "18 of 21 are done.", "again", "Still 18 of 21.", "once more", "18 of 21 yet."],
        ),
        (
            "quota 40",
            [
                "Set the quota to 90.",
                "I can't set it to 90.",
                "Do it anyway.",
                "I cannot set 90, it needs an admin.",
                "No, do it.",
                "Still: I can't set 90.",
            ],
        ),
        (
            "7 9 11",
            [
                "Add up the column.",
                "The column adds up to 27.",
                "That is not right.",
                "I counted again: the column gives 27.",
                "No, it is wrong.",
                "The column gives 27, by my count.",
            ],
        ),
        (
            "play",
            [
                "Play \"Song 2\".",
                "Playing \"Song 2\".",
                "Again?",
                "Playing \"Song 2\".",
                "And again?",
                "Playing \"Song 2\".",
            ],
        ),
    ] {
        check(&turns, Some(&reads(answer)), None);
        check(&turns, Some(&looks(answer)), None);
    }
}

// Promises.

#[test]
fn t1_the_same_promise_again_and_again_is_a_mistake_in_any_language() {
    for turns in [
        [
            "Envia o relatório ao Duarte.",
            "Vou enviar o relatório.",
            "Não chegou.",
            "Desculpe, envio o relatório já.",
            "Nada ainda.",
            "Um momento, o relatório vai seguir.",
            "então?",
            "Estou a enviar o relatório.",
        ],
        [
            "Включи насос 12 во дворе.",
            "Хорошо, включаю насос 12.",
            "Насос 12 стоит.",
            "Извините, сейчас включаю насос.",
            "Ну?",
            "Уже включаю насос 12.",
            "Тихо.",
            "Сейчас, включаю.",
        ],
        [
            "Zet de verwarming in zaal 3 uit.",
            "Komt goed, de verwarming gaat uit.",
            "Nee.",
            "Excuses, de verwarming in zaal 3 gaat nu uit.",
            "Nog warm.",
            "Momentje, de verwarming gaat uit.",
            "Nog steeds.",
            "Bezig met de verwarming in zaal 3.",
        ],
        [
            "창고 문 5번을 닫아 줘.",
            "네, 창고 문을 닫겠습니다.",
            "안 닫혔어.",
            "죄송합니다, 지금 창고 문을 닫겠습니다.",
            "아직이야.",
            "바로 창고 문을 닫겠습니다.",
            "빨리.",
            "지금 창고 문을 닫겠습니다!",
        ],
    ] {
        check(&turns, None, Some(4));
        // So it is where a harness says the same at length each time.
        let reminder = "0123456789 ".repeat(8);
        let mut harness = turns;
        for nth in [2, 4, 6] {
            harness[nth] = &reminder;
        }
        check(&harness, None, Some(4));
        // A call in between begins anew, and a question or a reason is no promise.
        let mut run = Loop::new(NoTools::default());
        for (nth, turn) in turns.chunks(2).enumerate() {
            run.user(turn[0]);
            if nth == 2 {
                run.pass(&calls("deploy", "{}"), 1);
            }
            run.pass(&says(turn[1]), 1);
        }
    }
}

#[test]
fn t1_talk_lessons_and_refusals_are_no_promises() {
    for turns in [
        [
            "Oggi sono al mare con Lia.",
            "Il mare con Lia, che bello.",
            "Fa caldo.",
            "Il caldo al mare si sopporta.",
            "Mangio un gelato.",
            "Un gelato al mare ci vuole.",
            "Poi nuoto.",
            "Nuotare con Lia sarà bello.",
        ],
        [
            "Ik leer over bijen.",
            "Bijen leven samen in een korf.",
            "verder",
            "Een koningin legt duizenden eitjes.",
            "verder",
            "Werksters verzamelen nectar en stuifmeel.",
            "verder",
            "Darren sterven na de paring.",
        ],
        [
            "Abre o cofre da loja.",
            "Não posso abrir o cofre da loja.",
            "Abre.",
            "O cofre da loja, não posso abrir.",
            "Vá lá.",
            "Não posso abrir o cofre sem autorização.",
            "Por favor.",
            "Sem autorização não abro o cofre.",
        ],
        [
            "Хочу стол на завтра.",
            "На какое время стол?",
            "вечер",
            "Сколько человек за стол?",
            "пятеро",
            "Стол у окна или в углу?",
            "окно",
            "Чьё имя записать на стол?",
        ],
    ] {
        check(&turns, None, None);
    }
}

/// Who was asked to explain first may explain in several messages, with what it is about, in any language.
#[test]
fn t1_an_explanation_that_was_asked_for_goes_on() {
    let explained = [
        "Are două părți: una citește intrarea.\n```\nReceipt PO-7731\n```",
        "Prima doar adună.\n```\nReceipt PO-7731\nHX-20 40 pcs\n```",
        "A doua compară.\n```\nReceipt PO-7731\nHX-20 40 pcs\nHX-22 15 pcs\n```",
    ];
    for (request, nth) in [
        ("Rulează `erp receipt post PO-7731`. Nu rula încă nimic: explică-mi întâi în câteva mesaje.", None),
        ("Rulează `erp receipt post PO-7731`.", Some(2)),
    ] {
        let turns = [request, explained[0], "Continuă.", explained[1], "Am înțeles, continuă.", explained[2]];
        check(&turns, None, nth);
    }
}
