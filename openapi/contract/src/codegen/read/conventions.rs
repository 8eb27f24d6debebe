//! Which of our extensions a document uses: all are optional, but where one is used, it is used
//! everywhere.

use std::collections::BTreeSet;

use openapi_document::{Document, Status};

use crate::codegen::names::has_status_name;

/// What the document's extensions and responses tell about all of its operations.
#[derive(Debug)]
pub(super) struct Conventions {
    /// `x-error-codes`: every error lists its codes. Else each status is a code.
    pub(super) codes: bool,
    /// The statuses of errors that a response for many of them stands for.
    pub(super) error_statuses: BTreeSet<u16>,
}

/// Those that a server sends, documented or not.
const USUAL: [u16; 12] = [400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 503];

impl Conventions {
    pub(super) fn of(document: &Document) -> Self {
        let operations = document.operations();
        let responses = || operations.iter().flat_map(|operation| &operation.responses);
        let documented = responses().filter_map(|response| match response.status {
            Status::Code(status) if response.status.is_error() => Some(status),
            _ => None,
        });
        let known = documented.filter(|status| has_status_name(*status));
        Self {
            codes: responses().any(|response| !response.error_codes.is_empty()),
            error_statuses: known.chain(USUAL).collect(),
        }
    }
}
