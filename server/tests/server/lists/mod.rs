//! The two lists (§4.1, §4.4; R6–R10): limits, order, filters, cursors, and a walk while rows come
//! and go. Every result is compared with the whole list, read from the tables.

mod concurrency;
mod cursors;
mod filters;
mod limits;
mod order;
mod walk;
