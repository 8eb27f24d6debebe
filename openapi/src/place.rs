//! Places in a document, and the map from JSON pointers to them.

use std::{collections::HashMap, fmt, sync::Arc};

use crate::pointer;

/// A place in a document, displayed as `file:line:column`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The name the document was loaded under.
    pub file: Arc<str>,
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1, in characters.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Line and column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Position {
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    pub(crate) fn new(line: usize, column: usize) -> Self {
        Self {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }
}

/// The position of every mapping member (its key) and sequence element of one document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Positions(HashMap<Box<str>, Position>);

impl Positions {
    /// Records a position; `Err` with the first one for a duplicate key.
    pub(crate) fn note(&mut self, pointer: &str, position: Position) -> Result<(), Position> {
        match self.0.get(pointer) {
            Some(first) => Err(*first),
            None => {
                self.0.insert(pointer.into(), position);
                Ok(())
            }
        }
    }

    /// The position of `pointer`, or of its nearest known ancestor.
    pub(crate) fn nearest(&self, pointer: &str) -> Position {
        let ancestors = std::iter::successors(Some(pointer), |known| pointer::parent(known));
        ancestors
            .filter_map(|ancestor| self.0.get(ancestor).copied())
            .next()
            .unwrap_or(Position::START)
    }
}
