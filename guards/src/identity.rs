//! stub
use serde::{Deserialize, Serialize};
/// x
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ResultKey(u64);
pub(crate) fn of_result(t: &str) -> ResultKey {
    ResultKey(xxhash_rust::xxh3::xxh3_64(t.as_bytes()))
}
