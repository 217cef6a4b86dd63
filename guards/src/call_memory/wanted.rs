//! What a user says about how often they want a call: a number of times, until something is so, "again", or that
//! something is to be waited for.

use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};

use super::numbers::{FIRST_SIGN, is_of_word, is_times, number};
use crate::last_read::LastRead;
use balk_contract::nudge::is_nudge;
use balk_contract::wording::is_longer;
use balk_contract::words::{Found, Lists, folded};

/// How often a request wants something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Wanted {
    /// So many times, in words for that: "10 times", "dreimal", "5回". 0 if it says none.
    pub(super) times: u32,
    /// The largest number that may be meant so: "the last three changes".
    pub(super) number: u32,
    /// Whether it asks to wait for something, or to be told when it happens: "Tell me when the server is back."
    pub(super) awaits: bool,
    /// Whether these are as many as it takes until something is so: then a failure is wanted once.
    until: bool,
    /// The commands in backticks of the sentence that says how often; if there are none, any call may be meant.
    commands: Vec<String>,
}

/// A request in which a number may be how often something is wanted, in characters. A long one has numbers of other
/// things.
const CHARS: usize = 400;
/// How often somebody wants it who says "several times", or until something is so. Assumed: who wants more gives a
/// number.
const SEVERAL_TIMES: u32 = 10;
/// The most times that a user wants something in so many words, and as a mere number.
const TIMES: u32 = 1_000;
const NUMBER: u32 = 20;

impl Wanted {
    pub(super) fn of(request: &str) -> Self {
        if is_longer(request, CHARS) {
            return Self::default();
        }
        let found = words_of(request);
        let mut wanted = Self::counted(request, found);
        let named = |is_meant: fn(&&str) -> bool| {
            sentences(request).filter(is_meant).flat_map(commands).take(COMMANDS).collect()
        };
        if found.has(2) {
            wanted.commands = named(|it| words_of(it).has(2));
            wanted.until = !wanted.commands.is_empty();
        }
        if wanted.until {
            wanted.times = wanted.times.max(SEVERAL_TIMES);
        } else if wanted.times > 0 {
            wanted.commands = named(|it| Self::counted(it, words_of(it)).times > 0);
        }
        wanted
    }

    /// The same, of any call, with the words that were found in it.
    fn counted(request: &str, found: Found) -> Self {
        let text = request.to_lowercase();
        let mut wanted = Self { awaits: found.has(0), ..Self::default() };
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let bare = word.trim_matches(|c| !is_of_word(c));
            let Some((number, unit)) = number(bare) else { continue };
            let next = words.peek().filter(|_| unit.is_empty() && word.ends_with(bare));
            let next =
                next.map(|it| it.trim_end_matches(|c: char| !c.is_alphanumeric())).filter(|it| *it != "x");
            let unit = next.unwrap_or(unit);
            if is_times(unit) && number <= TIMES {
                wanted.times = wanted.times.max(number);
            } else if number <= NUMBER {
                wanted.number = wanted.number.max(number);
            }
        }
        if wanted.times == 0 && found.has(1) {
            wanted.times = SEVERAL_TIMES;
        }
        wanted
    }

    /// The user spoke. A nudge that says nothing of it leaves what was wanted.
    pub(crate) fn hear(&mut self, text: &Arc<str>) {
        thread_local! {
            static LAST: LastRead<1, Wanted> = const { LastRead::new() };
        }
        let wanted = LAST.with(|last| last.of([text], || Self::of(text)));
        if wanted != Self::default() || !is_nudge(text) {
            *self = wanted;
        }
    }

    /// How often what is meant is wanted, in words for that; 0 if they say none.
    pub(crate) fn times(&self, failed: bool) -> u32 {
        if self.until && failed { 0 } else { self.times }
    }

    /// Whether these arguments have the number, which then names something.
    pub(super) fn is_number_in(&self, arguments: &str) -> bool {
        let is_it = |digits: &str| digits.parse() == Ok(self.number);
        self.number > 0 && arguments.split(|c: char| !c.is_ascii_digit()).any(is_it)
    }

    /// Whether a call with these arguments may be meant.
    pub(crate) fn may_mean(&self, arguments: &str) -> bool {
        let is_there = || {
            let plain = without_escapes(arguments);
            self.commands.iter().any(|it| plain.contains(&**it))
        };
        self.commands.is_empty() || is_there()
    }
}

/// Commands that are remembered.
const COMMANDS: usize = 4;

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['\n', '。', '！', '？', '।']).flat_map(|it| it.split_inclusive(". "))
}

