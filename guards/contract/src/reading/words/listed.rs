//! The words, by their first byte.
//!
//! Other languages than English are here as people wrote them, and as the C library says that a connection failed, or
//! that something is in use: the translations of glibc (`ECONNREFUSED`, `ECONNRESET`, `ETIMEDOUT`, `ENETUNREACH`,
//! `EAGAIN`, `EBUSY`, `EAI_AGAIN`), which every program shows.

use crate::reading::meaning::Meaning::{
    self, Counted, Exit, Failure, Hint, Lasting, Nothing, Part, Passing, Success, Timeout,
};

/// Words that begin with the same byte. Of those that fit, the first counts.
type Words = &'static [(&'static str, Meaning)];

pub(super) const fn words(first: u8) -> Words {
    match first {
        b'a'..=b'e' => from_a(first),
        b'f'..=b'm' => from_f(first),
        b'n'..=b'z' => from_n(first),
        _ => of_other_scripts(first),
    }
}

/// Words from a to e.
#[rustfmt::skip]
const fn from_a(first: u8) -> Words {
    match first {
        b'a' => &[
            ("accesso alla rete", Hint), ("ağ erişilebilir durumda değil", Passing),
            ("antwoordt niet", Passing), ("acquire", Hint), ("another git process", Passing),
            ("another operation", Passing), ("another process", Passing), ("abgelehnt", Failure),
            ("aborted", Failure), ("aborting", Failure), ("access denied", Lasting), ("added", Success),
            ("address already in use", Passing), ("already exists", Lasting), ("already in use", Passing),
            ("already used", Passing), ("applied", Success), ("argument list too long", Lasting),
            ("as expected", Success), ("assertion", Failure),
        ],
        b'b' => &[
            ("bağlantı reddedildi", Passing), ("bağlantı karşı", Passing), ("bağlantıda zaman", Timeout),
            ("belegt", Hint), ("bezig", Hint), ("busy", Hint), ("bad gateway", Passing),
            ("bad permissions", Lasting), ("bad credentials", Lasting), ("broken pipe", Passing),
            ("build success", Success), ("build successful", Success),
        ],
        b'c' => &[
            ("chwilowo", Passing), ("conexión rechazada", Passing), ("conexión reinicializada", Passing),
            ("conexión restablecida", Passing), ("conexão recusada", Passing), ("conexão fechada", Passing),
            ("connessione rifiutata", Passing), ("connessione interrotta", Passing),
            ("connessione scaduta", Timeout), ("connexion refusée", Passing), ("connexion ré", Passing),
            ("connect", Hint), ("connecting", Hint), ("could not get lock", Passing),
            ("could not obtain lock", Passing), ("could not resolve", Passing),
            ("couldn't connect", Passing), ("can't", Failure), ("cancelled", Failure), ("canceled", Failure),
            ("cannot", Failure), ("can not", Lasting), ("code style issues", Failure), ("compiled", Success),
            ("configuring done", Success), ("conflict", Lasting), ("conflicting", Lasting),
            ("conflicts", Lasting), ("conflicto", Lasting), ("connection timed", Passing),
            ("connection unexpectedly", Passing), ("connection", Hint), ("could not", Failure),
            ("couldn't", Failure), ("created", Success),
        ],
        b'd' => &[
            ("délai d'attente", Timeout), ("délai dépassé", Timeout), ("deadline exceeded", Timeout),
            ("deadlock", Passing), ("declared and not", Lasting), ("demasiado", Lasting),
            ("demasiados", Lasting), ("denegado", Lasting), ("denied", Lasting), ("deployed", Success),
            ("did not produce any output", Nothing), ("did not", Failure), ("didn't", Failure),
            ("directory not empty", Lasting), ("disconnected", Passing), ("does not answer", Passing),
            ("does not respond", Passing), ("does not", Lasting), ("doesn't", Lasting), ("done", Success),
            ("doppelter", Lasting), ("duplicate", Lasting),
        ],
        b'e' => &[
            ("errore temporaneo", Passing), ("erneut versuchen", Hint), ("expiration du délai", Timeout),
            ("early eof", Passing), ("element", Part), ("elements", Part), ("elemento", Part),
            ("error", Counted), ("errors", Counted), ("eacces", Lasting), ("eaddrinuse", Passing),
            ("eai_again", Passing), ("econnaborted", Passing), ("econnrefused", Passing),
            ("econnreset", Passing), ("eexist", Lasting), ("empty reply", Passing), ("enoent", Lasting),
            ("enospc", Lasting), ("enotfound", Passing), ("eperm", Lasting), ("epipe", Passing),
            ("err_", Failure), ("esocket", Passing), ("etimedout", Passing), ("exceeded", Failure),
            ("exceeds", Failure), ("exception", Failure), ("exhausted", Failure),
            ("existiert nicht", Lasting), ("exit", Exit), ("exit_code", Exit), ("exitcode", Exit),
            ("exited", Exit), ("exiting", Exit), ("expected", Failure), ("expiró", Passing),
        ],
        _ => &[],
    }
}

