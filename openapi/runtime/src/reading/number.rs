//! Numbers with a fraction, as `f64`.
#![expect(clippy::disallowed_types, reason = "a number of a document, no money")]

use serde_json::Value;

use super::{
    body::{FromJson, wrong_type},
    rules::{FromText, Invalid, Violation, Violations},
};
use crate::problem::IssueCode;

impl FromJson for f64 {
    type Value = Self;

    fn from_json(
        value: Value,
        pointer: &str,
        violations: &mut Violations,
    ) -> Result<Self, Invalid> {
        value.as_f64().ok_or_else(|| wrong_type(&value, "a number", pointer, violations))
    }
}

impl FromText for f64 {
    fn from_text(text: &str) -> Result<Self, Violation> {
        // As JSON writes it: Rust also reads `inf` and `+1`.
        serde_json::from_str(text)
            .map_err(|_| (IssueCode::WrongType, "must be a number such as 1.5".to_owned()))
    }
}
