//! Clauses: the sentences that cases prove, by section of the specification or id of the decision.
//! `clause/specification.txt` quotes the specification; `clause/decisions.txt` has the decisions
//! that an outside observer can test where it says nothing. A decision about one operation that
//! is not the core's needs no line there: its sentences are the operation's description.

use std::{borrow::Cow, sync::LazyLock};

use openapi_document::Operation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{document::DOCUMENT, target::Profiles};

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

#[derive(Debug)]
pub(crate) struct Clause {
    /// A section such as `§4.5`, a rule of it such as `§4.7.2`, or a decision such as `R9`.
    pub(crate) id: &'static str,
    pub(crate) sentence: Cow<'static, str>,
}

/// All, those of the specification first: a line each, its id and its sentence.
static CLAUSES: LazyLock<Vec<Clause>> = LazyLock::new(|| {
    let texts = [include_str!("clause/specification.txt"), include_str!("clause/decisions.txt")];
    let lines = texts.into_iter().flat_map(str::lines);
    let lines = lines.filter_map(|line| line.split_once(' '));
    let mut clauses: Vec<Clause> =
        lines.map(|(id, sentence)| Clause { id, sentence: sentence.into() }).collect();
    let is_extended = |operation: &&Operation| operation.profile.as_deref() != Some(Profiles::CORE);
    let operations = DOCUMENT.operations().iter().filter(is_extended);
    for description in operations.filter_map(|operation| operation.description.as_deref()) {
        // The first name after the sections of the specification is its own decision.
        let own = description.split_once("(§").and_then(|(sentences, rest)| {
            let (names, _) = rest.split_once(')')?;
            let id = names.split(", ").find(|name| name.starts_with(char::is_alphabetic))?;
            Some((id, sentences))
        });
        let is_known = |id: &str| clauses.iter().any(|clause| clause.id == id);
        if let Some((id, sentences)) = own.filter(|(id, _)| !is_known(id)) {
            let words: Vec<&str> = sentences.split_whitespace().collect();
            clauses.push(Clause { id, sentence: words.join(" ").into() });
        }
    }
    clauses
});

impl Clause {
    pub(crate) fn find(id: &str) -> Option<&'static Self> {
        Self::all().find(|clause| clause.id == id)
    }

    /// Those that a description of the document names in brackets, as in `(§4.3, R2)`.
    pub(crate) fn named_in(description: &str) -> impl Iterator<Item = &'static Self> {
        let brackets = description.split('(').skip(1).filter_map(|rest| rest.split_once(')'));
        brackets.flat_map(|(inside, _)| inside.split(", ")).filter_map(Self::find)
    }

    /// All, those of the specification first.
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        CLAUSES.iter()
    }

    pub(crate) fn source(&self) -> Source {
        if self.id.starts_with('§') { Source::Specification } else { Source::Decision }
    }
}

/// Clauses that no case is about and not every response is judged by, and why.
const WITHOUT_CASE: &str = include_str!("clause/without-case.txt");
const EVERY_RESPONSE: &str = include_str!("clause/every-response.txt");

/// The clauses that every response is judged by.
pub(crate) fn of_every_response<'text>() -> impl Iterator<Item = &'text str> {
    EVERY_RESPONSE.lines()
}

pub(crate) fn is_judged_by_every_response(clause: &str) -> bool {
    of_every_response().any(|known| known == clause)
}

/// Why no case is about a clause; none if one is.
pub(crate) fn reason_without_case(id: &str) -> Option<&'static str> {
    let mut lines = WITHOUT_CASE.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(clause, _)| *clause == id).map(|(_, reason)| reason)
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
        for line in WITHOUT_CASE.lines().chain(EVERY_RESPONSE.lines()) {
            let id = line.split(' ').next().unwrap();
            assert!(seen.contains(id), "{id}");
        }
        assert_eq!(Clause::find("§4.5").unwrap().source(), Source::Specification);
        let named = Clause::named_in("Returns the line to the pool. (§3.1, §4.5, R11)");
        assert_eq!(named.map(|clause| clause.id).collect::<Vec<_>>(), ["§4.5", "R11"]);
        assert_eq!(Clause::find("R9").unwrap().source(), Source::Decision);
    }
}
