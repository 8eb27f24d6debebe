//! The cases, one file or folder per subject, in the order of reports.
//!
//! | file | subject |
//! |---|---|
//! | `keys` | authentication |
//! | `scopes` | authorisation |
//! | `tenancy` | isolation of organisations |
//! | `meters` | minutes and credits |
//! | `costs` | what each request costs |
//! | `framework` | paths, methods and headers that no operation sees |
//! | `bodies` | bodies before any operation sees them |
//! | `lists` | pages, cursors, filters and items of both lists |
//! | `partners` | one partner: read and changed |
//! | `lines` | detached lines |
//! | `payouts` | payouts |
//! | `statements` | statements: which document, when another, when none |
//! | `links` | links to statements |
//!
//! and what they share:
//!
//! | file | owns |
//! |---|---|
//! | `prelude` | what almost every case uses |
//! | `locked_partner` | a partner that is changed and restored |
//! | `retry` | comparisons that other clients may disturb |
//! | `walk` | lists, page by page |
//! | `dataset` | the project's data set, as responses show it |
//! | `money` | what lines, payouts, statements and links have in common |

/// A table of cases: `{ "id" "clause" how(function) "sentence" .option(…) }`, on common options.
///
/// `how` is one of
/// * `run`: the function as it is;
/// * `retry`: again where it fails ([`retry::retry`]);
/// * `retry_locked`: again under the lock where it fails ([`money::lock::retry_locked`]);
/// * `lock`: `function(context, lock)` under the lock ([`money::lock::lock`]);
/// * `lock_partner`: `function(context, partner)` ([`locked_partner::lock_partner`]).
macro_rules! cases {
    ($options:expr; $({
        $id:literal $clause:literal $how:ident($($function:tt)+) $sentence:literal $($option:tt)*
    })*) => {
        &[$($options.case($id, $clause, $sentence, how!($how($($function)+))) $($option)*),*]
    };
}

macro_rules! how {
    (run($name:ident $(, $argument:expr)*)) => {
        &|context| Box::pin($name(context $(, $argument)*))
    };
    (retry($name:ident $(, $argument:expr)*)) => {
        &|context| {
            Box::pin($crate::cases::retry::retry(context, async |context| {
                $name(context $(, $argument)*).await
            }))
        }
    };
    (retry_locked($name:ident $(, $argument:expr)*)) => {
        &|context| {
            Box::pin($crate::cases::money::lock::retry_locked(context, |context| {
                Box::pin($name(context $(, $argument)*))
            }))
        }
    };
    (lock($name:ident)) => {
        &|context| {
            Box::pin($crate::cases::money::lock::lock(context, |context, lock| {
                Box::pin($name(context, lock))
            }))
        }
    };
    (lock_partner($name:ident $(, $argument:expr)*)) => {
        &|context| {
            Box::pin($crate::cases::locked_partner::lock_partner(context, |context, partner| {
                Box::pin($name(context, partner $(, $argument)*))
            }))
        }
    };
}

pub(crate) mod costs;
mod dataset;
mod framework;
mod keys;
mod lines;
mod links;
mod lists;
mod locked_partner;
mod meters;
mod money;
mod partners;
mod payouts;
mod prelude;
pub(crate) mod retry;
mod statements;
mod tenancy;
pub(crate) mod walk;

use crate::{case::Case, exchange::request::escaped};

const SUBJECTS: &[&[Case]] = &[
    keys::CASES,
    tenancy::CASES,
    meters::CASES,
    costs::CASES,
    framework::CASES,
    lists::filters::CASES,
    lists::items::CASES,
    lists::amounts::CASES,
    partners::read::CASES,
    partners::shape::CASES,
    partners::change::CASES,
    partners::text::CASES,
    partners::ids::CASES,
    partners::unchanged::CASES,
    partners::rejections::CASES,
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

fn partner_path(id: &str) -> String {
    format!("/api/v1/partners/{}", escaped(id))
}

pub(crate) fn all() -> impl Iterator<Item = &'static Case> {
    SUBJECTS.iter().flat_map(|cases| cases.iter())
}
