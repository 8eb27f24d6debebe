//! The gate (§2, A1–A8): what it costs that every request is known, counted and charged, durably, before it is answered.
//!
//! It refuses a figure of admission alone: every call is a whole getPayout, from the connection to the last byte.
//!
//! | file | owns |
//! |---|---|
//! | [`mod@measure`] | the subject from build to report |
//! | [`contest`] | who is measured beside whom, and the ratios |
//! | [`overload`] | three times as many who ask as at the peak |
//! | [`scripts`] | what pgbench does: the read alone, the whole contract |
//! | [`data`] | the organisations |
//! | [`goals`] | what must be reached |
//! | [`present`] | tables, how to read them |

mod contest;
mod data;
mod goals;
mod measure;
mod overload;
mod present;
mod scripts;

pub(crate) use measure::measure;
