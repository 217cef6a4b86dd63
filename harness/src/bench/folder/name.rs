//! The name of a scenario's folder of transcripts.

use std::collections::BTreeMap;

use balk_reports::records::{Plan, PlannedScenario};

/// Two scenarios of a plan, by their labels, whose transcripts would be in the same folder.
pub(super) fn shared(plan: &Plan) -> Option<[String; 2]> {
    let mut folders: BTreeMap<String, String> = BTreeMap::new();
    plan.scenarios.iter().map(PlannedScenario::label).find_map(|label| {
        let other = folders.insert(folder_name(&label), label.clone())?;
        Some([other, label])
    })
}

/// A label as a folder name. A forged record may have any: none is the folder above.
pub(super) fn folder_name(label: &str) -> String {
    let name = label.replace(|c: char| !c.is_ascii_alphanumeric() && !"-_.=".contains(c), "-");
    match name.strip_prefix('.') {
        Some(rest) => format!("-{rest}"),
        None => name,
    }
}
