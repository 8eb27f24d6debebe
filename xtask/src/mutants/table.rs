//! Who killed whom, as a table, and whether that is enough.
//!
//! It refuses to call a mutant killed by a case that could not prove anything.

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Value, json};

use super::{
    idle,
    trial::{Mutant, Outcome},
};

/// Cases that are named in a row.
const NAMED: usize = 3;

/// Everything that was tried.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// Each mutant, in order.
    pub(crate) mutants: Vec<(Mutant, Outcome)>,
    /// Each run on the sound server.
    pub(crate) sound: Vec<Outcome>,
    /// How long all took.
    pub(crate) elapsed: Duration,
    /// Whether every mutant was tried: only then a case is known to be idle.
    pub(crate) is_whole: bool,
}

impl Table {
    /// Mutants that no case killed.
    pub(crate) fn survivors(&self) -> Vec<&Mutant> {
        let alive = self
            .mutants
            .iter()
            .filter(|(_, outcome)| outcome.failed.is_empty());
        alive.map(|(mutant, _)| mutant).collect()
    }

    /// Failures on the sound server: the case, and in how many runs.
    pub(crate) fn false_failures(&self) -> Vec<(String, usize)> {
        let broken = |outcome: &Outcome| [outcome.failed.clone(), outcome.unclear.clone()].concat();
        let all: BTreeSet<String> = self.sound.iter().flat_map(broken).collect();
        let count = |case: &String| {
            self.sound
                .iter()
                .filter(|run| broken(run).contains(case))
                .count()
        };
        all.into_iter()
            .map(|case| (case.clone(), count(&case)))
            .collect()
    }

    /// Cases that ran and killed no mutant.
    pub(crate) fn idle(&self) -> Vec<String> {
        let ran: BTreeSet<&String> = self.outcomes().flat_map(|outcome| &outcome.ran).collect();
        let killing: BTreeSet<&String> = self
            .outcomes()
            .flat_map(|outcome| &outcome.failed)
            .collect();
        ran.difference(&killing)
            .map(|case| (*case).clone())
            .collect()
    }

    /// Whether the suite can be trusted.
    pub(crate) fn holds(&self) -> bool {
        self.survivors().is_empty()
            && self.false_failures().is_empty()
            && self.idle_faults().is_empty()
    }

    /// What is wrong with the list of idle cases.
    fn idle_faults(&self) -> Vec<String> {
        if self.is_whole {
            idle::faults(&self.idle(), idle::REASONS)
        } else {
            Vec::new()
        }
    }

    /// The table.
    pub(crate) fn markdown(&self) -> String {
        let mut text = String::from(
            "| mutant | clause | what is broken | killed by | seconds |\n|---|---|---|---|---:|\n",
        );
        for (mutant, outcome) in &self.mutants {
            let killed = match outcome.failed.as_slice() {
                [] if outcome.unclear.is_empty() => "**nobody**".to_owned(),
                [] => format!("**nobody**; unclear: {}", outcome.unclear.join(", ")),
                cases => {
                    let more = cases.len().saturating_sub(NAMED);
                    let named = cases[..cases.len().min(NAMED)].join(", ");
                    if more == 0 {
                        named
                    } else {
                        format!("{named} and {more} more")
                    }
                }
            };
            text += &format!(
                "| {} {} | {} | {} | {killed} | {} |\n",
                mutant.id,
                mutant.name,
                mutant.clause,
                mutant.sentence,
                seconds(outcome.elapsed)
            );
        }
        text += &self.sum();
        text
    }

    fn sum(&self) -> String {
        let killed = self.mutants.len() - self.survivors().len();
        let mut text = format!(
            "\n{killed} of {} mutants killed; {} runs on the sound server; {} s in all.\n",
            self.mutants.len(),
            self.sound.len(),
            seconds(self.elapsed)
        );
        for mutant in self.survivors() {
            text += &format!(
                "SURVIVES  {} {} ({}): {} Write the case that sees it, or sharpen one: conformance/README.md\n",
                mutant.id, mutant.name, mutant.clause, mutant.sentence
            );
        }
        for (case, runs) in self.false_failures() {
            text += &format!(
                "FALSE     {case} failed on the sound server in {runs} of {} runs\n",
                self.sound.len()
            );
        }
        for fault in self.idle_faults() {
            text += &format!("{fault}\n");
        }
        text
    }

    /// The same as data.
    pub(crate) fn json(&self) -> Value {
        let mutants = self.mutants.iter().map(|(mutant, outcome)| {
            json!({
                "id": mutant.id, "name": mutant.name, "clause": mutant.clause, "sentence": mutant.sentence,
                "killedBy": outcome.failed, "unclear": outcome.unclear, "seconds": seconds(outcome.elapsed),
            })
        });
        json!({
            "mutants": mutants.collect::<Vec<_>>(),
            "soundRuns": self.sound.len(),
            "falseFailures": self.false_failures(),
            "idleCases": self.idle(),
        })
    }

    fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.mutants.iter().map(|(_, outcome)| outcome)
    }
}

/// With one digit.
fn seconds(time: Duration) -> String {
    let tenths = time.as_millis() / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(failed: &[&str], unclear: &[&str]) -> Outcome {
        let owned = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        Outcome {
            failed: owned(failed),
            unclear: owned(unclear),
            ran: owned(&["a", "b"]),
            elapsed: Duration::from_millis(1_250),
        }
    }

    fn mutant(id: &str) -> Mutant {
        let text = |text: &str| text.to_owned();
        Mutant {
            id: text(id),
            name: text("name"),
            clause: text("R9"),
            sentence: text("Broken."),
        }
    }

    #[test]
    fn survivor_and_false_failure_each_break_the_trust() {
        let killed = Table {
            mutants: vec![(mutant("M01"), outcome(&["a"], &[]))],
            sound: vec![outcome(&[], &[])],
            ..Table::default()
        };
        assert!(killed.holds());
        assert_eq!(killed.idle(), ["b"]);
        let survives = Table {
            mutants: vec![(mutant("M01"), outcome(&[], &["a"]))],
            ..Table::default()
        };
        assert!(!survives.holds(), "an unclear case is no kill");
        assert!(survives.markdown().contains("SURVIVES  M01"));
        let cries = Table {
            sound: vec![outcome(&[], &[]), outcome(&["b"], &[])],
            ..Table::default()
        };
        assert_eq!(cries.false_failures(), [("b".to_owned(), 1)]);
        assert!(!cries.holds());
    }
}
