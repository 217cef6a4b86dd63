//! Words of requests, claims and denials in English, German, Spanish, Chinese and Japanese; some in other languages.
//!
//! They only add to what the transcript shows: a claim counts where no call did what it says, a denial where no call
//! failed, and words of a request excuse a text. All are in small letters.

use std::borrow::Cow;
use std::sync::LazyLock;

use balk_contract::words::{Found, Lists, folded};

/// The lists of this file, in the order of [`WORDS`].
#[derive(Clone, Copy, Debug)]
pub(super) enum List {
    Plans,
    Explains,
    Wonders,
    Pleas,
    Done,
    Soon,
    Negations,
    Nots,
    Complaints,
    Affirms,
    Conditions,
    Volunteers,
    Denials,
    Access,
    Unable,
    Abilities,
    Identity,
    Objects,
    Inner,
    Intents,
    Rewords,
    Quizzes,
    Opens,
    Did,
    Changed,
    Made,
    Stated,
    Trusts,
    Unasked,
    Unrun,
}

/// A word that begins with an ASCII letter begins a word of the text; one that ends with a blank is a whole one.
static WORDS: LazyLock<Lists> = LazyLock::new(|| {
    Lists::beginning_words(&[
        PLANS, EXPLAINS, WONDERS, PLEAS, DONE, SOON, NEGATIONS, NOTS, COMPLAINTS, AFFIRMS, CONDITIONS,
        VOLUNTEERS, DENIALS, ACCESS, UNABLE, ABILITIES, IDENTITY, OBJECTS, INNER, INTENTS, REWORDS, QUIZZES,
        OPENS, DID, CHANGED, MADE, STATED, TRUSTS, UNASKED, UNRUN,
    ])
});

/// Which lists have a word in a text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Words(Found);

impl Words {
    /// Of a [plain](plain) text.
    pub(super) fn of(text: &str) -> Self {
        Self(WORDS.find(text))
    }

    pub(super) fn has(self, list: List) -> bool {
        self.0.has(list as usize)
    }
}

/// Whether a text in any case has a word of the list.
pub(super) fn has_any(text: &str, list: List) -> bool {
    Words::of(&folded(text)).has(list)
}

/// The text as the lists read it, with straight apostrophes.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    let text = folded(text);
    if text.contains('’') { text.replace('’', "'").into() } else { text }
}

