//! Clauses: the sentences that cases prove, by the section of the specification or the id of the decision.
//!
//! It refuses a sentence of its own: each is quoted.

mod decisions;
mod specification;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The specification: every deployment must keep it.
    Specification,
    /// A decision of this project, where the specification is silent: a foreign deployment may have taken another.
    Decision,
}

/// One sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clause {
    /// A section such as `§4.5`, a rule of it such as `§4.7.2`, or a decision such as `R9`.
    pub id: &'static str,
    /// What is said there.
    pub sentence: &'static str,
}

impl Clause {
    /// The clause with this id.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        Self::all().find(|clause| clause.id == id)
    }

    /// All, those of the specification first.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        specification::CLAUSES.iter().chain(decisions::CLAUSES)
    }

    /// Who says it.
    #[must_use]
    pub fn source(&self) -> Source {
        if self.id.starts_with('§') {
            Source::Specification
        } else {
            Source::Decision
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_id_stands_once() {
        let mut seen = BTreeSet::new();
        for clause in Clause::all() {
            assert!(seen.insert(clause.id), "{}", clause.id);
            assert!(clause.sentence.ends_with('.'), "{}", clause.id);
        }
        assert_eq!(
            Clause::find("§4.5").unwrap().source(),
            Source::Specification
        );
        assert_eq!(Clause::find("R9").unwrap().source(), Source::Decision);
    }
}
