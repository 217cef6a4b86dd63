//! What may pass, as programs say it in other languages.

use super::*;

/// What the C library says in these languages of a connection that failed, and of what is in use, in the order of
/// `EAI_AGAIN`, `ECONNRESET`, `ETIMEDOUT`, `ECONNREFUSED`, `ENETUNREACH`, `EAGAIN`, `EBUSY` (translations of glibc
/// 2.36).
#[rustfmt::skip]
const OF_THE_C_LIBRARY: [(&str, [&str; 7]); 14] = [
    ("de", [
        "Temporärer Fehler bei der Namensauflösung",
        "Die Verbindung wurde vom Kommunikationspartner zurückgesetzt",
        "Die Wartezeit für die Verbindung ist abgelaufen",
        "Verbindungsaufbau abgelehnt",
        "Das Netzwerk ist nicht erreichbar",
        "Die Ressource ist zur Zeit nicht verfügbar",
        "Das Gerät oder die Ressource ist belegt",
    ]),
    ("es", [
        "Fallo temporal en la resolución del nombre",
        "Conexión reinicializada por la máquina remota",
        "Expiró el tiempo de conexión",
        "Conexión rehusada",
        "La red es inaccesible",
        "Recurso no disponible temporalmente",
        "Dispositivo o recurso ocupado",
    ]),
    ("fr", [
        "Échec temporaire dans la résolution du nom",
        "Connexion ré-initialisée par le correspondant",
        "Connexion terminée par expiration du délai d'attente",
        "Connexion refusée",
        "Le réseau n'est pas accessible",
        "Ressource temporairement non disponible",
        "Périphérique ou ressource occupé",
    ]),
    ("it", [
        "Errore temporaneo nella risoluzione del nome",
        "Connessione interrotta dal corrispondente",
        "Connessione scaduta",
        "Connessione rifiutata",
        "La rete non è raggiungibile",
        "Risorsa temporaneamente non disponibile",
        "Dispositivo o risorsa occupata",
    ]),
    ("pt_BR", [
        "Falha temporário na resolução de nome",
        "Conexão fechada pela outra ponta",
        "Tempo esgotado para conexão",
        "Conexão recusada",
        "A rede está fora de alcance",
        "Recurso temporariamente indisponível",
        "Dispositivo ou recurso está ocupado",
    ]),
    ("pt", [
        "Falha temporária na resolução de nome",
        "Ligação reposta pelo peer",
        "Ligação expirada",
        "Ligação recusada",
        "Rede inacessível",
        "Recurso temporariamente indisponível",
        "Dispositivo ou recurso ocupado",
    ]),
    ("nl", [
        "Tijdelijk probleem in naamsherleiding",
        "Verbinding is weggevallen",
        "Verbinding is verlopen",
        "Verbinding is geweigerd",
        "Netwerk is onbereikbaar",
        "Hulpbron is tijdelijk onbeschikbaar",
        "Apparaat of hulpbron is bezig",
    ]),
    ("pl", [
        "Odwzorowanie nazwy jest chwilowo niemożliwe",
        "Połączenie zerwane przez drugą stronę",
        "Przekroczony czas oczekiwania na połączenie",
        "Połączenie odrzucone",
        "Sieć jest niedostępna",
        "Zasoby chwilowo niedostępne",
        "Urządzenie lub zasoby zajęte",
    ]),
    ("ru", [
        "Временный сбой в разрешении имен",
        "Соединение разорвано другой стороной",
        "Время ожидания соединения истекло",
        "В соединении отказано",
        "Сеть недоступна",
        "Ресурс временно недоступен",
        "Устройство или ресурс занято",
    ]),
    ("tr", [
        "İsim çözünürlüğünde geçici başarısızlık",
        "Bağlantı karşıdan kesildi",
        "Bağlantıda zaman aşımı",
        "Bağlantı reddedildi",
        "Ağ erişilebilir durumda değil",
        "Özkaynak geçici olarak kullanılamaz durumda",
        "Aygıt ya da özkaynak meşgul",
    ]),
    ("ko", [
        "name resolution에서 일시적인 실패",
        "상대편이 연결을 끊음",
        "연결 시간 초과",
        "연결이 거부됨",
        "네트워크가 접근 불가능합니다",
        "자원이 일시적으로 사용 불가능함",
        "장치나 자원이 동작 중",
    ]),
    ("zh_CN", [
        "域名解析暂时失败",
        "连接被对方重设",
        "连接超时",
        "拒绝连接",
        "网络不可达",
        "资源暂时不可用",
        "设备或资源忙",
    ]),
    ("zh_TW", [
        "解析名稱時發生暫時性錯誤",
        "連線被對方重設",
        "連線超過時間",
        "連線被拒絕",
        "無法接觸網路",
        "資源暫時無法取得",
        "裝置或系統資源忙碌中",
    ]),
    ("ja", [
        "名前解決に一時的に失敗しました",
        "接続が相手からリセットされました",
        "接続がタイムアウトしました",
        "接続を拒否されました",
        "ネットワークに届きません",
        "リソースが一時的に利用できません",
        "デバイスもしくはリソースがビジー状態です",
    ]),
];

#[test]
fn f2_what_may_pass_is_known_in_the_languages_of_the_c_library() {
    let is_passing =
        |text: &str| Reading::of(&format!("fetch: x.example: {text}")).prospect == Prospect::Passing;
    let all = OF_THE_C_LIBRARY.iter().flat_map(|(_, texts)| texts);
    let missed: Vec<&&str> = all.filter(|it| !is_passing(it)).collect();
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn a_status_of_a_busy_server_in_brackets_may_pass_where_something_failed() {
    for (answer, prospect) in [
        ("map service failed (503), nothing was drawn", Prospect::Passing),
        ("upload failed (429)", Prospect::Passing),
        ("upload failed (404)", Prospect::Unknown),
        ("upload failed 503", Prospect::Unknown),
    ] {
        assert_eq!(Reading::of(answer).prospect, prospect, "{answer}");
    }
    works(&["readings (503)", "(502) rows"]);
}
