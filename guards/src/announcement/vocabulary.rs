//! Words of announcements in English, Chinese, Spanish, German and Japanese.

/// Words of the speaker, with an action word close after them.
#[rustfmt::skip]
pub(super) const BEFORE_A_DEED: &[&str] = &[
    "i'll ", "i will ", "let me ", "i'm going to ", "i am going to ", "i'm now going to ", "now i ", "next i'll ",
    "while i ", //
    "我来", "我将", "我会", "我先", "让我", "我现在", //
    "voy a ", "déjame ", "permíteme ", "vamos a ", //
    "ich werde ", "lass mich ",
];
/// Words of the speaker, with an action word close before them.
pub(super) const BEHIND_A_DEED: &[&str] = &["就来"];
/// Ends of verbs that the speaker uses for themselves, and for what something does.
pub(super) const ENDINGS: &[&str] = &["します", "ますね", "加上"];
/// Words of time before an action.
#[rustfmt::skip]
pub(super) const SOON: &[&str] = &[
    "one moment", "a moment", //
    "请稍等", "稍等", "这就", "马上", "立即", "接下来", "首先", //
    "ahora ", "un momento", "enseguida ", "primero ", //
    "jetzt ", "einen moment", "gleich ", "sofort ", "als nächstes ", "zuerst ", "als erstes ", //
    "これから", "今から", "まず", "次に", "少々お待ち",
];
/// Words of time behind an action.
pub(super) const SOON_BEHIND: &[&str] =
    &[" now", " right away", " jetzt", " gleich", " sofort", " zuerst", " ahora", " ya"];
/// Who speaks, beside an action word.
pub(super) const SPEAKERS: &[&str] = &["i", "i'm", "am", "ich"];
/// Words that take an action back.
pub(super) const NEGATIONS: &[&str] = &["not", "never", "no", "nicht", "nichts", "nie"];
/// Who is told what they can do.
#[rustfmt::skip]
pub(super) const ADDRESSES: &[&str] = &[
    "you can", "you may", "you should", "you could", "you'll", "you will", "you are", //
    "du ", "kannst", "können sie", //
    "usted", "puede", "podrá", //
    "你", "您", "可以", "即可", "就能", //
    "ください", "できます",
];
/// English action words, matched completely: "changes" and "updates" are things.
pub(super) const DEEDS: &[&str] = &[
    "list",
    "look",
    "check",
    "read",
    "open",
    "search",
    "find",
    "write",
    "create",
    "add",
    "update",
    "edit",
    "run",
    "fetch",
    "publish",
    "send",
    "install",
    "start",
    "inspect",
    "change",
    "fix",
    "generate",
    "build",
    "deploy",
    "book",
    "cancel",
    "put",
    "continue",
    "proceed",
    "handle",
    "work",
    "begin",
    "implement",
    "test",
    "try",
    "listing",
    "looking",
    "checking",
    "reading",
    "opening",
    "searching",
    "writing",
    "creating",
    "adding",
    "updating",
    "running",
    "publishing",
    "sending",
    "installing",
    "starting",
];
/// Stems of Spanish action words.
pub(super) const SPANISH: &[&str] = &[
    "listar",
    "mirar",
    "miro",
    "comprob",
    "comprueb",
    "leer",
    "leo",
    "abrir",
    "abro",
    "busc",
    "escrib",
    "crear",
    "creo",
    "añad",
    "pong",
    "poner",
    "actualiz",
    "ejecut",
    "publi",
    "instal",
    "empiez",
    "revis",
    "seguir",
    "sigo",
    "continu",
    "ocup",
    "implement",
    "prob",
    "pruebo",
];
/// Stems of German action words.
pub(super) const GERMAN: &[&str] = &[
    "auflist",
    "liste",
    "sehe",
    "nachseh",
    "schau",
    "prüf",
    "lese",
    "öffne",
    "such",
    "schreib",
    "erstell",
    "anleg",
    "lege",
    "trage",
    "eintrag",
    "aktualisier",
    "führe",
    "veröffentlich",
    "installier",
    "fange",
    "ändere",
    "kümmer",
    "mache",
    "weiter",
    "behebe",
    "teste",
    "implementier",
    "beginn",
];
/// Action words in scripts without blanks.
pub(super) const SIGN_DEEDS: &[&str] = &[
    "列出",
    "查看",
    "检查",
    "看一下",
    "读取",
    "打开",
    "搜索",
    "查找",
    "写入",
    "创建",
    "添加",
    "加上",
    "更新",
    "修改",
    "运行",
    "发布",
    "安装",
    "生成",
    "看看",
    "加到",
    "加入",
    "处理",
    "继续",
    "修复",
    "测试", //
    "一覧",
    "確認",
    "調べ",
    "読み",
    "開き",
    "検索",
    "書き",
    "作成",
    "追加",
    "更新",
    "実行",
    "公開",
    "インストール",
    "見て",
    "始め",
    "進め",
    "続け",
    "修正",
    "対応",
    "取りかか",
];
/// Phrases that are an announcement by themselves.
pub(super) const BEGINS: &[&str] = &[
    "i'll get started",
    "let me get started",
    "getting started", //
    "我这就开始",
    "现在开始", //
    "empiezo ya",
    "empiezo por",
    "empiezo con",
    "comienzo por",
    "comienzo con",
    "me pongo a ello", //
    "fange ich an",
    "ich beginne",
    "ich starte",
    "ich fange an",
    "lege ich los",
    "ich sehe mir",
    "ich sehe in",
    "ich sehe nach",
    "ich schaue",
    "ich prüfe",
    "ich lese",
    "ich liste",
    "ich trage", //
    "始めます",
    "取りかかります",
    "少々お待ちください",
];
/// Words that turn an announcement into an offer.
pub(super) const CONDITIONS: &[&str] = &[
    "as soon as you",
    "whenever you",
    "tell me",
    "send me",
    "give me",
    "just say",
    "say the word",
    "if you",
    "if needed",
    "if necessary",
    "once ",
    "when you",
    "let me know",
    "please",
    "confirm",
    "after you",
    "should you",
    "unless",
    "would you", //
    "如果",
    "请告诉",
    "告诉我",
    "发给我",
    "只要你",
    "只要您",
    "的话",
    "您确认", //
    "si quiere",
    "si lo desea",
    "si desea",
    "avísame",
    "envíame",
    "mándame",
    "pásame",
    "indíc",
    "si me ",
    "cuando me",
    "cuando usted",
    "dime",
    "si hace falta",
    "si es necesario", //
    "wenn sie",
    "wenn du",
    "falls ",
    "sobald",
    "sag mir",
    "sag einfach",
    "sag bescheid",
    "schick mir",
    "gib mir",
    "nenn mir",
    "nenne mir",
    "sagen sie",
    "schicken sie",
    "geben sie",
    "nennen sie",
    "bei bedarf",
    "falls nötig", //
    "場合",
    "でしたら",
    "必要なら",
    "もし",
    "よければ",
    "教えて",
    "いただけれ",
    "知らせて",
    "送って",
    "次第",
];
/// Words that begin a sentence about what may come, which hangs on the sentence before it.
#[rustfmt::skip]
pub(super) const IFS: &[&str] = &[
    "if ", "in case ", "wenn ", "falls ", "sofern ", "si ", "en caso ", "en cuanto ", //
    "如果", "若", "要是", "假如", "もし",
];
