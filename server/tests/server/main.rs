//! Every rule of the specification and the decisions that concerns an operation, over HTTP
//! against a real server with a database of its own.
//!
//! No test waits for a minute or a month to end: it sets the clock of its database.

#![allow(unreachable_pub, reason = "nothing is outside of a test binary")]
#![expect(
    clippy::unwrap_used,
    reason = "this binary is tests from end to end; Clippy exempts only their bodies"
)]

#[path = "../shared/invariants.rs"]
mod state_invariants;
mod support;

mod admission;
mod amount;
mod authentication;
mod batch_reads;
mod bodies;
mod client_examples;
mod concurrent_detach;
mod credits;
mod detach_commission_line;
mod disconnect;
mod error_lines;
mod exactness;
mod faults;
mod form;
mod generated;
mod get_partner;
mod get_payout;
mod headers;
mod history;
mod key_life;
mod life;
mod limits;
mod list_commission_lines;
mod list_partners;
mod lists;
mod log;
mod matrices;
mod metrics;
mod partner_race;
mod pending_pool;
mod plans;
mod pooler;
mod proxies;
mod rate_limit;
mod refunds;
mod request_id;
mod routing;
mod scopes;
mod statements;
mod under_load;
mod update_partner;
mod update_partner_form;
mod versions;
