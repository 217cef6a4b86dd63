//! The scenario file on disk. These types are strict, and only the conversion uses them.

use std::collections::BTreeMap;
use std::fmt::{self, Formatter};

use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use toml::Spanned;

/// Text with its place, for later checks.
pub(super) type Text = Spanned<String>;

/// The items of a pool, each with its values by field.
pub(super) type PoolItems = Spanned<Vec<Spanned<BTreeMap<Text, PoolValue>>>>;

/// The texts of a phrase, by language, and its marks.
pub(super) type Variants = BTreeMap<Text, Spanned<PhraseValue>>;

/// The keys at the top of the file, each with the start of its line.
pub(super) const TOP: &[(&str, &str)] = &[
    ("format", "format = 2"),
    ("name", "name = \"…\""),
    ("world", "world = \"…\""),
    ("protocol", "protocol = \"text\""),
    ("limits", "[limits]"),
    ("tools", "[tools]"),
    ("numbers", "[numbers]"),
    ("pool", "[[pool.NAME]]"),
    ("phrases", "[phrases.NAME]"),
    ("environment", "[environment]"),
    ("goal", "[goal]"),
    ("compaction", "[compaction]"),
    ("user", "[user]"),
    ("response", "[response]"),
    ("stubborn", "[stubborn]"),
    ("healthy", "[healthy]"),
];

