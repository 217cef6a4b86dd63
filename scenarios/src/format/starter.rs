//! The two scenarios that an author starts from.

use crate::scenario::Kind;

/// What stands for the scenario's name in the starters. The twin's name is made from it.
const NAME: &str = "NAME";

const STUBBORN: &str = include_str!("starter_stubborn.toml");
const CONTROL: &str = include_str!("starter_control.toml");

/// The text of a complete, commented scenario of this name; the stubborn one's twin is `NAME-control`, and
/// with `kind` [`Kind::Control`] it is that twin's text that comes back, under that name.
#[must_use]
pub fn template_of(name: &str, kind: Kind) -> String {
    let text = match kind {
        Kind::Stubborn => STUBBORN,
        Kind::Control => CONTROL,
    };
    text.replace(NAME, name)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::format::parse;
    use crate::toolsets;

    #[test]
    fn both_starters_are_good_and_twins() {
        let scenario = |kind| {
            let text = template_of("my-scenario", kind);
            parse("my-scenario.toml", &text, &toolsets::catalogue(), &[])
                .unwrap_or_else(|wrong| panic!("{wrong}"))
        };
        let (stubborn, control) = (scenario(Kind::Stubborn), scenario(Kind::Control));
        assert_eq!((&stubborn.name, &stubborn.twin), (&control.twin, &control.name));
        assert_eq!((stubborn.kind, control.kind), (Kind::Stubborn, Kind::Control));
        assert_eq!(stubborn.roles, control.roles);
        assert_eq!(stubborn.limits, control.limits);
        assert_eq!(stubborn.response, control.response);
        assert_eq!(stubborn.languages, [Arc::from("de"), Arc::from("en")]);
    }
}
