//! What operators do with the portal of a partner: what publishes it, who may enter, and whose
//! session ends.

pub mod store;

use chrono::{DateTime, Utc};

/// An address that may enter the portal of a partner.
#[derive(Clone, Debug)]
pub struct PortalUser {
    pub partner_id: String,
    pub partner_name: String,
    pub email: String,
    pub created_at: DateTime<Utc>,
}

/// A link that can be opened, or a session that has begun.
#[derive(Clone, Debug)]
pub struct OpenSession {
    pub id: String,
    pub email: String,
    pub created_at: DateTime<Utc>,
    /// `None` as long as nobody has opened its link.
    pub opened_at: Option<DateTime<Utc>>,
    pub expires_at: DateTime<Utc>,
}

/// Which sessions of a partner end: all, one visitor's, or one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ending<'a> {
    pub email: Option<&'a str>,
    pub session_id: Option<&'a str>,
}