/// The version of the format that this program reads.
pub(super) const VERSION: u32 = 2;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioFile {
    #[expect(dead_code, reason = "the version is checked before the file is read")]
    format: u32,
    pub(super) name: Text,
    pub(super) world: Option<Text>,
    pub(super) protocol: Text,
    pub(super) prompt: Option<Text>,
    pub(super) limits: LimitsTable,
    pub(super) tools: ToolsTable,
    #[serde(default)]
    pub(super) numbers: BTreeMap<Text, NumberTable>,
    #[serde(default)]
    pub(super) pool: BTreeMap<Text, PoolItems>,
    pub(super) phrases: BTreeMap<Text, Variants>,
    #[serde(default)]
    pub(super) environment: EnvironmentTable,
    pub(super) goal: GoalTable,
    pub(super) compaction: Option<Spanned<CompactionTable>>,
    pub(super) user: UserTable,
    pub(super) response: Option<ResponseTable>,
    pub(super) stubborn: Option<Spanned<ActorTable>>,
    pub(super) healthy: Option<Spanned<ActorTable>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LimitsTable {
    pub(super) turns: Spanned<u32>,
    pub(super) attempts: Spanned<u32>,
    pub(super) calls: Spanned<u32>,
    pub(super) interventions: Spanned<u32>,
    pub(super) questions: Spanned<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolsTable {
    pub(super) roles: Spanned<Vec<Text>>,
    #[serde(default)]
    pub(super) provider: Vec<Text>,
    pub(super) distractors: Option<Spanned<u32>>,
    pub(super) agent: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NumberTable {
    pub(super) from: Spanned<u32>,
    pub(super) to: Spanned<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EnvironmentTable {
    #[serde(default)]
    pub(super) files: BTreeMap<Text, Text>,
    #[serde(default)]
    pub(super) facts: Vec<Text>,
    pub(super) before: Option<Text>,
    pub(super) after: Option<Text>,
    #[serde(default)]
    pub(super) rule: Vec<RuleTable>,
    #[serde(default)]
    pub(super) notification: Vec<NewsTable>,
}

/// A message that comes between turns.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewsTable {
    pub(super) says: Text,
    #[serde(default)]
    pub(super) when: Vec<Spanned<ConditionTable>>,
    pub(super) turns: Option<Spanned<Visits>>,
    pub(super) times: Option<Spanned<Visits>>,
    #[serde(default)]
    pub(super) sets: Vec<Text>,
    #[serde(default)]
    pub(super) clears: Vec<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CompactionTable {
    pub(super) turns: Option<Spanned<Visits>>,
    pub(super) tokens: Option<Spanned<Visits>>,
    pub(super) says: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleTable {
    pub(super) tool: Text,
    #[serde(default)]
    pub(super) when: Vec<Spanned<ConditionTable>>,
    pub(super) times: Option<Spanned<Visits>>,
    #[serde(default)]
    pub(super) fails: bool,
    #[serde(default)]
    pub(super) fatal: bool,
    pub(super) does: Option<bool>,
    pub(super) takes: Option<Spanned<Visits>>,
    pub(super) says: Option<Text>,
    #[serde(default)]
    pub(super) sets: Vec<Text>,
    #[serde(default)]
    pub(super) clears: Vec<Text>,
    #[serde(default)]
    pub(super) writes: Vec<Spanned<WriteTable>>,
    #[serde(default)]
    pub(super) deletes: Vec<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteTable {
    pub(super) path: Text,
    pub(super) content: Option<Text>,
    pub(super) append: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConditionTable {
    pub(super) fact: Option<Text>,
    pub(super) no_fact: Option<Text>,
    pub(super) file: Option<Text>,
    pub(super) no_file: Option<Text>,
    pub(super) plan: Option<Text>,
    pub(super) record: Option<Text>,
    pub(super) once: Option<Text>,
    pub(super) argument: Option<Text>,
    pub(super) said: Option<Text>,
    pub(super) contains: Option<Text>,
    #[serde(rename = "for")]
    pub(super) lasts: Option<Spanned<Visits>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GoalTable {
    pub(super) all: Spanned<Vec<Spanned<ConditionTable>>>,
    pub(super) unreachable: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UserTable {
    pub(super) opening: Text,
    #[serde(default)]
    pub(super) replies: Vec<Text>,
    pub(super) stays_for: Option<Spanned<u32>>,
    #[serde(default)]
    pub(super) reply: Vec<Spanned<ReplyTable>>,
    #[serde(default)]
    pub(super) interrupt: Vec<NewsTable>,
    #[serde(default)]
    pub(super) answer: Vec<AnswerTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplyTable {
    #[serde(default)]
    pub(super) when: Vec<Spanned<ConditionTable>>,
    pub(super) times: Option<Spanned<Visits>>,
    pub(super) says: Option<Text>,
    #[serde(default)]
    pub(super) leaves: bool,
    #[serde(default)]
    pub(super) sets: Vec<Text>,
    #[serde(default)]
    pub(super) clears: Vec<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerTable {
    pub(super) choice: Text,
    pub(super) says: Text,
    #[serde(default)]
    pub(super) sets: Vec<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResponseTable {
    pub(super) profile: Option<Text>,
    pub(super) stubbornness: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ActorTable {
    pub(super) name: Option<Text>,
    pub(super) title: Text,
    pub(super) why: Text,
    pub(super) source: Text,
    pub(super) start: Text,
    #[serde(default)]
    pub(super) parameters: BTreeMap<Text, Text>,
    pub(super) state: Spanned<Vec<StateTable>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StateTable {
    pub(super) name: Text,
    pub(super) truth: Spanned<Vec<Spanned<TruthTable>>>,
    pub(super) steps: Option<Spanned<Visits>>,
    pub(super) says: Option<Text>,
    pub(super) thinks: Option<Text>,
    #[serde(default)]
    pub(super) calls: Vec<Spanned<CallTable>>,
    #[serde(default)]
    pub(super) provider: Vec<Spanned<CallTable>>,
    #[serde(default)]
    pub(super) tells_user: bool,
    #[serde(default)]
    pub(super) empty: Vec<Text>,
    #[serde(default, rename = "break")]
    pub(super) breaks: Vec<Spanned<BreakTable>>,
    #[serde(default)]
    pub(super) first_byte_ms: u32,
    #[serde(default)]
    pub(super) doubled_event: bool,
    pub(super) finish: Option<Text>,
    #[serde(default)]
    pub(super) next: Vec<TransitionTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TruthTable {
    pub(super) until: Option<Spanned<u32>>,
    pub(super) is: Text,
    pub(super) how: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallTable {
    pub(super) tool: Option<Text>,
    pub(super) name: Option<Text>,
    #[serde(default)]
    pub(super) arguments: BTreeMap<Text, Text>,
    pub(super) raw: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BreakTable {
    pub(super) until: Option<Spanned<Visits>>,
    pub(super) chance: Option<Text>,
    pub(super) cause: Option<Text>,
    pub(super) status: Option<Spanned<u16>>,
    pub(super) retry_after: Option<Spanned<Visits>>,
    pub(super) at: Text,
    pub(super) says: Option<Text>,
    pub(super) ran: Option<Text>,
    pub(super) wire: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TransitionTable {
    pub(super) when: Text,
    pub(super) contains: Option<Text>,
    pub(super) visits: Option<Spanned<Visits>>,
    pub(super) chance: Option<Spanned<Vec<Text>>>,
    pub(super) ways: Option<Spanned<Vec<Text>>>,
    pub(super) to: Text,
}

/// A value of a pool's item: text, or the mark `reserve = true`.
#[derive(Debug)]
pub(super) enum PoolValue {
    Text(String),
    Mark(bool),
}

/// A value of a phrase: its texts in a language, or the mark `pinned = true`.
#[derive(Debug)]
pub(super) enum PhraseValue {
    Texts(Vec<Text>),
    Mark(bool),
}

/// A number of visits, or the name of a drawn number.
#[derive(Debug)]
pub(super) enum Visits {
    Count(u32),
    Name(String),
}

impl<'de> Deserialize<'de> for PoolValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Expected;
        impl Visitor<'_> for Expected {
            type Value = PoolValue;
            fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str("a string (or `reserve = true`)")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<PoolValue, E> {
                Ok(PoolValue::Text(text.to_owned()))
            }
            fn visit_bool<E: de::Error>(self, mark: bool) -> Result<PoolValue, E> {
                Ok(PoolValue::Mark(mark))
            }
        }
        deserializer.deserialize_any(Expected)
    }
}

impl<'de> Deserialize<'de> for PhraseValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Expected;
        impl<'de> Visitor<'de> for Expected {
            type Value = PhraseValue;
            fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str("a list of strings (or `pinned = true`)")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<PhraseValue, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(PhraseValue::Texts)
            }
            fn visit_bool<E: de::Error>(self, mark: bool) -> Result<PhraseValue, E> {
                Ok(PhraseValue::Mark(mark))
            }
        }
        deserializer.deserialize_any(Expected)
    }
}

impl<'de> Deserialize<'de> for Visits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Expected;
        impl Visitor<'_> for Expected {
            type Value = Visits;
            fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number or the name of one of `[numbers]`")
            }
            fn visit_i64<E: de::Error>(self, count: i64) -> Result<Visits, E> {
                u32::try_from(count)
                    .map(Visits::Count)
                    .map_err(|_| E::invalid_value(de::Unexpected::Signed(count), &self))
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Visits, E> {
                Ok(Visits::Name(name.to_owned()))
            }
        }
        deserializer.deserialize_any(Expected)
    }
}
