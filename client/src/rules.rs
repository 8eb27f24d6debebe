//! The rules of the document for what is sent.

use std::fmt::Display;

use crate::{
    Error,
    types::{Violation, ViolationCode as Code, ViolationLocation as Location},
};

/// The error of a request with one violation.
pub(crate) fn unsent(location: Location, path: &str, problem: impl Display) -> Error {
    Error::InvalidRequest { issues: vec![violation(location, path, Code::BadFormat, problem)] }
}

pub(crate) fn violation(in_: Location, path: &str, code: Code, problem: impl Display) -> Violation {
    let unknown_fields = Default::default();
    Violation { in_, path: path.to_owned(), code, message: problem.to_string(), unknown_fields }
}
