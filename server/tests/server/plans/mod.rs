//! The plans of every read, on twenty thousand lines: an index condition with the organisation and
//! the keyset, never a scan of a table, never a sort. Lines that mature are read in the same way.
//!
//! The store's own function runs; the session reports the statement that it prepared. The suite
//! sees no plan.

mod explain;
mod lists;
mod maturity;
mod rows;
mod single;
