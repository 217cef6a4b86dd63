use super::*;

#[test]
fn a_nudge_gives_nothing_in_any_language() {
    for text in [
        "Proceed.",
        "Yes, please continue.",
        "OK, go on!",
        "I don't see it.",
        "As I said, go on.",
        "Do it the way I'd do it.",
        "Yes. I said that you need no permission for that one.",
        "Oui, continue.",
        "Sí, por favor.",
        "Mach weiter.",
        "네, 계속하세요.",
        "はい、お願いします。",
        "什么都没变，请真的去做。",
        "да, дальше",
    ] {
        assert!(is_nudge(text), "{text}");
    }
}

#[test]
fn a_go_ahead_says_nothing_else() {
    for text in [
        "Proceed.",
        "ok",
        "OK, go on!",
        "Yes, please continue.",
        "Weiter",
        "Mach bitte weiter.",
        "Sí, continúa, por favor.",
        "Oui, vas-y.",
        "да, дальше",
        "继续",
        "好的，请继续。",
        "はい、続けてください。",
        "네, 계속하세요.",
    ] {
        assert!(is_go_ahead(text), "{text}");
    }
    for text in [
        "Fixed it, go on.",
        "It works now.",
        "Try again.",
        "Okayama",
        "Sisi",
        "Ja, es ist installiert.",
        "Hecho, sigue.",
        "好了，装好了。",
        "Continue with step 2.",
        "...",
        "",
    ] {
        assert!(!is_go_ahead(text), "{text}");
    }
}

#[test]
fn a_reply_takes_up_what_the_message_gave() {
    let message = "I prefer to use a gift card instead.";
    assert!(takes_up("To pay with your gift card, I need your consent.", message, "How do you pay?"));
    assert!(!takes_up("Shall I write the second file?", "Yes, go on.", ""));
    assert!(!takes_up("我现在来处理。", "请继续。", ""));
    assert!(!takes_up("Shall I continue now?", "Yes, continue.", "Do you want me to continue?"));
}

#[test]
fn a_word_is_taken_up_in_any_script() {
    for (reply, message) in
        [("Tee, gern.", "Tee"), ("茶来了。", "茶"), ("那就写第二个文件。", "要写的是那第二个文件。")]
    {
        assert!(takes_up(reply, message, ""), "{message}");
        assert!(!takes_up(reply, message, reply), "{message}");
    }
    assert!(!takes_up("Teestunde", "Tee", ""));
    assert!(!takes_up("我继续处理。", "请你继续做下去。", ""));
}

#[test]
fn an_answer_gives_what_a_question_asks_for() {
    for (text, is_open, is_again) in [
        ("Paris", true, false),
        ("rot", true, true),
        ("茶", true, true),
        ("I have no idea.", true, false),
        ("good", true, false),
        ("no", false, true),
        ("七", false, true),
        ("seventeen", false, false),
    ] {
        assert!(is_answer(text, is_open, is_again), "{text}");
    }
    for (text, is_open, is_again) in [
        ("Yes.", true, false),
        ("Sì, procedi.", true, false),
        ("好的", false, false),
        ("tak", false, true),
        ("Just do it.", false, false),
        ("I told you so already.", true, true),
        ("", true, false),
    ] {
        assert!(!is_answer(text, is_open, is_again), "{text}");
    }
}

#[test]
fn whoever_gives_something_asks_something_or_says_goodbye_does_not_nudge() {
    for text in [
        "Yes, but only once.",
        "Sim, mas só uma vez.",
        "Ja, aber ohne den letzten Satz.",
        "はい、でも一度だけ。",
        "My order is 4711.",
        "Use main.rs.",
        "It is in src/lib.",
        "Which one?",
        "Ask Goldbach about it.",
        "I mean PayPal.",
        "No, that's all. Thank you!",
        "Gracias, eso es todo.",
        "谢谢！",
        "First the tests: they are red.",
        "",
        "Please look at the second file first, then go on with what the list says is still open.",
        "先看第二个文件，然后继续做清单上还没有完成的所有事情，最后再告诉我结果如何。",
    ] {
        assert!(!is_nudge(text), "{text}");
    }
}
