//! The steps: `steps.toml`.

use std::{collections::BTreeMap, sync::LazyLock};

use clap::builder::{PossibleValue, PossibleValuesParser};
use serde::Deserialize;

/// One step of `cargo xtask test`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    /// Its name on the command line.
    pub(super) name: String,
    pub(super) claim: String,
    /// The command that repeats or fixes it.
    pub(super) repeat: String,
    #[serde(default)]
    pub(super) needs_database: bool,
    /// Skipped where a rehearsal of failovers cannot run.
    #[serde(default)]
    pub(super) needs_cluster: bool,
    #[serde(default)]
    pub(super) commands: Vec<String>,
}

/// Every step, in the order in which they run.
pub(super) static STEPS: LazyLock<Vec<Step>> = LazyLock::new(|| {
    let mut tables: BTreeMap<String, Vec<Step>> =
        toml::from_str(include_str!("steps.toml")).expect("steps alone");
    tables.remove("step").expect("steps")
});

pub(super) fn names() -> PossibleValuesParser {
    let steps: &'static [Step] = &STEPS;
    let names = steps.iter().map(|step| PossibleValue::new(&*step.name).help(&*step.claim));
    PossibleValuesParser::new(names)
}
