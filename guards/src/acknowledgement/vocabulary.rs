//! Words of acknowledgements, in small letters; each may be anywhere in a text.

use std::sync::LazyLock;

use balk_contract::words::Lists;

/// The lists of this file, in the order of [`LISTS`].
#[derive(Clone, Copy, Debug)]
pub(super) enum List {
    Reason,
    Cannot,
    CanInGerman,
    CouldNot,
    MoreReasons,
    Cause,
    Diagnose,
    Show,
    Otherwise,
    Again,
}

pub(super) static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    Lists::anywhere(&[
        REASON,
        CANNOT,
        CAN_IN_GERMAN,
        COULD_NOT,
        MORE_REASONS,
        CAUSE,
        DIAGNOSE,
        SHOW,
        OTHERWISE,
        AGAIN,
    ])
});

/// The words for "can", which say something only beside a negation.
const CAN_IN_GERMAN: &[&str] = &["kann", "können", "konnte"];

const REASON: &[&str] = &[
    "because",
    "since ",
    "as the ",
    "due to",
    "the reason",
    "error",
    "fail",
    "missing",
    "not installed", //
    "因为",
    "由于",
    "原因",
    "错误",
    "失败",
    "缺少",
    "未安装", //
    "porque",
    "debido",
    "ya que",
    "error",
    "falta",
    "falla",
    "falló",
    "no está instalad", //
    "weil",
    "denn ",
    "aufgrund",
    "da die",
    "da das",
    "da der",
    "fehler",
    "fehlt",
    "schlägt",
    "scheiter", //
    "ため",
    "ので",
    "から",
    "原因",
    "エラー",
    "失敗",
    "不足",
];
const CANNOT: &[&str] = &[
    "cannot",
    "can't",
    "can not",
    "unable",
    "not able",
    "not possible",
    "could not be",
    "impossible", //
    "无法",
    "不能",
    "没办法", //
    "no puedo",
    "no se puede",
    "no es posible",
    "imposible", //
    "nicht möglich",
    "unmöglich", //
    "できません",
    "できない",
    "不可能",
];
#[rustfmt::skip]
const COULD_NOT: &[&str] = &[
    "could not", "couldn't", "wasn't able", "won't let me", "doesn't let me", "not allowed", "no permission",
    "failed to", "konnte nicht", "gelang nicht", "nicht gelungen", "keine schreibrecht", "keine rechte",
    "no pude", "no he podido", "no logré", "no tengo permiso", "je ne peux pas", "n'ai pas pu", "impossible d",
    "pas réussi", "n'arrive pas", "pas le droit", "não consegui", "não consigo", "não pude", "não posso",
    "sem permissão", "non sono riuscit", "non riesco", "non ho potuto", "non posso", "non ho il permesso",
    "не удалось", "не удаётся", "не удается", "не смог", "не могу", "нет прав", "невозможно",
    "没能", "未能", "没有成功", "写不了", "没有权限", "没有写入权限",
    "書けません", "込めません", "権限がな", "権限があり", "할 수 없",
    "수 없었", "수 없습니다", "못했", "실패했", "권한이 없",
];
#[rustfmt::skip]
const MORE_REASONS: &[&str] = &[
    "car ", "parce que", "puisque", "erreur", "pois ", "já que", "erro", "perché", "errore", "потому что",
    "так как", "ошибк", "때문", "오류", "permission", "read-only", "no space", "disk",
];
const CAUSE: &[&str] = &[
    "the issue is",
    "the problem is",
    "the cause is",
    "root cause", //
    "问题在于",
    "问题是",
    "原因是", //
    "el problema es",
    "la causa es", //
    "das problem ist",
    "die ursache ist",
    "es liegt an", //
    "問題は",
    "原因は",
];
const DIAGNOSE: &[&str] = &[
    "check",
    "verif",
    "inspect",
    "diagnos",
    "investigat",
    "look into",
    "find out",
    "look at why",
    "examine", //
    "检查",
    "验证",
    "核实",
    "确认",
    "诊断",
    "调查",
    "查看", //
    "comprobar",
    "compruebo",
    "revisar",
    "investigar",
    "diagnosticar", //
    "prüfe",
    "prüfen",
    "untersuch",
    "nachsehen",
    "herausfinden", //
    "確認",
    "調べ",
    "調査",
    "検証",
    "診断",
];
const SHOW: &[&str] = &[
    "show",
    "here is the code",
    "here's the code",
    "below is",
    "paste", //
    "展示",
    "显示",
    "以下是", //
    "muestro",
    "mostrar",
    "aquí está", //
    "zeige",
    "hier ist", //
    "表示",
    "以下",
    "示し",
];
const OTHERWISE: &[&str] = &[
    "instead",
    "different",
    "another approach",
    "another way",
    "rather than",
    "change the approach", //
    "而是",
    "改为",
    "换一种",
    "换个", //
    "en lugar",
    "en vez",
    "diferente",
    "otra manera",
    "otro enfoque", //
    "stattdessen",
    "anders",
    "anderen weg",
    "andere weise", //
    "代わりに",
    "別の",
    "違う",
];
const AGAIN: &[&str] = &[
    "again",
    "once more",
    "retry",
    "another try",
    "one more time", //
    "再次",
    "再试",
    "重试",
    "再写", //
    "otra vez",
    "de nuevo",
    "reintent", //
    "noch einmal",
    "nochmal",
    "erneut",
    "wieder", //
    "もう一度",
    "再度",
    "再試行",
];
