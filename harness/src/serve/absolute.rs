//! Paths as the tools of an agent want them.
//!
//! A scenario's paths start from the folder of the task. Some tools refuse such a path and say in their schema that
//! they do. What is sent to them has the folder before it; the script and its world never see that.

use std::sync::Arc;

use balk_guards::{Completion, Offer, RawCall, ToolCall};
use serde_json::Value;

/// The completion with the paths that its tools want, below this folder.
pub(super) fn below(root: &str, completion: &Arc<Completion>, offer: &Offer) -> Arc<Completion> {
    let changed: Vec<Option<ToolCall>> = completion.calls.iter().map(|it| call(root, it, offer)).collect();
    if changed.iter().all(Option::is_none) {
        return completion.clone();
    }
    let calls =
        completion.calls.iter().zip(changed).map(|(own, it)| it.map_or_else(|| own.clone(), Arc::new));
    Arc::new(Completion { calls: calls.collect(), ..(**completion).clone() })
}

fn call(root: &str, call: &ToolCall, offer: &Offer) -> Option<ToolCall> {
    let schema: Value = serde_json::from_str(offer.get(&call.tool)?.parameters.text()).ok()?;
    let mut arguments: Value = serde_json::from_str(&call.arguments).ok()?;
    let mut is_changed = false;
    for (name, value) in arguments.as_object_mut()? {
        if let Some(path) = value.as_str()
            && !path.starts_with('/')
            && wants_absolute(name, &schema["properties"][name])
        {
            let path = path.strip_prefix("./").unwrap_or(path);
            *value = format!("{root}/{path}").into();
            is_changed = true;
        }
    }
    is_changed.then(|| {
        let arguments = arguments.to_string().into();
        ToolCall::new(RawCall { id: call.id.clone(), tool: call.tool.clone(), arguments }, offer)
    })
}

/// Whether a member of a schema says that it is an absolute path.
fn wants_absolute(name: &str, member: &Value) -> bool {
    let says = member["description"].as_str().unwrap_or_default().to_ascii_lowercase();
    name.to_ascii_lowercase().contains("absolute")
        || says.contains("absolute path")
        || says.contains("must be absolute")
}

#[cfg(test)]
mod tests {
    use balk_guards::{FinishReason, Tool, Usage};

    use super::*;

    fn sent(arguments: &str) -> String {
        let write = Tool::new("write").parameters(
            r#"{"type": "object", "properties": {
                "file": {"type": "string", "description": "The absolute path of the file. Relative paths fail."},
                "text": {"type": "string", "description": "The contents."}}}"#,
        );
        let offer = Offer::new([write]);
        let call = RawCall { id: "a".into(), tool: "write".into(), arguments: arguments.into() };
        let completion = Completion::new([], [call], FinishReason::ToolCall, Usage::default(), &offer);
        below("/w", &Arc::new(completion), &offer).calls[0].arguments.to_string()
    }

    #[test]
    fn only_a_path_that_must_be_absolute_gets_the_folder() {
        assert_eq!(
            sent(r#"{"file":"a/b.txt","text":"a/b.txt"}"#),
            r#"{"file":"/w/a/b.txt","text":"a/b.txt"}"#
        );
        assert_eq!(sent(r#"{"file":"./b.txt"}"#), r#"{"file":"/w/b.txt"}"#);
        for unchanged in [r#"{"file": "/etc/hosts"}"#, r#"{"text": "b"}"#, "{not JSON"] {
            assert_eq!(sent(unchanged), unchanged);
        }
    }
}
