//! Why a document cannot be used, with file, line and column.

use std::{io, path::PathBuf};

use crate::place::Place;

/// A document that cannot be loaded, or a part of it that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    #[error("{}: cannot read the document: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{0}")]
    Invalid(Box<Diagnostic>),
}

/// A finding: what is wrong, where, and how to fix it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {}{problem}{}", subject(pointer), suffix(help.as_deref()))]
pub struct Diagnostic {
    pub place: Place,
    /// JSON pointer of the member; empty for errors of the text itself.
    pub pointer: String,
    pub problem: String,
    pub help: Option<String>,
}

impl DocumentError {
    /// The diagnostic of an invalid document.
    pub fn diagnostic(&self) -> Option<&Diagnostic> {
        match self {
            Self::Unreadable { .. } => None,
            Self::Invalid(diagnostic) => Some(diagnostic),
        }
    }

    pub(crate) fn invalid(place: Place, pointer: &str, problem: impl Into<String>) -> Self {
        Self::Invalid(Box::new(Diagnostic {
            place,
            pointer: pointer.to_owned(),
            problem: problem.into(),
            help: None,
        }))
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        if let Self::Invalid(diagnostic) = &mut self {
            diagnostic.help = Some(help.into());
        }
        self
    }
}

fn subject(pointer: &str) -> String {
    match pointer {
        "" => String::new(),
        pointer => format!("{pointer}: "),
    }
}

fn suffix(help: Option<&str>) -> String {
    help.map(|help| format!("; {help}")).unwrap_or_default()
}