/// The commands in backticks: a program and at least one argument.
fn commands(sentence: &str) -> impl Iterator<Item = String> + '_ {
    let is_command = |it: &&str| it.trim().contains(' ');
    sentence.split('`').skip(1).step_by(2).filter(is_command).map(without_escapes)
}

/// In arguments, the quotation marks of a command are escaped.
fn without_escapes(text: &str) -> String {
    text.replace('\\', "")
}

fn words_of(request: &str) -> Found {
    static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::beginning_words(&[AWAITING, SEVERAL, UNTIL]));
    LISTS.find(&folded(request))
}

/// Whether a short message only says "again": what it is about is wanted once more, as often as it comes.
pub(crate) fn says_again(nudge: &str) -> bool {
    let text = nudge.to_lowercase();
    let is_apart = |at: usize, word: &str| {
        let is_letter = |c: char| c.is_alphabetic() && c < FIRST_SIGN;
        let (before, behind) = (&text[..at], &text[at + word.len()..]);
        !word.ends_with(is_letter) || !before.ends_with(is_letter) && !behind.starts_with(is_letter)
    };
    AGAIN.iter().any(|word| text.match_indices(word).any(|(at, _)| is_apart(at, word)))
}

/// Words of those who want the same again. "Go on" is none.
#[rustfmt::skip]
const AGAIN: &[&str] = &[
    "again", "once more", "one more", "retry", "another one", "repeat",
    "noch mal", "nochmal", "nochmals", "noch einmal", "erneut", "wiederhole", "noch eins",
    "otra vez", "de nuevo", "una vez más", "repite", "encore", "à nouveau", "de nouveau", "répète", "réessaie",
    "réessayez", "de novo", "outra vez", "mais uma vez", "repita", "ancora", "di nuovo", "un'altra volta", "riprova",
    "ещё раз", "еще раз", "снова", "опять", "повтори", "もう一度", "もう一回", "再度", "再来", "再试", "再一次",
    "再次", "重试", "다시", "한 번 더", "재시도",
    "nog een keer", "opnieuw", "jeszcze raz", "ponownie", "ещё разок", "ще раз", "знову", "en gång till",
    "en gang til", "uudelleen", "ještě jednou", "znovu", "még egyszer", "încă o dată", "din nou", "tekrar", "bir daha",
    "مرة أخرى", "من جديد", "फिर से", "एक बार और", "lần nữa", "sekali lagi", "ulangi", "อีกครั้ง",
];

/// Words of those who want it more than once, and give no number. "It failed several times" is said by those who have
/// a reason to see it again, too.
#[rustfmt::skip]
const SEVERAL: &[&str] = &[
    "several times", "a few times", "few more times", "couple of times", "multiple times", "over and over",
    "a number of times", "many times", "repeatedly", "again and again",
    "mehrmals", "mehrfach", "mehrere male", "ein paar mal", "ein paarmal", "einige male", "etliche male", "wiederholt",
    "varias veces", "unas cuantas veces", "un par de veces", "repetidas veces", "plusieurs fois", "quelques fois",
    "un certain nombre de fois", "un certo numero di volte", "ripetutamente", "repetidamente", "repetidas vezes",
    "à plusieurs reprises", "più volte", "alcune volte", "un paio di volte", "diverse volte",
    "várias vezes", "algumas vezes", "umas vezes", "een paar keer", "meerdere keren", "enkele keren",
    "een aantal keer", "kilka razy", "kilkakrotnie", "несколько раз", "пару раз",
    "birkaç kez", "birkaç kere", "birkaç defa", "flera gånger", "några gånger", "flere gange", "flere ganger",
    "nogle gange", "noen ganger", "useita kertoja", "muutaman kerran", "několikrát", "párkrát", "többször",
    "néhányszor", "de câteva ori", "de mai multe ori", "кілька разів", "декілька разів", "пару разів", "πολλές φορές",
    "μερικές φορές",
    "عدة مرات", "مرات عدة", "بضع مرات", "कई बार", "बार-बार", "कुछ बार", "vài lần", "nhiều lần", "mấy lần",
    "beberapa kali", "berkali-kali", "หลายครั้ง", "หลายรอบ",
    "几次", "多次", "几遍", "反复", "何回か", "何度か", "数回", "繰り返し", "몇 번", "여러 번", "반복",
];

