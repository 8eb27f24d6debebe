//! Who asks: what the gate hands to a handler. A handler has a `Caller`, never a maybe.

use std::sync::Arc;

use crate::id::OrganizationId;

/// The holder of a valid key with the operation's scope, admitted and charged.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Whose data this request may touch.
    pub organization: OrganizationId,
    /// The key's id, for the history.
    pub key_id: Arc<str>,
    /// The request's id, for the history and the log (R13).
    pub request_id: Arc<str>,
}
