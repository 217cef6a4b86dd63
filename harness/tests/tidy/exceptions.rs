//! The places where a rule does not apply, and why. A line that is no longer needed fails the test.

use crate::finding::{Finding, Rule};

/// One place, or one folder if the path ends in `/`, that may break a rule.
pub(crate) struct Exception {
    pub(crate) rule: Rule,
    pub(crate) path: &'static str,
    /// The function, the target of the link, the cited document; empty for all of them.
    pub(crate) key: &'static str,
    pub(crate) reason: &'static str,
}

const fn except(rule: Rule, path: &'static str, key: &'static str, reason: &'static str) -> Exception {
    Exception { rule, path, key, reason }
}

/// Sorted by rule, path and key.
pub(crate) const EXCEPTIONS: &[Exception] = &[
    except(
        Rule::Citation,
        "reports/reference/crash.md",
        "AUTHORS.md",
        "the last words of agents, about their task",
    ),
    except(
        Rule::Citation,
        "reports/reference/proxy.md",
        "AUTHORS.md",
        "the last words of agents, about their task",
    ),
    except(Rule::Citation, "scenarios/README.md", "a.md", "a file of an example's world"),
    except(Rule::Flatten, "guards/tests/all/wire_rules.rs", "", "as the documents advise embedders"),
    except(
        Rule::Layout,
        "guards/tests/all/common/rungs.rs",
        "without",
        "the tests of the guards and the audit remove a rung in the same way",
    ),
    except(
        Rule::Layout,
        "harness/tests/all/outsider.rs",
        "own_guard",
        "the tests compile this example as well",
    ),
    except(
        Rule::LongFile,
        "docs/specification.md",
        "",
        "each row is a heading of this one file, so that an id such as A3 can be looked up",
    ),
    except(Rule::Reading, "harness/src/bench/meta.rs", "", "the system says what processor it has"),
    except(Rule::Reading, "harness/src/files.rs", "File::open", "a folder is opened to be synced"),
    except(Rule::Reading, "harness/src/files/step.rs", "fs::read", "the schedules of tests alone"),
    except(Rule::Reading, "harness/src/processes/linux.rs", "", "the system says what its processes do"),
];

impl Exception {
    pub(crate) fn covers(&self, finding: &Finding) -> bool {
        let place = if self.path.ends_with('/') {
            finding.path.starts_with(self.path)
        } else {
            finding.path == self.path
        };
        self.rule == finding.rule && place && (self.key.is_empty() || self.key == finding.key)
    }
}
