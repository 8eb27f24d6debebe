//! What the request log reports of a request with a valid key.

use std::sync::Arc;

use poem::Response;

use super::admission::Admission;
use crate::contract::Operation;

/// Fields that a response carries to the log in its extensions.
#[derive(Clone, Debug)]
pub(crate) struct LogFields {
    pub(crate) operation: &'static str,
    pub(crate) organization: String,
    pub(crate) key_id: Arc<str>,
}

impl LogFields {
    pub(super) fn of(operation: Operation, admission: &Admission) -> Self {
        Self {
            operation: operation.info().id,
            organization: admission.organization.to_string(),
            key_id: Arc::clone(&admission.key_id),
        }
    }

    pub(super) fn attach_to(self, mut response: Response) -> Response {
        response.extensions_mut().insert(self);
        response
    }
}
