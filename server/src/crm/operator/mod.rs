//! What operators do with connections to CRMs.

pub mod store;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::token::SealedToken;

/// What a connection reads, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    pub base_url: String,
    /// The CRM's type of objects whose properties a partner has.
    pub partner_type: String,
    /// The CRM's type of objects whose properties a company's partners have.
    pub company_type: String,
    pub partner_properties: Vec<String>,
    pub company_properties: Vec<String>,
}

/// The connection of an organisation.
#[derive(Clone, Debug)]
pub struct Connection {
    pub id: String,
    pub settings: Settings,
    pub token: SealedToken,
    pub connected_at: DateTime<Utc>,
    /// Syncs that have not ended.
    pub open_syncs: i64,
}
