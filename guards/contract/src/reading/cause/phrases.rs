//! The phrases, in small letters as far as they are ASCII.

/// The phrases of each [cause](super::Cause), in their order.
pub(super) const PHRASES: [&[&str]; 11] =
    [COMMAND, DENIED, BUSY, LIMIT, NETWORK, TIMEOUT, MISSING, CONFLICT, ARGUMENTS, FORM, CHECK];

#[rustfmt::skip]
const COMMAND: &[&str] = &[
    "command not found", "is not recognized as", "executable file not found",
    "not found, but can be installed", "kommando nicht gefunden", "befehl nicht gefunden",
    "orden no encontrada",
    "commande introuvable", "comando non trovato", "未找到命令", "コマンドが見つかりません",
];

#[rustfmt::skip]
const DENIED: &[&str] = &[
    "no capability", "not supported", "unsupported operation", "not implemented", "permission denied",
    "access denied", "access is denied", "accessdenied", "not permitted", "not allowed", "forbidden", "eacces",
    "eperm", "unknown tool", "not installed",
    "not authorized", "unauthorized", "authentication required", "authentication failed",
    "requires authentication", "noauth", "unable to locate credentials", "active account", "bad credentials",
    "access rights", "read-only file system", "readonly", "not writable", "user denied", "denied to",
    "error: 403", "error: 401", "certificate problem", "permission for",
    "keine berechtigung", "zugriffsberechtigungen", "nicht erlaubt", "permiso denegado", "no permitida",
    "permission non accordée", "non permise", "permesso negato", "non permessa", "permissão recusada",
    "permissão negada", "não permitida", "toegang geweigerd", "niet toegestaan", "brak dostępu", "niedozwolona",
    "Отказано в доступе", "не позволена", "Відмовлено у доступі", "заборонено", "engellendi", "izin verilmedi",
    "許可がありません", "許可されていない", "認証に失敗", "허가 거부", "허용하지 않음", "权限不够", "不允许的操作",
    "访问权限",
];

#[rustfmt::skip]
const BUSY: &[&str] = &[
    "already in use", "already used", "eaddrinuse", "resource busy", "is busy", "ebusy", "is locked",
    "already locked", "could not get lock", "could not obtain lock", "state lock", "deadlock",
    "another git process", "another operation", "another process", "held by process", "loading redis",
    "is loading", "text file busy", "nicht erlangt werden", "ist belegt", "recurso ocupado", "ressource occupé",
    "risorsa occupata", "está ocupado", "is bezig", "zasoby zajęte", "ресурс занято", "ресурс зайнято",
    "meşgul",
    "ビジー", "동작 중", "设备或资源忙", "无法获得锁",
];

#[rustfmt::skip]
const LIMIT: &[&str] = &[
    "no space left", "disk quota", "quota exceeded", "current quota", "quota '", "enospc", "out of memory",
    "cannot allocate memory", "oom command", "memory limit", "heap limit", "token limit", "size limit",
    "too large", "file too big", "argument list too long", "too many", "toomanyrequests", "rate limit",
    "rate exceeded", "throttl", "e429", "recursion depth", "resource temporarily unavailable",
    "maximum execution time", "enough free space", "enough space",
    "speicherplatz", "hauptspeicher", "queda espacio", "asignar memoria", "cuota de disco",
    "aucun espace", "allouer de la mémoire", "spazio esaurito", "allocare memoria", "sem espaço",
    "espaço disponível", "alocar memória", "geen ruimte", "brak miejsca", "limit dyskowy", "свободного места",
    "выделить память", "дисковая квота", "місця на пристрої", "boş yer yok", "bellek ayrılamadı",
    "空き領域がありません", "メモリを確保できません", "남은 공간이 없음", "할당할 수 없습니다", "没有空间",
    "无法分配内存", "超出磁盘限额",
];

#[rustfmt::skip]
const NETWORK: &[&str] = &[
    "econnrefused", "econnreset", "econnaborted", "getaddrinfo enotfound", "code enotfound",
    "'enotfound'", "eai_again", "epipe", "enetunreach",
    "connection refused", "connection reset", "connection aborted", "connection closed",
    "connection was closed",
    "connection unexpectedly", "closed the connection", "err_connection", "err_name_not_resolved",
    "err_internet",
    "could not connect", "couldn't connect", "failed to connect", "could not resolve host", "resolve hostname",
    "unable to resolve host", "name or service not known", "name resolution", "temporary failure resolving",
    "no such host", "socket hang up", "recv failure", "empty reply", "unexpected eof while reading",
    "remote end closed", "server disconnected", "unexpected disconnect", "hung up", "network error",
    "network aborted", "network is unreachable", "unreachable", "no route to host", "broken pipe",
    "bad gateway", "service unavailable", "gateway timeout", "internal server error", "max retries exceeded",
    "unable to load the service index", "could not transfer", "failed to download", "failed to fetch",
    "could not retrieve the list", "error: 500", "error: 502", "error: 503",
    "verbindungsaufbau abgelehnt", "conexión rehusada", "conexión rechazada", "connexion refusée",
    "connessione rifiutata", "conexão recusada", "ligação recusada", "verbinding is geweigerd",
    "połączenie odrzucone", "соединении отказано", "з'єднанні відмовлено", "bağlantı reddedildi",
    "接続を拒否", "一時的に解決できません", "연결이 거부", "拒绝连接", "fallo temporal al resolver",
];

