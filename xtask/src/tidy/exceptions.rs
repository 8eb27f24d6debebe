//! Where a rule does not hold, each with its reason.
//!
//! It refuses to grow old: an exception that nothing needs any more is itself a finding, so the list only ever gets
//! shorter.

use super::finding::Finding;

/// A file in which a rule does not hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exception {
    pub(crate) rule: &'static str,
    pub(crate) path: &'static str,
    pub(crate) reason: &'static str,
}

/// Every exception of the project.
pub(crate) const EXCEPTIONS: &[Exception] = &[
    Exception {
        rule: "framework",
        path: "server/src/app.rs",
        reason: "puts gate, routes and service together, once",
    },
    Exception {
        rule: "sql",
        path: "server/src/tenant.rs",
        reason: "opens the transaction that names its organisation; the one audited place",
    },
];

/// Takes the excepted findings out, and adds one for each exception that took none.
pub(crate) fn apply(findings: Vec<Finding>, exceptions: &[Exception]) -> Vec<Finding> {
    let covers = |exception: &Exception, finding: &Finding| {
        exception.rule == finding.rule && exception.path == finding.path
    };
    let unneeded: Vec<_> = exceptions
        .iter()
        .filter(|exception| !findings.iter().any(|finding| covers(exception, finding)))
        .map(|exception| Finding {
            path: exception.path.to_owned(),
            line: 1,
            rule: exception.rule,
            what: format!(
                "nothing needs the exception any more ({})",
                exception.reason
            ),
            mend: "remove it from xtask/src/tidy/exceptions.rs".to_owned(),
        })
        .collect();
    let remaining = findings.into_iter().filter(|finding| {
        !exceptions
            .iter()
            .any(|exception| covers(exception, finding))
    });
    remaining.chain(unneeded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(path: &str) -> Finding {
        Finding {
            path: path.to_owned(),
            line: 1,
            rule: "length",
            what: "500 lines".to_owned(),
            mend: "split it".to_owned(),
        }
    }

    const EXCEPTION: Exception = Exception {
        rule: "length",
        path: "a.rs",
        reason: "a table",
    };

    #[test]
    fn exception_covers_its_rule_in_its_file() {
        let remaining = apply(vec![finding("a.rs"), finding("b.rs")], &[EXCEPTION]);
        assert_eq!(remaining, [finding("b.rs")]);
    }

    #[test]
    fn unneeded_exception_is_a_finding() {
        let remaining = apply(vec![finding("b.rs")], &[EXCEPTION]);
        assert_eq!(remaining.len(), 2);
        assert!(
            remaining[1].what.contains("nothing needs the exception"),
            "{remaining:?}"
        );
    }
}
