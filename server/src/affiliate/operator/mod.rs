//! What operators do with affiliate links (X18): they make, list and disable them.

pub mod store;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;

use super::model::Rate;

/// A link to make. What it pays never changes.
#[derive(Clone, Debug)]
pub struct NewLink<'a> {
    pub partner_id: &'a str,
    pub target_url: &'a str,
    pub plan_name: &'a str,
    pub rate: &'a Rate,
    pub hold_days: i32,
    pub window_days: i32,
}

/// A link, with the name of its partner.
#[derive(Clone, Debug)]
pub struct Link {
    pub id: String,
    pub code: String,
    pub partner_id: String,
    pub partner_name: String,
    pub target_url: String,
    pub plan_name: String,
    pub percent: Option<Decimal>,
    pub fixed_amount: Option<Decimal>,
    pub currency: Option<String>,
    pub hold_days: i32,
    pub window_days: i32,
    pub disabled_at: Option<DateTime<Utc>>,
}

/// What disabling a link did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disabled {
    Now,
    Before(DateTime<Utc>),
    NotFound,
}

/// Returns the path of a link, below the address of the portal.
pub fn path_of(code: &str) -> String {
    format!("{}/{code}", super::redirect::FOLDER)
}
