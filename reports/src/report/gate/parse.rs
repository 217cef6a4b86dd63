//! The syntax of a gate: `[STACK][@WHERE]: METRIC OP NUMBER`.

use std::str::FromStr;

use super::gates::Gate;
use super::scope::{Scope, Where};

impl FromStr for Gate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // The name of a stack may contain a colon, so the condition follows the last one.
        let (scope, condition) = match text.rsplit_once(':') {
            Some((scope, condition)) => (self::scope(scope.trim())?, condition),
            None => (Scope::default(), text),
        };
        Ok(Self { scope, condition: condition.parse()? })
    }
}

fn scope(text: &str) -> Result<Scope, String> {
    let (stack, scenarios) = text.rsplit_once('@').map_or((text, None), |(stack, it)| (stack, Some(it)));
    if scenarios.map_or(stack, str::trim).is_empty() {
        return Err(format!("expected STACK, @WHERE or STACK@WHERE before the colon, found `{text}`"));
    }
    let scenarios = scenarios.map(|name| match name.trim() {
        "stubborn" => Where::Stubborn,
        "control" => Where::Control,
        name => Where::Scenario(name.to_owned()),
    });
    let stack = stack.trim();
    Ok(Scope { stack: (!stack.is_empty()).then(|| stack.to_owned()), scenarios })
}