/// The user asks for a plan or a list.
#[rustfmt::skip]
const PLANS: &[&str] = &[
    "plan", "outline", "steps", "roadmap", "checklist", "list", "propos", "brainstorm", "ideas", //
    "schritte", "gliederung", "entwurf", "vorschlag", "vorschläge", "liste", "ideen", "ablauf", //
    "pasos", "esquema", "propuesta", "propón", "lista", "ideas", //
    "计划", "方案", "步骤", "大纲", "列表", "清单", "建议", //
    "計画", "手順", "概要", "一覧", "リスト", "提案", "案を",
];
/// The user asks to be told something.
#[rustfmt::skip]
const EXPLAINS: &[&str] = &[
    "explain", "describe", "tell me", "what is", "what are", "what does", "what do", "how do", "how does",
    "how would", "how can", "how should", "how to", "difference", "compare", "opinion", "recommend", "advice",
    "without changing", "don't change", "do not change", "don't touch", "do not touch", "don't write",
    "do not write", "in words", "fyi", "note that", "walk me through", "talk me through", "take me through",
    "guide me through", //
    "erklär", "beschreib", "sag mir", "was ist", "was macht", "wie kann", "wie würde", "wie funktioniert",
    "unterschied", "vergleich", "empfiehl", "empfehl", "ohne zu ändern", "zur info", "führ mich durch",
    "geh mit mir durch", //
    "explica", "describe", "dime", "qué es", "qué hace", "cómo", "diferencia", "compara", "recomienda",
    "sin cambiar", "no cambies", "no toques", "para tu información", "guíame por", //
    "解释", "说明", "描述", "介绍", "告诉我", "是什么", "怎么", "如何", "区别", "比较", "推荐", "不要修改", "别改", //
    "讲讲", "讲解", //
    "説明", "教えて", "とは", "どうやって", "違い", "比較", "おすすめ", "変更しないで", "変更せず", //
    "explique", "décris", "comment", "spiega", "come ", "설명", "알려", "어떻게", //
    "explic", "descri", "leg uit", "uitleg", "beschrijf", "förklara", "beskriv", "berätta", "forklar", "fortæl",
    "selitä", "kuvaile", "wyjaśnij", "wytłumacz", "opisz", "vysvětli", "popiš", "magyarázd", "объясни", "опиши",
    "расскажи", "поясни", "розкажи", "εξήγησε", "περίγραψε", "anlat", "açıkla", "اشرح", "وضح", "הסבר", "समझा",
    "giải thích", "mô tả", "jelaskan", "terangkan", "อธิบาย",
];
/// Words of those who want the same said in another way.
#[rustfmt::skip]
const REWORDS: &[&str] = &[
    "another version", "other words", "different words", "rephrase", "reword", "paraphrase", //
    "andere version", "anderen worten", "umformulier", "anders formulier", "otra versión", "otras palabras", //
    "换个说法", "换一种说法", "换种说法", "另一个版本", "别的说法", //
    "別の言い方", "別の言葉", "別のバージョン", "言い換え", //
    "autre version", "autres mots", "reformul", "altra versione", "altre parole", "riformul", "outra versão",
    "outras palavras", "andere versie", "andere woorden", "inną wersję", "inna wersja", "innymi słowami", "jinou verzi",
    "jinými slovy", "другую версию", "другой вариант", "другими словами", "перефразируй", "іншу версію",
    "інший варіант", "іншими словами", "annan version", "andra ord", "anden version", "annen versjon", "andre ord",
    "toinen versio", "toisin sanoin", "başka bir versiyon", "başka kelimelerle", "farklı kelimelerle", "نسخة أخرى",
    "صيغة أخرى", "بكلمات أخرى", "दूसरे शब्दों", "다른 버전", "다른 말로", "phiên bản khác", "versi lain", "kata lain",
];
/// Words of those who want no tool called: what they ask for are words, and an announcement is part of them.
#[rustfmt::skip]
const UNRUN: &[&str] = &[
    "without running anything", "run nothing", "don't run anything", "do not run anything", "without tools",
    "without using tools", "without using any tool", "without any tool", "don't use tools", "don't use any tool",
    "do not use tools", "do not use any tool", //
    "ohne etwas auszuführen", "führe nichts aus", "führ nichts aus", "ohne werkzeuge", "ohne tools", //
    "sin ejecutar nada", "sin herramientas", "sin usar herramientas", "sin usar ninguna herramienta", //
    "sans rien exécuter", "n'exécute rien", "sans outil", "sans utiliser d'outil", //
    "senza eseguire nulla", "senza eseguire niente", "senza strumenti", "senza usare strumenti", //
    "sem executar nada", "sem ferramentas", "sem usar ferramentas", //
    "什么都不要运行", "先什么都别运行", "不用工具", "不使用工具", "不要使用工具", "别用工具", "不要用工具", //
    "何も実行しないで", "何も実行せず", "ツールを使わ", "ツールなしで", "ツール無しで", //
    "도구 없이", "도구를 쓰지", "도구를 사용하지", "아무것도 실행하지", //
    "zonder tools", "zonder iets uit te voeren", "bez narzędzi", "bez użycia narzędzi", "bez nástrojů", "utan verktyg",
    "uden værktøj", "uten verktøy", "ilman työkaluja", "eszközök nélkül", "fără instrumente", "fără unelte",
    "fără a rula nimic", "без инструментов", "не используя инструмент", "ничего не запуска", "без інструментів",
    "нічого не запуска", "araç kullanmadan", "araçsız", "hiçbir şey çalıştırmadan", "χωρίς εργαλεία", "بدون أدوات",
    "دون استخدام أدوات", "בלי כלים", "ללא כלים", "בלי להשתמש בכלים", "בלי להריץ", "बिना टूल", "बिना कुछ चलाए",
    "টুল ছাড়া", "টুল ব্যবহার না", "không dùng công cụ", "không chạy gì", "tanpa alat", "tanpa menjalankan",
    "โดยไม่ใช้เครื่องมือ", "bila zana", "bila kutumia zana",
];
/// Words of a question that asks for an answer and not for work ("Can you add it?" asks for work).
#[rustfmt::skip]
const WONDERS: &[&str] = &[
    "what", "which", "why", "how ", "where", "when", "who", "whose", "is ", "are ", "does ", "did ", "has ",
    "have you", "should ", //
    "was ", "welche", "warum", "wie ", "wo ", "wann", "wer ", "ist ", "sind ", "hat ", "hast ", "soll", //
    "qué", "cuál", "por qué", "cómo", "dónde", "cuándo", "quién", "está ", "están ", "hay ", //
    "什么", "哪", "为什么", "怎么", "如何", "谁", "多少", "是否", "了吗", //
    "何", "どの", "どこ", "どれ", "なぜ", "いつ", "誰", "どう", "ですか", "ましたか", //
    "quoi", "quel", "où ", "quand", "che cosa", "quale", "dove", "무엇", "어떤", "어디", "언제", "누가",
];
/// The user asks for work in the form of a question.
#[rustfmt::skip]
const PLEAS: &[&str] = &[
    "can you", "could you", "would you", "will you", "may i ask you", //
    "kannst du", "könntest du", "können sie", "könnten sie", "würdest du", //
    "puedes", "podrías", "puede usted", "podría", //
    "能不能", "能否", "可以帮", "能帮", "能加", "能把", "可以把", //
    "できますか", "もらえますか", "いただけますか", "くれますか", "ませんか",
];
/// The model says that something is done.
#[rustfmt::skip]
const DONE: &[&str] = &[
    "done", "finished", "completed", "is complete", "are complete", "is ready", "are ready", "i've ", "i have ",
    "has been ", "have been ", "successful", "all set", "taken care", "is now", "are now", "now has",
    "now have", "now contain", "now hold", "in place", "wrote ", "created", "updated", "implemented", "fixed",
    "added", "saved", //
    "fertig", "erledigt", "abgeschlossen", "ich habe ", "wurde ", "wurden ", "erfolgreich", "ist nun",
    "ist jetzt", "steht jetzt", "steht nun", "enthält jetzt", "enthält nun", "angelegt", "geschrieben",
    "erstellt", "behoben", "gespeichert", //
    "listo", "hecho", "terminad", "completad", "he ", "ha sido", "han sido", "con éxito", "ya está",
    "ya contiene", "ya tiene", "correctamente", "quedó", "ha quedado", "cread", "escrit", "actualizad",
    "guardad", "corregid", //
    "完成", "已经", "已", "好了", "成功", "搞定", "写好", //
    "完了", "終わりました", "終わり、", "できました", "しました", "仕上げ", "済み", "書き込みました", "作りました",
];
/// The model says what comes next. Near a file that no call has touched, this is an announcement, however it ends.
#[rustfmt::skip]
const SOON: &[&str] = &[
    "next", "now ", "going to", "i will ", "i'll ", "will be", "let me", "start", "begin", "on it", "moving on",
    "up next", "working on", "right away", //
    "nächstes", "jetzt", "nun ", "gleich", "werde", "ich mache", "kümmere", "an der reihe", "beginne", "starte", //
    "ahora", "siguiente", "a continuación", "voy a", "vamos", "sigo ", "seguir", "empiezo", "enseguida", //
    "接下来", "现在", "马上", "开始", "我会", "我来", "将", "这就", "下一步", //
    "次", "これから", "今から", "始め", "進め", "取りかか", "取り掛か", "続け",
];
/// Negations: a text with one may say plainly that something was not done.
#[rustfmt::skip]
const NEGATIONS: &[&str] = &[
    "not ", "'t ", "no ", "none", "never", "nothing", "unable", "fail", "error", "without", "instead",
    "unchanged", "untouched", "missing", "rolled back", "revert", "reject", "refuse", //
    "nicht", "kein", "nie ", "nichts", "ohne", "fehl", "unverändert", "zurückge", "abgelehnt", //
    "sin ", "nunca", "nada", "ningun", "ningún", "fall", "falta", "revert", "rechaz", //
    "没", "不", "无法", "未", "失败", "错误", "回滚", "拒绝", //
    "ません", "ない", "なかった", "失敗", "エラー", "未", "取り消", "拒否", "戻され", //
    "pas ", "rien", "non ", "못", "않", "없",
];
/// Those that only negate: what failed or is missing may be what was mended.
#[rustfmt::skip]
const NOTS: &[&str] = &[
    "not ", "'t ", "no ", "none", "never", "nothing", "nicht", "kein", "nie ", "nunca", "nada", "ningun", "ningún",
    "pas ", "rien", "non ", "没", "不能", "不会", "并未", "未能", "还未", "尚未", "ません", "ない", "なかった",
];
/// The user says that something is not there.
#[rustfmt::skip]
const COMPLAINTS: &[&str] = &[
    "not ", "'t ", "nothing", "no ", "really do", //
    "nicht", "kein", "wirklich", //
    "no ", "nada", "de verdad", //
    "没", "不", "真的", //
    "ません", "ない", "本当に", //
    "pas ", "rien", "non ", "niente", "vraiment", "davvero", "없", "않", "정말", //
    "still", "immer noch", "stimmt n", "todavía", "aún", "sigue igual", "encore", "toujours", "ancora", //
    "não ", "ainda", " не ", "не так", "ничего", "неправда", "нет", "ещё", "по-прежнему", //
    "还是", "仍", "まだ", "まま", "違", "아직", "여전", "그대로",
];
/// The user says yes.
#[rustfmt::skip]
const AFFIRMS: &[&str] = &[
    "yes", "go ahead", "go on", "proceed", "continue", "sure", "ok", "do it", "please do", "of course",
    "approved", //
    "ja", "klar", "mach", "weiter", "genau", "natürlich", "einverstanden", //
    "sí", "adelante", "claro", "continúa", "sigue", "dale", "hazlo", "de acuerdo", //
    "可以", "好的", "好，", "是的", "继续", "去做", "没问题", "同意", //
    "はい", "お願いします", "続けて", "進めて", "どうぞ", "ええ", "大丈夫", //
    "oui", "vas-y", "sì", "vai", "certo", "네", "예", "да",
];
/// The user does not want to be asked.
#[rustfmt::skip]
const TRUSTS: &[&str] = &[
    "don't ask", "do not ask", "no need to ask", "no need to confirm", "don't wait for me", "don't wait for my",
    "without further question", //
    "frag nicht", "frage nicht", "fragen sie nicht", "nicht nachfragen", "ohne rückfrage", "ohne nachfrage", //
    "no preguntes", "no me preguntes", "no pregunte", "no hace falta que preguntes", "sin más preguntas", //
    "ne demande pas", "ne me demande", "non chiedere", "non chiedermi", "não pergunte", "não me pergunte", //
    "vraag niet", "nie pytaj", "не спрашивай", "не задавай вопрос", "не питай", "sormana gerek yok", //
    "不要问", "不用问", "别问", "无需确认", "不用确认", "不必确认", "確認なしで", "確認は不要", "聞かずに",
    "聞かないで", "묻지 말고", "묻지 마", "확인 없이", "मत पूछो", "मत पूछना", "đừng hỏi", "jangan tanya",
];
/// The user does not want to be asked, unless the same sentence forbids something: "Never do it without asking."
#[rustfmt::skip]
const UNASKED: &[&str] = &[
    "without asking", "without confirmation", "ohne zu fragen", "ohne nachzufragen", "ohne mich zu fragen",
    "sin preguntar", "sin consultar", "sans demander", "sans me demander", "senza chieder", "sem perguntar",
    "zonder te vragen", "bez pytania", "без вопросов", "не спрашивая", "sormadan", "बिना पूछे",
];
/// What the model volunteers in the same sentence is the user's choice: a question without its mark. Alone, this is a
/// closing phrase ("Let me know if you need anything else").
#[rustfmt::skip]
const CONDITIONS: &[&str] = &[
    "if you", //
    "wenn du", "wenn sie", "falls du", "falls sie", //
    "si quieres", "si estás", "si desea", "si está seguro", "si lo ", //
    "如果你", "如果您", "要是你", "要是您", //
    "よろしければ", "よければ", //
    "si tu ", "si vous", "se vuoi", "se lei", "se você", "если вы", "если ты", "원하시면", "원하면",
];
/// The model says what it would do itself.
#[rustfmt::skip]
const VOLUNTEERS: &[&str] = &[
    "i'll ", "i will ", "i can ", "i could ", "i would ", //
    "ich ", //
    "voy a ", "puedo ", "lo haré", "lo hago", //
    "我会", "我就", "我将", "我可以", "我来", //
    "します", "できます", //
    "je ", "j'", "posso ", "procedo", "vado ", "vou ", "я ", "하겠습니다", "할게요",
];
/// The model believes that it has no access, in words of recorded models (`docs/field.md`).
#[rustfmt::skip]
const DENIALS: &[&str] = &[
    "no access to", "unable to access", "cannot access", "can't access", "have no tool", //
    "keinen zugriff", //
    "no tengo acceso", //
    "pas accès", //
    "アクセスでき", //
    "无法访问",
];
/// The model says what it is. That alone denies nothing: who has no feelings may have tools.
#[rustfmt::skip]
const IDENTITY: &[&str] = &[
    "as a language model", "as an ai", "as a large language model", //
    "als sprachmodell", "als ki", //
    "como modelo de lenguaje", "como ia", //
    "modèle de langage", //
    "言語モデル", //
    "语言模型",
];
/// What tools reach, beside what [`ABILITIES`] names. With these, a denial is one whatever the user asked.
#[rustfmt::skip]
const OBJECTS: &[&str] = &[
    "file", "folder", "director", "repo", "code", "disk", "machine", "computer", "workspace", "environment", "tool",
    "terminal", "shell", "command", "server", "internet", "the web", "text-based", "only write text",
    "only generate text", //
    "datei", "ordner", "verzeichnis", "rechner", "werkzeug", "internet", "projekt", "nur text", //
    "archivo", "carpeta", "fichero", "herramient", "equipo", "sistema", "proyecto", "solo texto", //
    "fichier", "dossier", "outil", "votre projet", //
    "文件", "目录", "代码", "系统", "工具", "网络", "命令", "电脑", "生成文本", //
    "ファイル", "フォルダ", "ディレクトリ", "システム", "ツール", "コマンド",
];
/// What no tool reaches: what someone feels, thinks or is.
#[rustfmt::skip]
const INNER: &[&str] = &[
    "feel", "emotion", "opinion", "personal", "conscious", "belief", "preference", "taste", "experience", "thoughts",
    "mind", "dream", "soul", "birthday", "favorite", "favourite", //
    "gefühl", "emotion", "meinung", "bewusst", "persönlich", "vorlieb", "erfahrung", "gedanken", "geburtstag", //
    "emocion", "sentimiento", "opini", "conciencia", "preferencia", "pensamiento", "sueño", //
    "sentiment", "émotion", "conscience", //
    "感情", "情感", "感受", "感觉", "意识", "个人", "喜好", "观点", "看法", "情绪", //
    "意見", "意識", "気持ち", "個人", "好み",
];
/// What the user asks of the model's own doing, to come: an announcement is the answer.
#[rustfmt::skip]
const INTENTS: &[&str] = &[
    "will you", "would you", "are you going", "you will", "you would", "you'd ", "you'll ", "you plan", "you intend",
    "you want to", "do you start", "do you begin", "you going to", "your plan", "your next step", "your first step",
    "your approach", //
    "wirst du", "würdest du", "willst du", "hast du vor", "machst du", "gehst du", "fängst du", "beginnst du",
    "du vorgehen", "du machen", "du tun", "du ändern", "du vorhast", "werden sie", "würden sie", "dein plan",
    "nächster schritt", //
    "vas a ", "harás", "harías", "piensas", "planeas", "empezarás", "empezarías", "empiezas", "cambiarías",
    "va a hacer",
    "tu plan", //
    "vas-tu", "allez-vous", "ferais-tu", "feriez-vous", "comptes-tu", //
    "你打算", "您打算", "你会", "您会", "你准备", "您准备", "你要", "您要", "你想", "你将", "你先", //
    "しますか", "しましょうか", "始めますか", "進めますか", "予定ですか", "つもりですか",
];
/// The user asks to be asked.
#[rustfmt::skip]
const QUIZZES: &[&str] = &[
    "quiz", "interview", "trivia", "riddle", "ask me question", "ask me some", "ask me one", "questions about",
    "twenty questions", "20 questions", "you ask me", "test my knowledge", "guessing game", "ask me what",
    "ask me anything", "ask me everything", "ask me all", //
    "frag mich", "stell mir", "stelle mir", "rätsel", "fragen zu", "errate", //
    "pregúntame", "hazme pregunta", "entrevist", "adivin", //
    "pose-moi", "posez-moi", "interroge", "devinette", "entretien", //
    "fammi domande", "intervist", "indovin", "me faça", "adivinh", //
    "собеседован", "викторин", "загад", "задавай", //
    "问我", "提问", "面试", "猜", "考我", "测验", "出题", "问答", //
    "クイズ", "質問して", "面接", "出題", //
    "퀴즈", "면접", "질문해", "물어봐", //
    "vraag me", "vraag mij", "zapytaj mnie", "pytaj mnie", "zeptej se mě", "kérdezz", "întreabă-mă", "fråga mig",
    "spørg mig", "spør meg", "kysy minulta", "спроси меня", "спрашивай меня", "запитай мене", "питай мене",
    "ρώτα με", "ρώτησέ με", "bana sor", "اسألني", "मुझसे पूछ", "hỏi tôi", "tanya saya", "tanyakan", //
    "demande-moi", "chiedimi", "pergunte-me", "me pergunte", "pergunta-me", "stel mij", "ptej se mě", "聞いてください",
    "물어보", "שאל אותי", "שאלי אותי", "আমাকে জিজ্ঞ", "আমাকে প্রশ্ন", "niulize", "ถามฉัน", "ถามผม", "ถามดิฉัน",
];
/// Words of a question that a yes does not answer: it asks what, or which of several.
#[rustfmt::skip]
const OPENS: &[&str] = &[
    "what", "which", "who", "whose", "where", "when", "why", "how ", "or ", //
    "was ", "welche", "wer ", "wen ", "wem ", "wessen", "wo ", "woher", "wohin", "wann", "warum", "wie ", "wieviel",
    "womit", "wozu", "wofür", "worauf", "woran", "worüber", "wovon", "wonach", "oder ", //
    "qué", "cuál", "quién", "dónde", "cuándo", "cuánt", "cómo", //
    "quel", "quoi", "qui ", "où ", "quand", "combien", "comment", "pourquoi", "ou ", //
    "quale", "quali", "chi ", "dove", "quando", "quant", "perché", "qual ", "quem", "onde", "cosa ", "in che ",
    "a che ", "di che ", "em que ", "o que ", "que cor", //
    "wat ", "welke", "waar", "wanneer", "hoe ", "hoeveel", //
    "как", "что", "кто", "где", "когда", "почему", "сколько", "или ", //
    "什么", "哪", "谁", "多少", "多大", "多久", "多长", "多高", "多远", "几", "怎么", "为什么", "还是", //
    "何", "どの", "どこ", "どれ", "だれ", "誰", "どなた", "いつ", "なぜ",
    "どう", "どちら", "いくつ", "いくら", "それとも", "は？", //
    "무엇", "뭐", "어떤", "어느", "어디", "언제", "누가", "누구", "왜", "몇", "얼마", "어떻게", //
    "któr", "jaki", "jaka ", "kiedy", "gdzie", "dlaczego", "ile ", "kto ", "czyj", //
    "kter", "jaký", "jaká", "jaké", "kde ", "kdy ", "proč", "kolik", "kdo ", //
    "який", "яка ", "яке ", "які ", "хто ", "коли", "чому", "скільки", "чей ", //
    "hangi", "nerede", "nereye", "ne zaman", "neden", "niçin", "nasıl", "kim ", "kime ", "kaç ", //
    "care ", "când", "unde ", "cine ", "de ce ", "cât", "cum ", //
    "vilken", "vilket", "vilka", "vem ", "när ", "varför", "hur ", "hvilke", "hvad", "hvem", "hvor", "hva ", //
    "mikä", "mitä", "missä", "milloin", "miksi", "kuka", "kuinka", "miten", "mihin", "mistä", "montako", "paljonko", //
    "melyik", "milyen", "hol ", "mikor", "miért", "hány", "hogyan", "kinek", "meddig", "mennyi", //
    "ποιο", "ποια", "τι ", "πού ", "πότε", "γιατί", "πόσ", "πώς", //
    "ماذا", "أين", "متى", "لماذا", "كيف", "ما هو", "ما هي", //
    "איפה", "היכן", "מתי", "למה", "מדוע", "איזה", "איזו", "אילו", "כמה", "כיצד", "מי ", "מה ", //
    "कौन", "कहाँ", "कहां", "कब", "क्यों", "कैसे", "कितन", "किस", //
    "কে ", "কোন", "কোথায়", "কখন", "কেন", "কীভাবে", "কত", "কী ", //
    "gì", "nào", "ở đâu", "tại sao", "bao nhiêu", "bao lâu", "thế nào", //
    "apa yang", "siapa", "kapan", "di mana", "dimana", "mengapa", "kenapa", "berapa", "bagaimana", "yang mana", //
    "nani ", "lini", "wapi", "gani", "kwa nini", "ngapi", //
    "อะไร", "ใคร", "ไหน", "เมื่อไ", "ทำไม", "เท่าไ", "อย่างไร", "ยังไง", "กี่",
];
/// The model says that it did something itself …
#[rustfmt::skip]
const DID: &[&str] = &["i've ", "i have ", "ich habe ", "habe ich ", "j'ai ", "我"];
/// … and changed what was there.
#[rustfmt::skip]
const CHANGED: &[&str] = &[
    "fixed", "updated", "added", "changed", "removed", "replaced", "renamed", "corrected", "deleted", "implemented",
    "refactored", "saved", //
    "behoben", "ergänzt", "geändert", "hinzugefügt", "aktualisiert", "entfernt", "ersetzt", "umbenannt", "korrigiert",
    "repariert", "eingebaut", "gelöscht", "gespeichert", //
    "corrigé", "ajouté", "modifié", "supprimé", "remplacé", //
    "修复了", "修改了", "更新了", "添加了", "删除了", "改好了", "修好了", "加上了",
];
/// The same of what may be in the message itself, unless it is a file.
#[rustfmt::skip]
const MADE: &[&str] = &[
    "written", "created", "geschrieben", "erstellt", "angelegt", "écrit", "créé", //
    "创建了", "写好了", "写了", "作成しました", "書きました", "作りました",
];
/// Both in one.
#[rustfmt::skip]
const STATED: &[&str] = &[
    "i fixed", "i updated", "i added", "i changed", "i removed", "i replaced", "i renamed", "i corrected", "i deleted",
    "i implemented", //
    "he corregido", "he actualizado", "he añadido", "he agregado", "he cambiado", "he eliminado", "he reemplazado",
    "he arreglado", "he modificado", "he guardado", //
    "を修正しました", "を更新しました", "を追加しました", "を変更しました", "を削除しました", "を実装しました",
    "を保存しました", "を直しました",
];
/// With a negation, these deny access.
#[rustfmt::skip]
const ACCESS: &[&str] = &[
    "have access to", "have direct access",
];
/// The model says that it cannot …
#[rustfmt::skip]
const UNABLE: &[&str] = &[
    "can't", "cannot", "can not", "not able to", "unable to", "don't have", "do not have", "no way to",
    "have no ", "lack ", "not possible for me", //
    "kann nicht", "kann ich nicht", "kann hier nicht", "kann von hier", "nicht in der lage", "habe kein",
    "fehlt mir", "fehlen mir", "ist mir nicht möglich", //
    "no puedo", "no tengo", "no me es posible", "no dispongo", "no soy capaz", //
    "无法", "不能", "没有", "没办法", "不具备", //
    "できません", "できない", "ありません", "持っていません", "ないため", "ないので",
];
/// … do what the tools on offer do.
#[rustfmt::skip]
const ABILITIES: &[&str] = &[
    "your files", "your file system", "file system", "filesystem", "your disk", "your machine", "your computer",
    "your system", "your project", "your repository", "run commands", "execute commands", "run code",
    "execute code", "a shell", "the terminal", "edit files", "write files", "read files", "create files",
    "ability to", "any tools", "the tools", "a tool ", "tools here", //
    "deine dateien", "ihre dateien", "dateisystem", "deinen rechner", "ihren rechner", "befehle ausführen",
    "code ausführen", "dateien schreiben", "dateien lesen", "dateien anlegen", "werkzeug", //
    "tus archivos", "sus archivos", "sistema de archivos", "tu equipo", "tu ordenador", "tu máquina",
    "ejecutar comandos", "ejecutar código", "crear archivos", "escribir archivos", "leer archivos",
    "herramienta", //
    "你的文件", "您的文件", "文件系统", "你的电脑", "您的电脑", "执行命令", "运行命令", "执行代码",
    "写入文件", "读取文件", "工具", "的能力", //
    "あなたのファイル", "ファイルシステム", "お使いのコンピュータ", "コマンドを実行", "コードを実行",
    "ファイルを書", "ファイルを読", "ツール", "機能が",
];
