//! A broken rule at a place, and what mends it.
//!
//! It refuses to be a judgement without a place: a person must be able to click on it.

use std::fmt::{self, Display};

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Relative to the project's root.
    pub(crate) path: String,
    /// Counted from 1.
    pub(crate) line: usize,
    /// Id of the rule.
    pub(crate) rule: &'static str,
    /// What stands there.
    pub(crate) what: String,
    /// What should be done.
    pub(crate) mend: String,
}

impl Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            line,
            rule,
            what,
            mend,
        } = self;
        write!(formatter, "{path}:{line}: {rule}: {what} → {mend}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finding_reads_place_rule_fault_and_mend() {
        let finding = Finding {
            path: "server/src/app.rs".into(),
            line: 7,
            rule: "framework",
            what: "poem::Request".into(),
            mend: "move it to http/".into(),
        };
        assert_eq!(
            finding.to_string(),
            "server/src/app.rs:7: framework: poem::Request → move it to http/"
        );
    }
}
