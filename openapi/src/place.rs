//! Where something stands: file, line, column; and the map from JSON pointers to such places.
//!
//! It refuses to guess: a pointer it does not know gets the place of its nearest known ancestor.

use std::{collections::HashMap, fmt, sync::Arc};

use crate::pointer;

/// A place in a document. Displays as `file:line:column`, which editors and terminals open.
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

/// Line and column, without the file all of them share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Position {
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    /// A document is bounded far below four thousand million lines, so saturation never shows.
    pub(crate) fn new(line: usize, column: usize) -> Self {
        Self {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }
}

/// The position of every mapping member (its key) and sequence element of one document.
#[derive(Debug, Default)]
pub(crate) struct Positions(HashMap<Box<str>, Position>);

impl Positions {
    /// Notes a position; `Err` with the first one when the pointer is already taken, which means
    /// that a mapping holds the same key twice.
    pub(crate) fn note(&mut self, pointer: &str, position: Position) -> Result<(), Position> {
        match self.0.get(pointer) {
            Some(first) => Err(*first),
            None => {
                self.0.insert(pointer.into(), position);
                Ok(())
            }
        }
    }

    /// The position of `pointer`, else of its nearest known ancestor.
    pub(crate) fn nearest(&self, pointer: &str) -> Position {
        let ancestors = std::iter::successors(Some(pointer), |known| pointer::parent(known));
        ancestors
            .filter_map(|ancestor| self.0.get(ancestor).copied())
            .next()
            .unwrap_or(Position::START)
    }
}
