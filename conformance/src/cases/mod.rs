//! The cases by hand, one file or folder per subject, in the order of reports. A case is a function
//! with the attribute `#[case]`; its id is its place below this module, `partners.ids.tier` for
//! `partners::ids::tier`.

pub(crate) mod costs;
mod dataset;
pub(crate) mod faults;
mod framework;
mod keys;
pub(crate) mod life;
mod lines;
mod links;
mod lists;
mod meters;
mod money;
pub(crate) mod partners;
mod payouts;
mod prelude;
mod statements;
mod tenancy;
pub(crate) mod walk;

use std::sync::LazyLock;

use crate::case::{Case, Registered};

/// The subjects in the order of reports.
const SUBJECTS: [&str; 12] = [
    "keys",
    "tenancy",
    "meters",
    "costs",
    "framework",
    "lists",
    "partners",
    "lines",
    "payouts",
    "statements",
    "links",
    "life",
];

/// The cases by subject, and there in the order of their modules and lines.
static ALL: LazyLock<Vec<&'static Case>> = LazyLock::new(|| {
    let mut registered: Vec<&Registered> = inventory::iter::<Registered>().collect();
    registered.sort_by_key(|registered| (registered.module, registered.line));
    let mut all: Vec<&'static Case> = registered.into_iter().map(placed).collect();
    let subject = |case: &Case| SUBJECTS.iter().position(|subject| case.id.starts_with(subject));
    all.sort_by_key(|case| subject(case).unwrap_or(SUBJECTS.len()));
    all
});

/// The case with its id.
fn placed(registered: &Registered) -> &'static Case {
    let place = registered.module.split_once("::cases::").map_or("", |(_, place)| place);
    let id = format!("{place}::{}", registered.name).replace("::", ".").replace('_', "-");
    Box::leak(Box::new(Case { id: id.leak(), ..registered.case }))
}

/// A request that any key with partners:read can send.
pub(crate) const LIST: &str = "/api/v1/partners?limit=1";
pub(crate) const UNKNOWN_ID: &str = "nobody-has-this-id";

/// Ids that a careless look-up takes for this one: cut, longer, with a path parameter, and in
/// letters of the other case.
pub(crate) fn nearly(id: &str) -> [String; 4] {
    let lower = id.to_ascii_lowercase();
    let other_case = if lower == id { id.to_ascii_uppercase() } else { lower };
    let cut = &id[..id.floor_char_boundary(id.len().saturating_sub(1))];
    [cut.to_owned(), format!("{id}0"), format!("{id};v=1"), other_case]
}

pub(crate) fn all() -> &'static [&'static Case] {
    &ALL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_of_a_case_is_its_place() {
        let ids: Vec<&str> = all().iter().map(|case| case.id).collect();
        let place = |id: &str| ids.iter().position(|other| *other == id).unwrap();
        assert!(place("partners.ids.tier") < place("partners.ids.phase"));
        assert!(place("statements.stage") < place("statements.printed.lines"));
        assert!(place("statements.printed.lines") < place("links.download"));
    }
}