#[rustfmt::skip]
const TIMEOUT: &[&str] = &[
    "timed out", "timeout", "time out", "etimedout", "deadline exceeded", "took more than", "ran for too long",
    "sending signal term", "zeitüberschreitung", "tiempo de espera", "délai d'attente", "время ожидания",
    "タイムアウト", "超时",
];

#[rustfmt::skip]
const MISSING: &[&str] = &[
    "no such file or directory", "datei oder verzeichnis nicht gefunden", "aucun fichier ou dossier",
    "file o directory non esistente", "ficheiro ou pasta inexistente", "arquivo ou diretório inexistente",
    "bestand of map bestaat niet", "そのようなファイルやディレクトリはありません", "no such file", "not found",
    "does not exist", "enoent", "cannot find the",
    "could not be found", "couldn't be found", "could not find", "couldn't find", "cannot find",
    "unable to find",
    "can't find", "no such ", "doesn't exist", "not_found", "nosuch", "unknown command",
    "unable to locate", "cannot access", "did not match any file", "unknown revision", "not a git repository",
    "is not a git command", "failed to match", "does not match anything", "failed to exactly match",
    "no module named",
    "is not in std", "no required module", "cannot load such file", "unresolved import",
    "failed to resolve import",
    "undefined symbol", "unbound variable", "couldn't resolve module", "no rule to make",
    "no targets specified",
    "no configuration files", "does not appear to contain", "does not contain a", "there is no pom",
    "no tests found", "no test files", "no files matching", "no matching package", "missing script",
    "no_script",
    "no package", "no available formula", "unmet dependencies", "could not resolve depend",
    "unable to open database", "could not open input file", "couldn't read", "error: 404",
    "dependency lock file",
    "tell me who you are", "dependency job",
    "nicht gefunden", "existiert nicht", "keine regel", "kein git-repository", "stimmt mit keinen",
    "no existe", "no es un repositorio", "no se ha podido localizar", "aucun fichier", "non esistente",
    "inexistente", "bestaat niet", "nie ma takiego", "Нет такого файла", "Немає такого файла",
    "böyle bir dosya",
    "ありません", "見つかりません", "存在しません", "그런 파일이나", "没有那个文件", "不存在", "未找到", "没有规则",
    "不是 git 仓库", "未匹配任何", "无法定位",
];

#[rustfmt::skip]
const CONFLICT: &[&str] = &[
    "conflict", "already exist", "alreadyexists", "file exists", "eexist", "duplicate key", "not empty",
    "constraint failed", "violates", "[rejected]", "would be overwritten", "patch does not apply",
    "could not apply", "still in use", "more than one occurrence", "expected 1 occurrence",
    "strict mode violation",
    "does not match the generator", "eresolve", "failed to select a version", "not up to date with",
    "out of date",
    "outdated",
    "existiert bereits", "doppelter", "konflikt", "ya existe", "conflicto", "falló el empuje",
    "le fichier existe",
    "già esistente", "o ficheiro existe", "arquivo existe", "bestaat al", "plik istnieje", "Файл существует",
    "вже існує", "dosya var", "ファイルが存在します", "파일이 있습니다", "已存在", "冲突", "重复键",
];

#[rustfmt::skip]
const ARGUMENTS: &[&str] = &[
    "invalid arguments", "invalid params", "invalid option", "illegal option", "unknown option",
    "unknown flag", "unrecognized option", "unrecognized argument", "unexpected argument",
    "arguments are required", "required arguments", "flag provided but not defined", "invalid json",
    "not valid json",
];

#[rustfmt::skip]
const FORM: &[&str] = &[
    "syntax error", "syntaxerror", "parse error", "parsing error", "failed to parse", "cannot parse",
    "unexpected token", "unexpected eof", "unexpected end", "unexpected indent", "unmatched", "unclosed",
    "malformed", "missing separator", "invalid syntax", "invalid expression", "typeerror", "mismatched types",
    "incompatible", "is not assignable", "is not a function", "cannot convert", "cannot implicitly convert",
    "cannot use", "cannot index", "cannot iterate", "cannot read propert", "wrong number of arguments",
    "wrongtype",
    "invalid type", "incorrect attribute", "declared and not used", "is not defined", "undefined name",
    "operand", "required parameter", "required property", "is a directory", "error: expected", "expected;",
    "' expected", "; expected", "conform to the", "compilation error", "missing destination", "did you forget",
    "did not use a tool", "ist ein verzeichnis", "syntaxfehler", "kein gegenstück", "es un directorio",
    "error sintáctico", "是一个目录", "ディレクトリです", "欠いています",
];

#[rustfmt::skip]
const CHECK: &[&str] = &[
    "assertion", "assert", "panicked", "panic:", "expected:", "expect(", "expected <", "--- fail",
    "fail:", "1 failed",
    "failures:", "test failed", "tests failed", "failed asserting", "want ", "issues found", "(info):",
];