/// Words from f to m.
#[rustfmt::skip]
const fn from_f(first: u8) -> Words {
    match first {
        b'f' => &[
            ("falha temporária", Passing), ("falha temporário", Passing), ("fallo temporal", Passing),
            ("fail", Failure), ("failed", Counted), ("failing", Counted), ("fails", Failure),
            ("failure", Counted), ("failures", Counted), ("fallo", Failure), ("falló", Failure),
            ("falta", Lasting), ("fatal", Failure), ("fehler", Failure), ("fehlende", Lasting),
            ("fehlender", Lasting), ("fehlgeschlagen", Failure), ("fehlschlag", Failure),
            ("file exists", Lasting), ("finished", Success), ("forbidden", Lasting), ("found", Success),
        ],
        b'g' => &[
            ("geçici", Hint), ("generating done", Success), ("getbyrole(", Part), ("getbytext(", Part),
            ("getbylabel(", Part), ("getbytestid(", Part),
        ],
        b'h' => &[
            ("hulpbron is tijdelijk", Passing), ("hang up", Passing), ("http error", Failure),
        ],
        b'i' => &[
            ("in gebruik", Hint), ("inténtelo", Hint), ("inténtalo", Hint), ("i/o timeout", Passing),
            ("in progress", Hint), ("illegal", Lasting), ("imported and not used", Lasting),
            ("incompatible", Lasting), ("inconsistent", Lasting), ("incorrect", Lasting),
            ("installed", Success), ("invalid", Lasting), ("inválida", Lasting), ("inválido", Lasting),
            ("is a directory", Lasting), ("is locked", Passing), ("is not", Lasting), ("is wrong", Lasting),
        ],
        b'k' => &[
            ("kann nicht", Failure), ("kein", Lasting), ("keine", Lasting), ("killed", Failure),
            ("konflikt", Lasting), ("konnte nicht", Failure), ("konnten nicht", Failure),
        ],
        b'l' => &[
            ("later opnieuw", Hint), ("ligação recusada", Passing), ("ligação reposta", Passing),
            ("ligação expirada", Timeout), ("loading", Hint), ("lock", Hint), ("lookup", Hint),
            ("locked", Passing), ("locator", Part), ("locator(", Part), ("lost connection", Passing),
        ],
        b'm' => &[
            ("meşgul", Hint), ("max retries", Passing), ("malformed", Lasting), ("mismatch", Lasting),
            ("mismatched", Lasting), ("missing", Lasting), ("must be", Lasting), ("must have", Lasting),
        ],
        _ => &[],
    }
}

