//! Every seeded fault: those by hand, which stand beside the cases that notice them, and those of
//! the probes.

use crate::{
    cases, invariants, probes,
    proxy::{Fault, variations},
};

/// The faults by hand, then those of the probes.
pub(crate) fn list() -> impl Iterator<Item = &'static Fault> {
    let by_hand = cases::FAULTS.into_iter().chain([invariants::faults::FAULTS]).flatten();
    by_hand.chain(probes::faults())
}

pub(crate) fn find(id: &str) -> Option<&'static Fault> {
    list().find(|fault| fault.id == id)
}

/// Variations that conform, such as further fields: no fault, and no case may fail on them.
pub(crate) fn variations() -> impl Iterator<Item = &'static Fault> {
    variations::FAULTS.iter()
}

/// The fault or variation with this id.
pub(crate) fn find_shown(id: &str) -> Option<&'static Fault> {
    list().chain(variations()).find(|fault| fault.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_are_unique_and_plain() {
        let mut ids = HashSet::new();
        for Fault { id, sentence, .. } in list().chain(variations()) {
            assert!(ids.insert(id), "{id} is listed twice");
            let is_plain = |byte: u8| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte)
            };
            assert!(id.bytes().all(is_plain), "{id}");
            assert!(sentence.ends_with('.'), "{id}: {sentence}");
        }
        assert!(find("missing-key-403").is_some() && find("no-such-fault").is_none());
        assert!(variations().all(|variation| variation.id.starts_with("allowed-")));
        assert!(find("allowed-chunks").is_none() && find_shown("allowed-chunks").is_some());
    }
}
