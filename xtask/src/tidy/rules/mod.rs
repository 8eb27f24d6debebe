//! The rules, one table: an id, one sentence with its reason, and the check.
//!
//! | file | owns |
//! |---|---|
//! | [`packages`] | which package may use which |
//! | [`rooms`] | which folder of the server may see which |
//! | [`libraries`] | where the framework, SQL and the clock may stand |
//! | [`files`] | how a file begins, and how long it may be |
//! | [`leftovers`] | what is not finished |
//! | [`documents`] | what the documents owe each other |

mod documents;
mod files;
mod leftovers;
mod libraries;
mod packages;
mod rooms;

use super::{finding::Finding, tree::Tree};

/// A house rule.
pub(crate) struct Rule {
    /// Its stable id.
    pub(crate) id: &'static str,
    /// The rule with its reason.
    pub(crate) why: &'static str,
    /// What breaks it.
    pub(crate) check: fn(&Tree, &Rule) -> Vec<Finding>,
}

impl Rule {
    fn finding(
        &self,
        path: &str,
        line: usize,
        what: impl Into<String>,
        mend: impl Into<String>,
    ) -> Finding {
        Finding {
            path: path.to_owned(),
            line,
            rule: self.id,
            what: what.into(),
            mend: mend.into(),
        }
    }
}

/// Every rule, in the order in which they are told.
pub(crate) const RULES: [Rule; 16] = [
    Rule {
        id: "packages",
        why: "A package uses only those that stand below it: with the server's types, client and conformance would inherit its mistakes.",
        check: packages::packages,
    },
    Rule {
        id: "contract-alone",
        why: "server/src/contract knows nothing of the server, so that it can be generated from the document alone.",
        check: rooms::contract_alone,
    },
    Rule {
        id: "resources-meet-at-the-door",
        why: "A resource uses another one through its mod.rs, so that its inside may change.",
        check: rooms::resources_meet_at_the_door,
    },
    Rule {
        id: "gate-sees-no-resource",
        why: "The gate decides alike for every operation.",
        check: rooms::gate_sees_no_resource,
    },
    Rule {
        id: "operator-never-routes",
        why: "Commands use models and stores: they act without a request.",
        check: rooms::operator_never_routes,
    },
    Rule {
        id: "framework",
        why: "poem stands in contract, gate and http alone, so that handlers are plain functions.",
        check: libraries::framework,
    },
    Rule {
        id: "sql",
        why: "SQL stands in stores alone, so that tenancy can be read in one kind of file.",
        check: libraries::sql,
    },
    Rule {
        id: "pure-rules",
        why: "Rules (model.rs, layout.rs, fingerprint.rs) do no input or output and ask no clock, so that a test needs neither.",
        check: libraries::pure_rules,
    },
    Rule {
        id: "opening",
        why: "Each file begins with what it owns and what it refuses.",
        check: files::opening,
    },
    Rule {
        id: "generated",
        why: "A generated file says so in its first line and in .gitattributes; no other file does.",
        check: files::generated,
    },
    Rule {
        id: "length",
        why: "A file of more than 400 lines owns more than one thing.",
        check: files::length,
    },
    Rule {
        id: "unfinished",
        why: "Nothing unfinished is merged: no marker, no stub, no debugging aid.",
        check: leftovers::unfinished,
    },
    Rule {
        id: "ignored-test",
        why: "A test that never runs proves nothing.",
        check: leftovers::ignored_test,
    },
    Rule {
        id: "decisions",
        why: "Each x-decision of the document has its row, with the reason, in openapi/README.md.",
        check: documents::decisions,
    },
    Rule {
        id: "links",
        why: "A document that leads nowhere has not told the truth for a while.",
        check: documents::links,
    },
    Rule {
        id: "commands",
        why: "Each command of this crate stands in the README, and the README names no other.",
        check: documents::commands,
    },
];

/// A rule's findings in planted files.
#[cfg(test)]
fn findings(id: &str, files: &[(&str, &str)]) -> Vec<String> {
    let rule = RULES
        .iter()
        .find(|rule| rule.id == id)
        .expect("a rule of the table");
    let findings = (rule.check)(&Tree::of(files), rule);
    findings
        .iter()
        .map(|finding| format!("{}:{}: {}", finding.path, finding.line, finding.what))
        .collect()
}