/// Words from n to r.
#[rustfmt::skip]
const fn from_n(first: u8) -> Words {
    match first {
        b'n' => &[
            ("netwerk is onbereikbaar", Passing), ("nicht erreichbar", Passing),
            ("non è raggiungibile", Passing), ("name or service", Passing), ("network", Hint),
            ("no such", Lasting), ("not found", Lasting), ("net::err", Passing), ("nicht gefunden", Lasting),
            ("nicht möglich", Lasting), ("no conflict", Nothing), ("no conflicts", Nothing),
            ("no duplicate", Nothing), ("no duplicates", Nothing), ("no files matching", Lasting),
            ("no encontrada", Lasting), ("no encontrado", Lasting), ("no es un", Lasting),
            ("no error", Nothing), ("no errors", Nothing), ("no existe", Lasting), ("no failed", Nothing),
            ("no failures", Nothing), ("no issues", Nothing), ("no problems", Nothing),
            ("no route", Passing), ("no response", Passing), ("no space", Lasting),
            ("no syntax errors", Nothing), ("no se ha podido", Failure), ("no se pudieron", Failure),
            ("no se pudo", Failure), ("no se puede", Failure), ("no rule to", Lasting),
            ("no targets", Lasting), ("not a", Lasting), ("not allowed", Lasting), ("not defined", Lasting),
            ("not empty", Lasting), ("not exist", Lasting), ("not in", Lasting), ("not permitted", Lasting),
            ("not possible", Lasting), ("not recognized", Lasting), ("not responding", Passing),
            ("not running", Failure), ("not supported", Lasting), ("not unique", Lasting),
            ("nothing happens", Failure),
        ],
        b'o' => &[
            ("occupé", Hint), ("occupata", Hint), ("occupato", Hint), ("ocupado", Hint),
            ("onbereikbaar", Passing), ("ok", Success), ("oom", Failure), ("out of memory", Failure),
            ("out of range", Lasting),
        ],
        b'p' => &[
            ("probeer het", Hint), ("połączenie odrzucone", Passing), ("połączenie zerwane", Passing),
            ("przekroczony czas", Timeout), ("panic", Failure), ("panicked", Failure), ("passed", Success),
            ("permission", Lasting), ("permissions", Lasting), ("permiso denegado", Lasting),
        ],
        b'q' => &[("quota", Lasting)],
        b'r' => &[
            ("red es inaccesible", Passing), ("rede está fora", Passing), ("rede inacessível", Passing),
            ("reintente", Hint), ("riprova", Hint), ("réessaye", Hint), ("réessayez", Hint),
            ("réseau n'est pas accessible", Passing), ("remote end closed", Passing), ("retry", Hint),
            ("rate exceeded", Passing), ("rolled back", Failure), ("rate limit", Passing),
            ("read-only file system", Lasting), ("readonly", Lasting), ("recv failure", Passing),
            ("refused", Failure), ("rehusada", Passing), ("rejected", Lasting), ("requires", Lasting),
            ("reset by peer", Passing), ("returncode", Exit), ("return_code", Exit), ("retrying", Nothing),
        ],
        _ => from_s(first),
    }
}

/// Words from s to z.
#[rustfmt::skip]
const fn from_s(first: u8) -> Words {
    match first {
        b's' => &[
            ("sieć jest niedostępna", Passing), ("spróbuj ponownie", Hint), ("spróbuj później", Hint),
            ("selector", Part), ("selektor", Part), ("server closed", Passing),
            ("server disconnected", Passing), ("sperre", Hint), ("saved", Success),
            ("schwerwiegend", Failure), ("segmentation fault", Failure), ("service unavailable", Passing),
            ("socket hang up", Passing), ("still in use", Passing), ("success", Success),
            ("succeeded", Success), ("successfully", Success), ("syntaxfehler", Lasting),
        ],
        b't' => &[
            ("temporärer fehler", Passing), ("tekrar deneyin", Hint), ("temporairement non", Passing),
            ("temporairement indisponible", Passing), ("temporairement", Hint), ("temporaire dans", Passing),
            ("temporalmente", Hint), ("temporaneamente non", Passing), ("temporaneamente", Hint),
            ("temporariamente indisponível", Passing), ("temporariamente", Hint),
            ("tempo esgotado", Timeout), ("tempo scaduto", Timeout), ("tente novamente", Hint),
            ("tente de novo", Hint), ("tiempo de espera", Timeout), ("tijdelijk onbeschikbaar", Passing),
            ("tijdelijk probleem", Passing), ("tijdelijk niet", Passing), ("temporarily", Passing),
            ("temporary", Passing), ("too many clients", Passing), ("timed out retrying", Timeout),
            ("too many requests", Passing), ("transfer", Hint), ("try again", Hint),
            ("terminated abnormally", Failure), ("timed out", Timeout), ("timeout", Timeout),
            ("tls handshake", Passing), ("token limit", Lasting), ("too large", Lasting),
            ("too long", Lasting), ("too many", Failure), ("traceback", Failure), ("temporär", Passing),
            ("throttling", Passing),
        ],
        b'u' => &[
            ("unable to resolve", Passing), ("unexpected disconnect", Passing), ("unexpected eof", Passing),
            ("unable to", Failure), ("unauthorized", Lasting), ("unbound variable", Lasting),
            ("unavailable", Passing), ("unclosed", Lasting), ("undeclared", Lasting), ("undefined", Lasting),
            ("unexpected", Failure), ("ungültig", Lasting), ("ungültige", Lasting), ("unhandled", Failure),
            ("unknown", Lasting), ("unmatched", Lasting), ("unmet", Lasting), ("unreachable", Passing),
            ("unrecognized", Lasting), ("unresolved", Lasting), ("unsatisfiable", Lasting),
            ("unsupported", Lasting), ("unterminated", Lasting), ("up to date", Success),
            ("updated", Success),
        ],
        b'v' => &[
            ("versuchen sie es", Hint), ("verbinding is geweigerd", Passing),
            ("verbinding is weggevallen", Passing), ("verbinding is verbroken", Passing),
            ("verbinding is verlopen", Timeout), ("verbindungsaufbau abgelehnt", Passing),
            ("vom kommunikationspartner zurückgesetzt", Passing), ("vorübergehend", Hint),
            ("verweigert", Lasting), ("visible", Part), ("violates", Lasting), ("violation", Lasting),
        ],
        b'w' => &[
            ("wartezeit für die verbindung", Timeout), ("was not", Failure),
            ("will be tried again", Nothing), ("will retry", Nothing), ("without errors", Nothing),
            ("wrong", Lasting), ("wrote", Success),
        ],
        b'x' => &[("xpath", Part)],
        b'z' => &[
            ("zaman aşımı", Timeout), ("zajęty", Hint), ("zajęte", Hint), ("zeitüberschreitung", Timeout),
            ("zur zeit nicht", Passing), ("zu viele", Lasting),
        ],
        _ => &[],
    }
}

