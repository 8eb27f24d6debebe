//! Clauses: the quoted sentences that cases prove, by section of the specification or id of the
//! decision.

/// A table of clauses: `"id" "sentence"`.
macro_rules! clauses {
    ($($id:literal $sentence:literal)*) => {
        &[$(Clause { id: $id, sentence: $sentence }),*]
    };
}

mod decisions;
mod specification;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a clause is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Source {
    /// The specification: every deployment must conform.
    Specification,
    /// A decision of this project where the specification says nothing: other deployments may
    /// differ.
    Decision,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clause {
    /// A section such as `§4.5`, a rule of it such as `§4.7.2`, or a decision such as `R9`.
    pub(crate) id: &'static str,
    pub(crate) sentence: &'static str,
}

impl Clause {
    pub(crate) fn find(id: &str) -> Option<&'static Self> {
        Self::all().find(|clause| clause.id == id)
    }

    /// All, those of the specification first.
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        specification::CLAUSES.iter().chain(decisions::CLAUSES)
    }

    pub(crate) fn source(&self) -> Source {
        if self.id.starts_with('§') { Source::Specification } else { Source::Decision }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_id_is_unique() {
        let mut seen = BTreeSet::new();
        for clause in Clause::all() {
            assert!(seen.insert(clause.id), "{}", clause.id);
            assert!(clause.sentence.ends_with('.'), "{}", clause.id);
        }
        assert_eq!(Clause::find("§4.5").unwrap().source(), Source::Specification);
        assert_eq!(Clause::find("R9").unwrap().source(), Source::Decision);
    }
}