/// Words for "until". In the sentence of a command, that is to run as often as it takes.
#[rustfmt::skip]
const UNTIL: &[&str] = &[
    "until", "till ", "bis ", "hasta que", "jusqu'à ce", "jusqu'à", "finché", "fino a", "até que", "até ", "totdat",
    "tot ", "aż ", "dopóki", "dokud", "dokiaľ", "пока не", "поки не", "tills", "indtil", "inntil", "kunnes", "amíg",
    "până când", "până ", "kadar", "μέχρι", "حتى", "עד ש", "जब तक", "যতক্ষণ", "cho đến khi", "đến khi", "sampai",
    "hingga", "จนกว่า", "mpaka", "直到", "为止", "まで", "때까지",
];

/// Words of those who want something to be waited for, or to be told when it happens. "Until the tests pass" and "when
/// you are done" are about the model's own work, so they are none.
#[rustfmt::skip]
const AWAITING: &[&str] = &[
    "wait for", "wait until", "wait till", "tell me when", "tell me once", "tell me as soon", "let me know when",
    "let me know once", "let me know as soon", "notify me", "alert me", "ping me when", "inform me when", "watch ",
    "monitor", "keep an eye", "keep checking", "until they", "until someone", "until somebody",
    "bis jemand", "hasta que alguien", "jusqu'à ce que quelqu'un",
    "warte", "sag mir, wenn", "sag mir, sobald", "sag mir bescheid", "sag bescheid", "gib mir bescheid", "gib bescheid",
    "melde dich, wenn", "melde dich, sobald", "beobachte", "überwache", "behalte",
    "espera a que", "espera hasta", "espere a que", "avísame", "avisa cuando", "dime cuando", "dime cuándo",
    "vigila", "monitorea", "monitoriza",
    "attends que", "attendez que", "préviens-moi", "prévenez-moi", "dis-moi quand", "dites-moi quand", "surveille",
    "aguarde", "espere até", "espera até", "avise-me", "me avise", "avisa-me", "me avisa", "diga-me quando",
    "me diga quando", "monitore",
    "aspetta che", "attendi", "avvisami", "dimmi quando", "fammi sapere quando", "monitora",
    "жди", "дождись", "подожди", "сообщи, когда", "сообщи, как только", "скажи, когда", "дай знать", "следи",
    "等待", "等到", "后告诉", "时告诉", "了告诉", "就告诉", "后通知", "监控", "监视", "盯着",
    "待って", "待ち", "たら教え", "たら知らせ", "たら連絡", "次第", "監視", "見張",
    "기다", "면 알려", "때 알려", "지켜봐", "모니터링", "감시",
    "wacht tot", "laat me weten", "laat weten", "houd in de gaten", "poczekaj", "daj znać", "powiedz, kiedy",
    "obserwuj", "зачекай", "дочекайся", "повідом", "дай знати", "скажи, коли", "vänta tills", "säg till", "meddela mig",
    "håll koll", "vent til", "sig til", "si fra", "gi beskjed", "kerro kun", "odota", "počkej", "dej vědět", "várj",
    "szólj", "așteaptă", "anunță-mă", "haber ver", "انتظر", "أخبرني عندما", "أخبرني حين", "راقب", "प्रतीक्षा",
    "इंतज़ार", "इंतजार", "नज़र रख", "đợi", "chờ", "báo cho tôi", "báo tôi", "tunggu", "kabari", "beri tahu", "pantau",
    "รอจน", "แจ้งเมื่อ",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d7_a_request_says_how_often() {
        for (request, times, number) in [
            ("Run it 10 times.", 10, 0),
            ("Roll the dice three times", 3, 0),
            ("Do that 4x, please", 4, 0),
            ("Führe den Test fünfmal aus.", 5, 0),
            ("Starte es sechs Mal.", 6, 0),
            ("Hazlo siete veces", 7, 0),
            ("Lance-le trois fois.", 3, 0),
            ("Нажми пять раз.", 5, 0),
            ("ズームを4回してください。", 4, 0),
            ("请运行三次。", 3, 0),
            ("7번 눌러 주세요", 7, 0),
            ("Run it a few times, it is flaky.", 10, 0),
            ("Run it several times, at least 4 times.", 4, 0),
            ("Starte ihn mehrmals hintereinander.", 10, 0),
            ("Draai het een paar keer achter elkaar.", 10, 0),
            ("Eseguilo più volte di seguito.", 10, 0),
            ("Запусти несколько раз подряд.", 10, 0),
            ("请连续多跑几次。", 10, 0),
            ("何回か実行してください。", 10, 0),
            ("연달아 몇 번 돌려 주세요.", 10, 0),
            ("شغّله عدة مرات متتالية.", 10, 0),
            ("इसे लगातार कई बार चलाओ।", 10, 0),
            ("Chạy vài lần liên tiếp nhé.", 10, 0),
            ("Jalankan beberapa kali berturut-turut.", 10, 0),
            ("Запусти кілька разів поспіль.", 10, 0),
            ("Kör den några gånger i rad.", 10, 0),
            ("Kjør den 4 ganger.", 4, 0),
            ("Uruchom to 6 razy.", 6, 0),
            ("Ta först värdet fem gånger och jämför.", 5, 0),
            ("Kør den syv gange.", 7, 0),
            ("Draai het vijf keer.", 5, 0),
            ("Uruchom to sześć razy.", 6, 0),
            ("Spusť to pětkrát.", 5, 0),
            ("Запусти п'ять разів.", 5, 0),
            ("Aja se neljä kertaa.", 4, 0),
            ("Futtasd hét alkalommal.", 7, 0),
            ("Rulează de trei ori.", 3, 0),
            ("Dört kez çalıştır.", 4, 0),
            ("شغّله خمس مرات.", 5, 0),
            ("इसे पाँच बार चलाओ।", 5, 0),
            ("Chạy năm lần.", 5, 0),
            ("Jalankan lima kali.", 5, 0),
            ("Undo the last four changes.", 0, 4),
            ("往下滚动6格", 0, 6),
            ("Louder by 5.", 0, 5),
            ("Fix issue 4711 in v2.3.", 0, 0),
            ("Open http://x.org:80/3 and a-5, #7, 10%", 0, 0),
            ("三月的报告", 0, 0),
            ("Scroll down.", 0, 0),
            ("Solve f(2, 3, 7) == ('x', 2), 3^x and 5 x.", 0, 7),
        ] {
            let wanted = Wanted { times, number, ..Wanted::default() };
            assert_eq!(Wanted::of(request), wanted, "{request}");
        }
        assert_eq!(Wanted::of(&"Do it 10 times. ".repeat(30)), Wanted::default());
    }

    #[test]
    fn d7_a_command_beside_the_number_is_what_is_meant() {
        let means = |request: &str, arguments| Wanted::of(request).may_mean(arguments);
        let compare = "`make app` must pass. Before that, switch a few times and measure with `curl -s x`.";
        assert!(means(compare, r#"{"command":"curl -s x"}"#));
        assert!(!means(compare, r#"{"command":"make app"}"#));
        let quoted = r#"Run `call get '{"id":"e"}'` a few times."#;
        assert!(means(quoted, r#"{"command":"call get '{\"id\":\"e\"}'"}"#));
        assert!(!means(quoted, r#"{"command":"call get '{\"id\":\"f\"}'"}"#));
        for request in [
            "`make app` must pass. Run the tests a few times.",
            "Run `make` several times.",
            "`curl -s x` is shaky. Run it five times.",
        ] {
            assert!(means(request, r#"{"command":"pytest"}"#), "{request}");
        }
    }

    #[test]
    fn d7_a_request_asks_to_wait_or_to_be_told() {
        for request in [
            "Start the app and tell me when it answers.",
            "Wait for the confirmation mail.",
            "Call them until they pick up.",
            "Sag mir, wenn die Pipeline durch ist.",
            "Avísame cuando termine.",
            "Préviens-moi dès que le serveur répond.",
            "Me avise quando o backup terminar.",
            "Dimmi quando il server torna.",
            "Дождись окончания сборки.",
            "任务完成后告诉我。",
            "ジョブが終わったら教えて。",
            "끝나면 알려 주세요.",
            "Powiedz, kiedy serwer odpowie.",
            "Säg till när bygget är klart.",
            "Дочекайся завершення збірки.",
            "أخبرني عندما ينتهي.",
            "Báo cho tôi khi xong.",
            "Kabari saya kalau sudah selesai.",
        ] {
            assert!(Wanted::of(request).awaits, "{request}");
        }
        for request in [
            "Keep going until the tests pass.",
            "Fix it and tell me what was wrong.",
            "When you are done, commit.",
            "Warum ist der Test rot?",
            "Crea el archivo y dime dónde está.",
            "修好后提交。",
        ] {
            assert!(!Wanted::of(request).awaits, "{request}");
        }
    }

    #[test]
    fn d7_again_is_a_word_of_its_own() {
        for nudge in
            ["Try again.", "Noch mal!", "Otra vez", "Encore", "ещё раз", "もう一度", "再来一次", "다시"]
        {
            assert!(says_again(nudge), "{nudge}");
        }
        for nudge in ["Proceed.", "I don't see it.", "It is against it", "Weiter", "继续"] {
            assert!(!says_again(nudge), "{nudge}");
        }
    }
}
