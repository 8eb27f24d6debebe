//! Every seeded fault: those by hand, which stand beside the cases that notice them, and those of
//! the probes.

use std::sync::LazyLock;

use crate::{cases, probes, proxy::Fault};

/// The faults by hand and the variations, by their ids.
static BY_HAND: LazyLock<Vec<&'static Fault>> = LazyLock::new(|| {
    let mut all: Vec<_> = inventory::iter::<Fault>().chain(cases::faults::TABLE.iter()).collect();
    all.sort_by_key(|fault| fault.id);
    all
});

fn is_variation(fault: &&Fault) -> bool {
    fault.id.starts_with("allowed-")
}

/// The faults by hand, then those of the probes.
pub(crate) fn list() -> impl Iterator<Item = &'static Fault> {
    BY_HAND.iter().copied().filter(|fault| !is_variation(fault)).chain(probes::faults())
}

pub(crate) fn find(id: &str) -> Option<&'static Fault> {
    list().find(|fault| fault.id == id)
}

/// Variations that conform, such as further fields: no fault, and no case may fail on them.
pub(crate) fn variations() -> impl Iterator<Item = &'static Fault> {
    BY_HAND.iter().copied().filter(is_variation)
}

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
        assert!(find("allowed-chunks").is_none() && find_shown("allowed-chunks").is_some());
    }
}
