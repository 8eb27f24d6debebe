//! Seeded faults, for the proof of the conformance suite: built with the feature `mutants`, the server breaks the one
//! clause that the variable `MUTANT` names, at the place where a real bug would sit.
//!
//! It refuses to be shipped: without the feature [`is`] is `false` while compiling, so that nothing of it is left; with it a
//! release build does not compile.
//!
//! | file | owns |
//! |---|---|
//! | `table` | every mutant: number, name, broken clause, what is broken |
//! | `active` | which one is active, and the command that lists them |
//! | `scopes`, `requests`, `shapes` | the larger faults of the gate: scopes, requests and answers rewritten |
//! | `kept`, `lists`, `tenancy`, `lines`, `statements` | the larger faults of handlers |

#[cfg(all(feature = "mutants", not(debug_assertions)))]
compile_error!(
    "the feature `mutants` breaks the server on purpose: build it without --release, in a target folder of its own"
);

#[cfg(feature = "mutants")]
mod active;
#[cfg(feature = "mutants")]
pub(crate) mod kept;
#[cfg(feature = "mutants")]
pub(crate) mod lines;
#[cfg(feature = "mutants")]
pub(crate) mod lists;
#[cfg(feature = "mutants")]
pub(crate) mod requests;
#[cfg(feature = "mutants")]
pub(crate) mod scopes;
#[cfg(feature = "mutants")]
pub(crate) mod shapes;
#[cfg(feature = "mutants")]
pub(crate) mod statements;
mod table;
#[cfg(feature = "mutants")]
pub(crate) mod tenancy;

#[cfg(feature = "mutants")]
pub(crate) use active::{begin, is, listed};
pub(crate) use table::Mutant;

/// Whether this mutant is active: never, in a server without the feature.
#[cfg(not(feature = "mutants"))]
#[inline]
pub(crate) const fn is(_: Mutant) -> bool {
    false
}

#[cfg(test)]
mod tests;
