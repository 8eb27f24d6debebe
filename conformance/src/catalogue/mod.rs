//! The faults, by subject. A new one is an entry in the table of its file.
//!
//! | file | what is broken |
//! |---|---|
//! | `keys` | which keys and scopes are accepted, and how a refused one is answered |
//! | `tenancy` | whose data is shown and changed |
//! | `framework` | paths, methods, bodies, `x-request-id`, `api-version` |
//! | `shapes` | the form of what is answered |
//! | `lists` | order, filters, cursors and limits of lists |
//! | `patches` | how a PATCH of a partner is read |
//! | `partners` | what a partner is afterwards |
//! | `detaching` | detaching a commission line |
//! | `statements` | which document a payout has |
//! | `links` | downloads |
//! | `printed` | what a PDF shows |
//! | `meters` | the headers of the allowances |
//! | `charges` | what is counted |
//! | `life` | partners, payouts and batches that are created and changed |
//! | `edited` | lines that are created, edited and declined |
//! | `allowed` | nothing: variations that conform |

mod allowed;
mod charges;
mod detaching;
mod edited;
mod framework;
mod keys;
mod life;
mod links;
mod lists;
mod meters;
mod partners;
mod patches;
mod printed;
mod shapes;
mod statements;
mod tenancy;

use crate::{probes, proxy::Fault};

const TABLES: [&[Fault]; 15] = [
    keys::FAULTS,
    tenancy::FAULTS,
    framework::FAULTS,
    shapes::FAULTS,
    lists::FAULTS,
    patches::FAULTS,
    partners::FAULTS,
    detaching::FAULTS,
    statements::FAULTS,
    links::FAULTS,
    printed::FAULTS,
    meters::FAULTS,
    charges::FAULTS,
    life::FAULTS,
    edited::FAULTS,
];

/// Every fault: those of the tables, then those of the probes.
pub(crate) fn list() -> impl Iterator<Item = &'static Fault> {
    TABLES.into_iter().flatten().chain(probes::faults())
}

pub(crate) fn find(id: &str) -> Option<&'static Fault> {
    list().find(|fault| fault.id == id)
}

/// Variations that conform, such as further fields: no fault, and no case may fail on them.
pub(crate) fn variations() -> impl Iterator<Item = &'static Fault> {
    allowed::FAULTS.iter()
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
