//! Why a document was refused, for the person who has to help it.
//!
//! It refuses to speak without a place: every diagnostic names file, line and column.

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
    Invalid(Box<Diagnostic>),
}

/// What is wrong, where, and how to help it where that is known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {}{problem}{}", subject(pointer), advice(help.as_deref()))]
pub struct Diagnostic {
    /// Where the faulty member stands.
    pub place: Place,
    /// JSON pointer of the faulty member; empty for faults of the text itself.
    pub pointer: String,
    /// What is wrong.
    pub problem: String,
    /// How to help it.
    pub help: Option<String>,
}

impl DocumentError {
    /// The diagnostic, if it is one.
    #[must_use]
    pub fn diagnostic(&self) -> Option<&Diagnostic> {
        match self {
            Self::Unreadable { .. } => None,
            Self::Invalid(diagnostic) => Some(diagnostic),
        }
    }

    pub(crate) fn refused(place: Place, pointer: &str, problem: impl Into<String>) -> Self {
        Self::Invalid(Box::new(Diagnostic {
            place,
            pointer: pointer.to_owned(),
            problem: problem.into(),
            help: None,
        }))
    }

    pub(crate) fn with_help(mut self, advice: impl Into<String>) -> Self {
        if let Self::Invalid(diagnostic) = &mut self {
            diagnostic.help = Some(advice.into());
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

fn advice(help: Option<&str>) -> String {
    help.map(|help| format!("; {help}")).unwrap_or_default()
}
