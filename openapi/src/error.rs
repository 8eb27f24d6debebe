//! Why a document cannot be used, with file, line and column.

use std::{io, path::PathBuf};

use crate::place::Place;

/// A document that cannot be loaded, or a part of it that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    #[error("{}: cannot read the document: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// At least one finding.
    #[error("{}", lines(.0))]
    Invalid(Vec<Diagnostic>),
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
    /// What is wrong with an invalid document.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Unreadable { .. } => &[],
            Self::Invalid(diagnostics) => diagnostics,
        }
    }

    pub(crate) fn invalid(place: Place, pointer: &str, problem: impl Into<String>) -> Self {
        let (pointer, problem) = (pointer.to_owned(), problem.into());
        Self::Invalid(vec![Diagnostic { place, pointer, problem, help: None }])
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        if let Self::Invalid(diagnostics) = &mut self
            && let Some(last) = diagnostics.last_mut()
        {
            last.help = Some(help.into());
        }
        self
    }

    /// Runs every check, and joins what they find.
    pub(crate) fn all(checks: impl IntoIterator<Item = Result<(), Self>>) -> Result<(), Self> {
        let mut found = Vec::new();
        for check in checks {
            match check {
                Err(Self::Invalid(diagnostics)) => found.extend(diagnostics),
                other => other?,
            }
        }
        if found.is_empty() { Ok(()) } else { Err(Self::Invalid(found)) }
    }
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
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
