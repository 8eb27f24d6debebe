//! What an operation responds.

use serde_json::Value;

use super::{Operation, Type};

#[derive(Debug)]
pub(in crate::codegen) struct Success {
    pub(in crate::codegen) status: u16,
    /// The body in the preferred representation.
    pub(in crate::codegen) body: Option<Type>,
    /// All of them, the preferred one first.
    pub(in crate::codegen) representations: Vec<Representation>,
    /// The headers that the handler fills.
    pub(in crate::codegen) headers: Vec<Header>,
}

#[derive(Debug)]
pub(in crate::codegen) struct Representation {
    /// As the document writes it.
    pub(in crate::codegen) media_type: String,
    pub(in crate::codegen) value: Type,
}

/// A header of a response.
#[derive(Debug)]
pub(in crate::codegen) struct Header {
    pub(in crate::codegen) name: String,
    pub(in crate::codegen) description: String,
    pub(in crate::codegen) required: bool,
    pub(in crate::codegen) value: Type,
}

/// How an error leaves the server.
#[derive(Debug, PartialEq)]
pub(in crate::codegen) enum ErrorForm {
    Json {
        media_type: String,
        schema: String,
        fill: Fill,
    },
    /// The message, in this media type.
    Text(String),
    Empty,
}

/// What fills the schema of an error.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::codegen) enum Fill {
    /// `FillError`, by the author of the server.
    ByHand,
    /// The members, in the order of the object's fields; the object is the schema or the only one
    /// inside of it.
    Members { object: String, members: Vec<Member> },
}

/// What a member of an error has.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::codegen) enum Member {
    Absent,
    Code,
    Constant(Value),
    Details,
    Message,
    Reason,
    Status,
}

impl Operation {
    /// The only success of a handler, where it has nothing to choose.
    pub(in crate::codegen) fn only_success(&self) -> Option<&Success> {
        match (self.successes.as_slice(), &self.other) {
            ([only], None) => Some(only),
            _ => None,
        }
    }

    /// What a handler may return: the successes, and the one with any other status.
    pub(in crate::codegen) fn replies(&self) -> impl Iterator<Item = &Success> {
        self.successes.iter().chain(&self.other)
    }

    /// Returns true if a handler chooses a representation.
    pub(in crate::codegen) fn has_representations(&self) -> bool {
        self.replies().any(|reply| reply.representations.len() > 1)
    }

    /// Every documented status, ascending.
    pub(in crate::codegen) fn statuses(&self) -> Vec<u16> {
        let successes = self.successes.iter().map(|success| success.status);
        let mut statuses: Vec<u16> = successes.chain(self.errors.iter().copied()).collect();
        statuses.sort_unstable();
        statuses.dedup();
        statuses
    }
}
