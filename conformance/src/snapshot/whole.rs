//! The snapshots at the end of a run: those that no case takes, responses without any, and those to
//! be reviewed.

use std::{collections::BTreeSet, sync::PoisonError};

use super::{
    accepted,
    judge::{Mode, Snapshots},
    review,
};

impl Snapshots {
    /// Stale snapshots, and operations and statuses without one; for this project's own runs.
    /// `known` are the ids of all cases, `answered` what was seen.
    pub(crate) fn findings(
        &self,
        known: &BTreeSet<&str>,
        passed: &BTreeSet<&str>,
        answered: &[(&str, u16)],
    ) -> Vec<String> {
        if self.mode == Mode::Accepted || !self.by_value {
            return Vec::new();
        }
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let is_stale = |name: &&String| {
            let case = accepted::parts(name).map_or("", |(_, _, case)| case);
            !seen.contains(*name) && (passed.contains(case) || !known.contains(case))
        };
        let stale = self.accepted.keys().filter(is_stale).map(|name| {
            format!(
                "No case takes the snapshot {name} any more: delete \
                conformance/snapshots/{name}.snap."
            )
        });
        let names = seen.iter().chain(self.accepted.keys());
        let shown: BTreeSet<(&str, u16)> = names
            .filter_map(|name| accepted::parts(name))
            .map(|(operation, status, _)| (operation, status))
            .collect();
        let missing = answered.iter().filter(|response| !shown.contains(response));
        let missing = missing.map(|(operation, status)| {
            format!(
                "{operation} answered {status}, and no case takes a snapshot of it: add \
                 `context.snapshot(&response)` to one."
            )
        });
        stale.chain(missing).collect()
    }

    /// Writes those to be reviewed, in the mode for that; returns how many.
    pub(crate) fn write_new(&self) -> Result<usize, String> {
        if self.mode != Mode::New {
            return Ok(0);
        }
        if !self.by_value {
            return Err("snapshots can only be taken on a deployment with the feature `seeded`, \
                        with decisions on; `cargo xtask conformance` starts one"
                .to_owned());
        }
        let fresh = self.fresh.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, (description, text)) in &*fresh {
            review::write(name, description, text)?;
        }
        Ok(fresh.len())
    }
}
