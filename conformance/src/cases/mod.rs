//! The cases, one file per subject. Their order is that of reports.
//!
//! They refuse to know a server: what they ask for is said by the specification or by a decision, which each names.
//!
//! | file | subject |
//! |---|---|
//! | `keys` | who is let in |
//! | `scopes` | what a key may do |
//! | `tenancy` | what belongs to another organisation |
//! | `meters` | minutes and credits |
//! | `costs` | what each request costs |
//! | `framework` | paths, methods and headers that no operation sees |
//! | `bodies` | bodies before any operation sees them |
//! | `lists` | pages, cursors, filters and items of both lists |
//! | `partners` | one partner: read and changed |
//! | `lines` | lines that are detached |
//! | `payouts` | payouts |
//! | `statements` | statements: which document, when another, when none |
//! | `links` | links to statements |
//!
//! and what they share:
//!
//! | file | owns |
//! |---|---|
//! | `borrowed` | a partner that is changed and given back |
//! | `steady` | comparisons that others may disturb |
//! | `seeded` | the project's data set, as responses show it |
//! | `money` | what lines, payouts, statements and links work with alike |

mod bodies;
mod borrowed;
mod costs;
mod framework;
mod keys;
mod lines;
mod links;
mod lists;
mod meters;
mod money;
mod partners;
mod payouts;
mod scopes;
mod seeded;
mod statements;
mod steady;
mod tenancy;

use crate::case::Case;

const SUBJECTS: &[&[Case]] = &[
    keys::CASES,
    scopes::CASES,
    tenancy::CASES,
    tenancy::lists::CASES,
    meters::CASES,
    costs::CASES,
    framework::CASES,
    bodies::CASES,
    lists::limits::CASES,
    lists::pages::CASES,
    lists::cursors::CASES,
    lists::filters::CASES,
    lists::refusals::CASES,
    lists::items::CASES,
    lists::amounts::CASES,
    partners::read::CASES,
    partners::shape::CASES,
    partners::change::CASES,
    partners::text::CASES,
    partners::ids::CASES,
    partners::unchanged::CASES,
    partners::refusals::CASES,
    partners::references::CASES,
    lines::CASES,
    payouts::CASES,
    statements::CASES[0],
    statements::CASES[1],
    statements::CASES[2],
    statements::CASES[3],
    statements::CASES[4],
    links::CASES,
];

/// Ids that a careless look-up takes for this one: cut, longer, with a parameter of its segment behind it, and in letters of the
/// other case.
fn nearly(id: &str) -> [String; 4] {
    let lower = id.to_ascii_lowercase();
    let other_case = if lower == id {
        id.to_ascii_uppercase()
    } else {
        lower
    };
    let cut = &id[..id.floor_char_boundary(id.len().saturating_sub(1))];
    [
        cut.to_owned(),
        format!("{id}0"),
        format!("{id};v=1"),
        other_case,
    ]
}

/// All cases, in the order of reports.
#[must_use]
pub fn all() -> Vec<&'static Case> {
    SUBJECTS.iter().flat_map(|cases| cases.iter()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::clause::Clause;

    #[test]
    fn each_case_has_an_id_of_its_own_and_proves_a_clause() {
        let mut seen = BTreeSet::new();
        for case in all() {
            assert!(seen.insert(case.id), "{} stands twice", case.id);
            assert!(
                Clause::find(case.clause).is_some(),
                "{}: no clause {}",
                case.id,
                case.clause
            );
            assert!(case.sentence.ends_with('.'), "{}", case.id);
            let is_plain =
                |letter: char| letter.is_ascii_lowercase() || "-.0123456789".contains(letter);
            assert!(case.id.chars().all(is_plain), "{}", case.id);
        }
    }
}
