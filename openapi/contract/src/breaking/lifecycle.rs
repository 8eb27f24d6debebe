//! The announced end of what is deprecated: `x-sunset`, a date.

use chrono::{NaiveDate, Utc};

use super::object::Object;

/// Reads the date at the start of a text, such as `2030-01-31` or `2030-01-31T00:00:00Z`.
pub(super) fn date(text: &str) -> Option<NaiveDate> {
    const LENGTH: usize = "2030-01-31".len();
    text.get(..LENGTH)?.parse().ok()
}

/// Returns true if the object is deprecated, and the date announced for its end has passed.
pub(super) fn has_ended(object: &Object<'_>) -> bool {
    let sunset = object.text("x-sunset").and_then(date);
    object.flag("deprecated") && sunset.is_some_and(|date| date < Utc::now().date_naive())
}