/// Words of Russian, Chinese, Japanese and Korean, by the first byte of their characters.
#[rustfmt::skip]
const fn of_other_scripts(first: u8) -> Words {
    match first {
        0xe3 => &[
            ("ネットワークに届きません", Passing), ("ビジー", Hint), ("しばらく", Hint),
            ("ありません", Lasting), ("できません", Lasting), ("エラー", Failure), ("タイムアウト", Timeout),
            ("失敗", Failure), ("セレクタ", Part), ("はありません", Lasting),
        ],
        0xe4 => &[
            ("一時的", Passing), ("不存在", Lasting), ("不能", Lasting), ("不是", Lasting),
            ("不允许", Lasting),
        ],
        0xe5 => &[
            ("忙碌", Hint), ("再試行", Hint), ("元素", Part), ("出错", Failure), ("冲突", Lasting),
            ("失败", Failure), ("失敗", Failure), ("存在しません", Lasting), ("宣言されていません", Lasting),
            ("已存在", Lasting),
        ],
        0xe6 => &[
            ("暂时不能", Passing), ("暂时", Hint), ("暫時", Hint), ("構文エラー", Lasting),
            ("无法连接", Passing), ("接続が相手", Passing),
            ("接続を拒否", Passing), ("拒绝连接", Passing), ("接続", Hint), ("文件已存在", Lasting),
            ("无效", Lasting), ("无法", Failure), ("未匹配", Lasting), ("未声明", Lasting),
            ("未找到", Lasting), ("未预期", Lasting), ("找不到", Lasting), ("拒否", Lasting),
            ("拒绝", Lasting), ("权限不够", Lasting), ("没有规则", Lasting),
            ("没有那个", Lasting),
        ],
        0xe7 => &[
            ("網路", Hint), ("网络不可达", Passing), ("稍后", Hint), ("缺失", Lasting), ("缺少", Lasting),
        ],
        0xe8 => &[
            ("连接被", Passing), ("设备或资源忙", Passing), ("致命", Failure), ("要素", Part),
            ("見つかりません", Lasting), ("许可", Lasting), ("超时", Timeout), ("违反", Lasting),
        ],
        0xe9 => &[
            ("逾時", Timeout), ("連線被", Passing), ("連線超過", Timeout), ("重试", Hint), ("锁", Hint),
            ("选择器", Part), ("链接", Hint), ("重复键", Lasting), ("错误", Failure), ("错", Failure),
        ],
        0xd0 => &[
            ("временный сбой", Passing), ("Временный сбой", Passing), ("Соединение разорвано", Passing),
            ("Сеть недоступна", Passing), ("Нет маршрута", Passing), ("Время ожидания", Timeout),
            ("временно недоступ", Passing), ("нет маршрута", Passing), ("время ожидания", Timeout),
            ("истекло", Timeout), ("занят", Hint), ("повторите попытку", Hint), ("попробуйте позже", Hint),
        ],
        0xd1 => &[
            ("соединение разорвано", Passing), ("соединении отказано", Passing),
            ("сеть недоступна", Passing),
        ],
        0xeb => &[("네트워크가 접근", Passing), ("다시 시도", Hint), ("동작 중", Hint)],
        0xec => &[
            ("일시적", Hint), ("연결이 거부", Passing), ("연결을 끊", Passing), ("시간 초과", Timeout),
        ],
        _ => &[],
    }
}
