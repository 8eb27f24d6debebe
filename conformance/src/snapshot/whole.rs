//! The snapshots of a run as a whole: what nobody takes, what nobody shows, and what waits for review.
//!
//! It refuses to speak of a deployment whose values are not known.

use std::{collections::BTreeSet, sync::PoisonError};

use super::{
    accepted,
    judge::{Mode, Snapshots},
    review,
};
use crate::{
    report::model::{CaseReport, CoverageReport},
    verdict::Verdict,
};

impl Snapshots {
    /// What this project's own run tells of the snapshots as a whole: those that nobody took, and answers without any.
    #[must_use]
    pub fn findings(&self, cases: &[CaseReport], coverage: &[CoverageReport]) -> Vec<String> {
        if self.mode == Mode::Accepted || !self.by_value {
            return Vec::new();
        }
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = |id: &str| {
            let mut cases = cases.iter();
            cases.any(|case| case.id == id && case.verdict == Verdict::Pass)
        };
        let all = crate::cases::all();
        let is_stale = |name: &&String| {
            let case = accepted::parts(name).map_or("", |(_, _, case)| case);
            !seen.contains(*name) && (passed(case) || all.iter().all(|known| known.id != case))
        };
        let stale = self.accepted.keys().filter(is_stale);
        let mut findings: Vec<String> = stale
            .map(|name| {
                format!("No case takes the snapshot {name} any more: delete conformance/snapshots/{name}.snap.")
            })
            .collect();
        let names = seen.iter().chain(self.accepted.keys());
        let shown: BTreeSet<(&str, u16)> = names
            .filter_map(|name| accepted::parts(name))
            .map(|(operation, status, _)| (operation, status))
            .collect();
        let answered = coverage.iter().filter(|covered| covered.responses > 0);
        let unshown = answered
            .filter(|covered| !shown.contains(&(covered.operation.as_str(), covered.status)));
        findings.extend(unshown.map(|covered| {
            format!(
                "{} answered {}, and no case takes a snapshot of that: add `context.snapshot(&response)` to one.",
                covered.operation, covered.status
            )
        }));
        findings
    }

    /// Writes what waits for review; returns how many those are. Only where that was asked for.
    ///
    /// # Errors
    /// Nothing could be compared by value, or a file cannot be written.
    pub fn write_new(&self) -> Result<usize, String> {
        if self.mode != Mode::New {
            return Ok(0);
        }
        if !self.by_value {
            return Err(
                "snapshots are made on a deployment with the feature `seeded`, with decisions on; \
                        `cargo xtask conformance` starts one"
                    .to_owned(),
            );
        }
        let fresh = self.fresh.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, (sentence, text)) in &*fresh {
            review::write(name, sentence, text)?;
        }
        Ok(fresh.len())
    }
}
