//! The identity that the gate gives to handlers: always a `Caller`, never an option.

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
