//! Why a document was refused, for the person who has to mend it.
//!
//! It refuses to speak without a place: every refusal names file, line and column.

use std::{io, path::PathBuf};

use crate::place::Place;

/// A document that could not be loaded, or a part of it that could not be used.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The file could not be read at all.
    #[error("{}: cannot read the document: {source}", path.display())]
    Unreadable {
        /// The file as it was named by the caller.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The document says something it must not say.
    #[error("{0}")]
    Refused(Box<Refusal>),
}

/// What is wrong, where, and how to mend it where that is known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {}{problem}{}", subject(pointer), advice(mend.as_deref()))]
pub struct Refusal {
    /// Where the faulty member stands.
    pub place: Place,
    /// JSON pointer of the faulty member; empty for faults of the text itself.
    pub pointer: String,
    /// What is wrong.
    pub problem: String,
    /// How to mend it.
    pub mend: Option<String>,
}

impl DocumentError {
    /// The refusal, if it is one.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Unreadable { .. } => None,
            Self::Refused(refusal) => Some(refusal),
        }
    }

    pub(crate) fn refused(place: Place, pointer: &str, problem: impl Into<String>) -> Self {
        Self::Refused(Box::new(Refusal {
            place,
            pointer: pointer.to_owned(),
            problem: problem.into(),
            mend: None,
        }))
    }

    pub(crate) fn with_mend(mut self, advice: impl Into<String>) -> Self {
        if let Self::Refused(refusal) = &mut self {
            refusal.mend = Some(advice.into());
        }
        self
    }
}

fn subject(pointer: &str) -> String {
    if pointer.is_empty() {
        String::new()
    } else {
        format!("{pointer}: ")
    }
}

fn advice(mend: Option<&str>) -> String {
    mend.map(|mend| format!("; {mend}")).unwrap_or_default()
}
