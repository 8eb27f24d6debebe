//! The fault of a cache that knows a partner by the id in the path, and not by the partner.
//!
//! It refuses to keep anything while another mutant is active.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
};

use super::{Mutant, is};
use crate::{gate::OrganizationId, partners::model::Partner};

/// By organisation, and by the id that was asked.
type Kept = HashMap<(String, String), Partner>;

static KEPT: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);

/// The partner that GET answers, where the server has `found` this one.
pub(crate) fn partner(own: &OrganizationId, id: &str, found: Option<Partner>) -> Option<Partner> {
    if !is(Mutant::OtherIdStale) {
        return found;
    }
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let partner = kept.entry(key(own, id)).or_insert(found?);
    Some(partner.clone())
}

/// After a PATCH by this id.
pub(crate) fn forget(own: &OrganizationId, id: &str) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.remove(&key(own, id));
}

fn key(own: &OrganizationId, id: &str) -> (String, String) {
    (own.to_string(), id.to_owned())
}
