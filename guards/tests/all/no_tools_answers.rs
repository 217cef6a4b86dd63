//! The no-tools guard against spec T1 to T3: closings, answers to what the user asked, answers of the user, and what a
//! model says about itself or about what it saw, each beside a text like it that is a mistake. Text may end the task.

use crate::common::{Loop, Turn, calls, says};
use crate::no_tools_evidence::{reads, writes};
use balk_guards::NoTools;

const FIRST: &str = "retry no-call 1";

/// What the guard says to a text after this request and these turns.
#[track_caller]
fn check(request: &str, turns: &[Turn], said: &str, expected: &str) {
    let mut run = Loop::new(NoTools::default());
    run.user(request);
    turns.iter().for_each(|turn| run.pass(turn, 1));
    run.check(&says(said), expected);
}

// Announcements.

#[test]
fn n8_a_closing_with_a_word_of_time_is_no_announcement() {
    for (request, closing) in [
        ("Make the filter fast.", "The list is sorted once. The filter should work now."),
        ("Der Filter ist kaputt, bitte richten.", "Die Suche läuft jetzt. Öffne jetzt einfach die Liste."),
        ("Arregla el filtro.", "El filtro responde ya. Ahora puede probar la lista."),
        ("把过滤器修好。", "修好了。接下来您可以运行测试。"),
        ("フィルターを直してください。", "直しました。次に画面で動作を確認してください。"),
    ] {
        check(request, &[writes("filter.rs")], closing, "pass");
    }
    for (request, step) in [
        ("Make the filter fast.", "The list is sorted once. Next I'll update the filter."),
        ("Der Filter ist kaputt, bitte richten.", "Die Suche läuft. Jetzt schreibe ich den Filter."),
        ("Arregla el filtro.", "El filtro responde. Ahora escribo la prueba."),
        ("把过滤器修好。", "修好了。接下来我更新测试。"),
        ("フィルターを直してください。", "直しました。次にテストを追加します。"),
    ] {
        check(request, &[writes("filter.rs")], step, FIRST);
    }
}

#[test]
fn n8_a_step_that_names_no_one_is_announced_only_before_a_change() {
    for step in ["Checking the filter now.", "Prüfe jetzt den Filter.", "接下来检查过滤器。"] {
        check("Make the filter fast, it takes a minute.", &[reads()], step, FIRST);
        check("Make the filter fast, it takes a minute.", &[writes("filter.rs")], step, "pass");
        check("What is wrong with the filter?", &[], step, "pass");
    }
    // Something else acts, or nothing is done.
    for said in [
        "The job is running now.",
        "この関数は設定を確認します。",
        "The page takes a moment to open.",
        "I will not change it.",
    ] {
        check("Make the filter fast, it takes a minute.", &[reads()], said, "pass");
    }
}

#[test]
fn t3_an_announcement_answers_a_question_about_what_comes() {
    for (question, answer, request) in [
        ("What will you do first?", "I will read the tests.", "What is in the tests?"),
        ("Womit fängst du an?", "Ich werde zuerst die Tests lesen.", "Was ist in den Tests?"),
        ("¿Qué vas a hacer primero?", "Voy a leer las pruebas.", "¿Qué hay en las pruebas?"),
        ("你打算先做什么？", "我会先查看测试。", "测试里有什么？"),
        ("最初に何をしますか？", "まずテストを確認します。", "テストには何がありますか？"),
    ] {
        check(question, &[], answer, "pass");
        check(request, &[], answer, FIRST);
        let mut run = Loop::new(NoTools::default());
        run.user(question);
        run.pass(&says(answer), 1);
        run.user("Go on.");
        run.check(&says(answer), FIRST);
    }
}

const PLAN: &str = "This takes three steps:\n\n1. Look at the parser\n2. Split it\n3. Run the tests\n\n";

#[test]
fn n8_a_plan_that_ends_in_an_announcement_is_one() {
    for last in [
        "Let me start by reading the parser.",
        "I'll begin with the parser:",
        "Ich beginne mit dem Parser:",
        "我先从读取解析器开始。",
    ] {
        check("Refactor the parser.", &[], &format!("{PLAN}{last}"), FIRST);
        check("Make a plan for the parser.", &[], &format!("{PLAN}{last}"), "pass");
    }
    for last in [
        "All three depend on the parser.",
        "I'll start once you tell me to.",
        "Please send the parser. After that I'll read it.",
    ] {
        check("Refactor the parser.", &[], &format!("{PLAN}{last}"), "pass");
    }
    check(
        "Refactor the parser.",
        &[],
        &format!("{PLAN}Is that fine?\n\nI'll start with the parser."),
        "pass",
    );
}

