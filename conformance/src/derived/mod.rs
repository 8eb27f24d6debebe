//! The faults that the document carries itself: for what it says of each operation, a deployment
//! that does not keep it. A fault has the id of the derived case that must notice it, such as
//! `list-partners.query.limit.too-large`.

mod bodies;
mod idempotency;
mod keys;
mod lists;
mod maker;
mod order;
mod outcomes;
mod queries;
mod routes;
mod states;
mod untouched;

use std::sync::LazyLock;

use openapi_document::Operation;

use crate::{document::DOCUMENT, proxy::Fault};
use maker::Maker;
pub(crate) use order::{Check, pairs};

/// Adds the faults of one family about one operation.
type Family = fn(&mut Maker, &'static Operation);

const FAMILIES: [Family; 10] = [
    keys::derive,
    routes::derive,
    order::derive,
    queries::derive,
    bodies::derive,
    outcomes::derive,
    idempotency::derive,
    lists::derive,
    states::derive,
    untouched::derive,
];

static FAULTS: LazyLock<Vec<Fault>> = LazyLock::new(|| {
    let mut faults = Vec::new();
    for operation in DOCUMENT.operations() {
        let mut maker = Maker::new(operation);
        for family in FAMILIES {
            family(&mut maker, operation);
        }
        faults.extend(maker.faults);
    }
    faults
});

pub(crate) fn list() -> impl Iterator<Item = &'static Fault> {
    FAULTS.iter()
}
