//! Writes an error with its causes for the log, and finds the SQLSTATE behind it.

use std::{error::Error, sync::Arc};

use sqlx::error::DatabaseError;

/// Returns the error, and the causes that its own text leaves out. Of the database's errors only
/// the message: a detail may hold a tenant's data.
pub(crate) fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut text = String::new();
    for cause in chain(error) {
        let reported = reported_by_database(cause).map(DatabaseError::message);
        let cause = reported.map_or_else(|| cause.to_string(), ToOwned::to_owned);
        if !text.contains(&cause) {
            text.push_str(if text.is_empty() { "" } else { ": " });
            text.push_str(&cause);
        }
        if reported.is_some() {
            break;
        }
    }
    text
}

/// Returns the SQLSTATE that the database gave to the error, or to one of its causes.
pub(crate) fn sqlstate(error: &(dyn Error + 'static)) -> Option<String> {
    let reported = chain(error).find_map(reported_by_database)?;
    reported.code().map(Into::into)
}

fn reported_by_database<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a dyn DatabaseError> {
    let shared = error.downcast_ref::<Arc<sqlx::Error>>().map(AsRef::as_ref);
    shared.or_else(|| error.downcast_ref::<sqlx::Error>())?.as_database_error()
}

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}