// Questions and answers.

/// The model asks these questions, and the user gives these answers to all but the last.
#[track_caller]
fn asks(request: &str, dialogue: &[&str]) -> Vec<String> {
    let mut run = Loop::new(NoTools::default());
    run.user(request);
    let mut said = Vec::new();
    for (nth, text) in dialogue.iter().enumerate() {
        match nth % 2 {
            0 => said.push(crate::common::outline(&run.turn(&says(text)))),
            _ => run.user(text),
        }
    }
    said
}

#[test]
fn t1_a_word_that_answers_a_question_is_no_nudge() {
    for (request, dialogue) in [
        (
            "Teach me capitals.",
            [
                "And Italy, which one is it?",
                "Rome",
                "Right. What is the one of Peru?",
                "Lima",
                "How about Chile?",
            ],
        ),
        ("Ich suche ein Geschenk.", ["Welche Farbe?", "rot", "Was trinkt sie?", "Tee", "Wie alt ist sie?"]),
        (
            "Ayúdame con las tablas.",
            [
                "¿Cuánto es tres por cuatro?",
                "doce",
                "¿Cuánto es dos por seis?",
                "doce",
                "¿Cuánto es uno por dos?",
            ],
        ),
        ("帮我点单。", ["茶还是咖啡？", "茶", "要几杯？", "茶", "热的还是冷的？"]),
        (
            "Help me choose a phone.",
            ["Do you take photos?", "no", "Do you play games?", "no", "Do you read on it?"],
        ),
        ("Check in on me.", ["How are you?", "good", "How did you sleep?", "fine", "What did you eat?"]),
    ] {
        assert_eq!(asks(request, &dialogue), ["pass"; 3], "{request}");
    }
    // A yes answers no open question, and the same answer does not answer the same question.
    for dialogue in [
        ["Which way, shall I begin?", "Yes.", "How shall I begin?"],
        ["Shall I begin?", "Just do it.", "Is it fine to begin?"],
        ["¿Qué hago, empiezo?", "Sí, adelante.", "¿Entonces empiezo?"],
        ["要我开始吗？", "好的，继续。", "可以开始吗？"],
        ["Posso iniziare?", "Sì, procedi.", "Inizio adesso?"],
    ] {
        assert_eq!(asks("Write the page.", &dialogue), ["pass", FIRST], "{dialogue:?}");
    }
    let again = ["Which port?", "high", "Which port?", "high", "Which port?"];
    assert_eq!(asks("Write the page.", &again), ["pass", "pass", FIRST]);
}

#[test]
fn t3_who_asks_to_be_asked_is_asked() {
    let dialogue = ["Is it an animal?", "yes", "Is it large?", "yes", "Does it swim?"];
    for request in
        ["You ask me twenty questions.", "Stell mir Fragen.", "考我一下。", "クイズを出してください。"]
    {
        assert_eq!(asks(request, &dialogue), ["pass"; 3], "{request}");
    }
    assert_eq!(asks("Draw an animal.", &dialogue)[1], FIRST);
}

// Denials, and what was seen.

#[test]
fn t1_who_has_no_feelings_denies_no_tool() {
    for (said, denial) in [
        ("As an AI, I don't have feelings.", "As an AI, I don't have a shell to run that."),
        ("I don't have access to your feelings.", "I don't have access to your files."),
        ("Als KI habe ich keine Meinung.", "Als KI kann ich keine Dateien auf deinem Rechner ändern."),
        ("Como modelo de lenguaje, no tengo emociones.", "No tengo acceso a tus archivos."),
        ("作为语言模型，我没有个人喜好。", "作为语言模型，我没有工具。"),
        ("言語モデルなので、感情はありません。", "言語モデルなので、ファイルは編集できません。"),
    ] {
        for request in ["Rename the title, please.", "What do you think of the title?"] {
            check(request, &[], said, "pass");
            check(request, &[], denial, FIRST);
        }
    }
    // Of what is not known to be in reach, only the request tells.
    check("When is your birthday?", &[], "As a language model I do not have one.", "pass");
    check("Put it into my calendar.", &[], "I can't access your calendar.", FIRST);
}

