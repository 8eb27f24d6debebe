//! The plans of every read, on twenty thousand lines: an index condition that holds the organisation and the keyset,
//! never a scan of a table, never a sort.
//!
//! They refuse to copy SQL: the store's own function runs, and the session tells the statement that it prepared.

mod explain;
mod lists;
mod rows;
mod single;