#[test]
fn t1_a_file_that_a_result_named_may_be_spoken_of() {
    for said in
        ["I've located it: src/net.rs.", "The timeout is now in net.rs.", "已经找到了，在 net.rs 里。"]
    {
        let finds = calls("read", r#"{"query":"timeout"}"#);
        check("Look for the timeout.", &[finds.clone().answers("src/net.rs:3: timeout")], said, "pass");
        check("Look for the timeout.", &[finds], said, FIRST);
    }
    let found = calls("read", r#"{"query":"a"}"#).answers("summary.md notes.md");
    check("Write summary.md for me.", &[found], "All set, summary.md is complete.", FIRST);
}

// Claims.

#[test]
fn t1_a_claim_of_a_change_after_nothing_but_looks_is_a_mistake() {
    for claim in [
        "I fixed the error in src/a.py.",
        "I've removed all unused imports.",
        "Ich habe das Zeitlimit in src/a.py ergänzt.",
        "He corregido el puerto en src/a.py.",
        "我已经修复了 src/a.py 里的错误。",
        "src/a.py の不具合を修正しました。",
    ] {
        let looks = calls("read", r#"{"path":"src/a.py"}"#);
        check("Mend src/a.py.", std::slice::from_ref(&looks), claim, FIRST);
        check("Mend src/a.py.", &[looks.clone(), writes("src/a.py")], claim, "pass");
        check("Mend src/a.py.", &[calls("bash", "{}"), looks.clone()], claim, "pass");
        // What was changed for an earlier request is still so.
        let mut run = Loop::new(NoTools::default());
        run.pass(&writes("src/a.py"), 1);
        run.user("Sum up for the team what was done.");
        run.pass(&looks, 1);
        run.pass(&says(claim), 1);
    }
    for honest in [
        "I have reviewed src/a.py; all is ready.",
        "I have written a short summary: all is well.",
        "I have not changed src/a.py.",
        "I see that Ann added a check.",
        "src/a.py を確認しました。",
    ] {
        check("Look at src/a.py.", &[calls("read", r#"{"path":"src/a.py"}"#)], honest, "pass");
    }
}

#[test]
fn t1_a_failure_without_a_status_is_one() {
    let edit = calls("write_file", r#"{"path":"server.yaml"}"#);
    for (answer, expected) in [
        ("Error: the text to replace was not found", FIRST),
        ("Fehler: Datei ist schreibgeschützt", FIRST),
        (r#"{"error": "not found"}"#, FIRST),
        (r#"{"order": 17, "status": "cancelled"}"#, "pass"),
        ("saved", "pass"),
    ] {
        check(
            "Change the port.",
            &[edit.clone().answers_something(answer)],
            "The port is updated.",
            expected,
        );
    }
}

// Permission that the request gave.

/// What the user allowed in the request itself is not asked for first. A question that a yes does not answer may be
/// needed, and "never without asking" allows nothing.
#[test]
fn t1_permission_that_the_request_gave_is_not_asked_for() {
    for (request, question) in [
        ("Delete the old logs in /var/tmp/app, and don't ask.", "Shall I delete them now?"),
        ("Restart the worker without asking me.", "Do you want me to restart it?"),
        ("Lösch die alten Protokolle, ohne mich zu fragen.", "Soll ich sie jetzt löschen?"),
        ("Borra los registros viejos, no me preguntes.", "¿Quieres que los borre ahora?"),
        ("把旧日志删掉，不用问我。", "需要我现在删除吗？"),
        ("古いログを確認なしで消してください。", "今すぐ消してもよろしいですか？"),
        ("Удали старые логи, не спрашивай.", "Удалить их сейчас?"),
    ] {
        check(request, &[], question, FIRST);
        check(request, &[reads()], question, "pass");
    }
    for (request, question) in [
        ("Never delete anything without asking. Clean up the logs.", "Shall I delete them now?"),
        ("Lösch nichts, ohne mich zu fragen. Räum die Protokolle auf.", "Soll ich sie jetzt löschen?"),
        ("Delete the old logs, and don't ask.", "Which of the two folders do you mean?"),
        ("Clean up the logs.", "Shall I delete them now?"),
    ] {
        check(request, &[], question, "pass");
    }
}

/// A user who answers with what they said before gives nothing new: the same question after it is one too many.
#[test]
fn t1_what_the_user_has_said_is_not_asked_for_again() {
    let mut run = Loop::new(NoTools::default());
    run.user("Book a table for 4 people at Nino's, Friday 19:00.");
    let [day, people] = ["For which day would you like the table?", "For how many people, and when?"];
    run.check(&says(day), "pass");
    run.user("Friday.");
    run.check(&says(people), "pass");
    run.user("As said: 4 people, Friday, 19:00.");
    run.check(&says(day), FIRST);
    // Each time with something new, it is an interview.
    let mut run = Loop::new(NoTools::default());
    run.user("Fill in the form with me.");
    for (question, answer) in [
        ("What is the name?", "Maria Silva."),
        ("What is the town?", "Porto, as for the others."),
        ("What is the name?", "Joana Reis."),
        ("What is the town?", "Braga."),
    ] {
        run.check(&says(question), "pass");
        run.user(answer);
    }
}

#[test]
fn t1_an_interview_in_greek_is_one() {
    let mut run = Loop::new(NoTools::default());
    run.user("Ολοκλήρωσε το `python manage.py migrate`. Πριν αρχίσεις ρώτα με ό,τι χρειάζεσαι.");
    for (question, answer) in [
        ("Για ποιον είναι αυτό;", "Για τη νυχτερινή βάρδια."),
        ("Πρέπει κάτι να μείνει όπως είναι;", "Τα ονόματα, αυτά μένουν."),
        ("Υπάρχει προθεσμία;", "Ως την Παρασκευή."),
    ] {
        run.check(&says(question), "pass");
        run.user(answer);
    }
}

#[test]
fn t3_who_asks_to_be_walked_through_it_gets_words() {
    for request in [
        "`make test` fails, get it to pass. First walk me through it, in some messages, without running anything.",
        "`make` schlägt fehl. Führ mich durch den Ablauf, ohne etwas auszuführen.",
    ] {
        let mut run = Loop::new(NoTools::default());
        run.user(request);
        for (said, then) in [
            ("It starts with the input: what comes in is checked.", "Ok, and then?"),
            ("After that comes the part that does the work.", "Makes sense. Go on."),
            ("At the end the result is written in one go.", "Go on."),
        ] {
            run.check(&says(said), "pass");
            run.user(then);
        }
    }
}

/// The user goes through an explanation part by part, so its words are no steps of the model.
#[test]
fn t3_who_wants_no_tools_used_is_told_what_comes_next() {
    let check = |request: &str, nudge: &str, said: [&str; 2], expected: &str| {
        let mut run = Loop::new(NoTools::default());
        run.user(request);
        run.pass(&says(said[0]), 1);
        run.user(nudge);
        run.check(&says(said[1]), expected);
    };
    let japanese = ["最初に依頼があります。誰かが何かを求めます。", "次に規則に照らして確認します。"];
    let english = ["First there is a request.", "Next I'll check it against the rules."];
    let korean = ["먼저 요청이 있습니다.", "다음으로 규칙을 확인하겠습니다."];
    for (request, nudge, said) in [
        (
            "失敗する理由を調べて直してください。その前に、ツールを使わずここで説明してください。",
            "それから？",
            japanese,
        ),
        (
            "Find out why it fails and mend it. Before that, explain it here without using tools.",
            "And then?",
            english,
        ),
        ("왜 실패하는지 고쳐 주세요. 그 전에 도구 없이 여기서 설명해 주세요.", "그다음은?", korean),
    ] {
        check(request, nudge, said, "pass");
    }
    // Told to go on, and asked for work alone, the model is to begin.
    let request = "Find out why it fails and mend it. Before that, explain it here without using tools.";
    check(request, "Go on.", english, FIRST);
    check("Find out why it fails and mend it.", "And then?", english, FIRST);
}

#[test]
fn t1_an_interview_in_hebrew_is_one() {
    let mut run = Loop::new(NoTools::default());
    run.user("בדוק למה הבנייה נכשלת ותקן. לפני כן שאל אותי מה שצריך לדעת, שאלה אחת בכל פעם.");
    for (question, answer) in [
        ("מי יקרא את התוצאה?", "ההנהלה."),
        ("יש משהו שאסור לגעת בו?", "אל תיגע בארכיון."),
        ("עד מתי זה נחוץ?", "עד יום שישי."),
    ] {
        run.check(&says(question), "pass");
        run.user(answer);
    }
}
