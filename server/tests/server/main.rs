//! Every rule of the specification and the decisions that touches the six operations, over HTTP against a real server
//! with a database of its own.

#![allow(unreachable_pub, reason = "nothing is outside of a test binary")]
mod support;

mod authentication;
mod bodies;
mod client_examples;
mod concurrent_detach;
mod credits;
mod detach_commission_line;
mod exactness;
mod faults;
mod form;
mod get_partner;
mod get_payout;
mod headers;
mod history;
mod key_life;
mod list_commission_lines;
mod list_partners;
mod lists;
mod log;
mod matrices;
mod partner_race;
mod pending_pool;
mod plans;
mod proxies;
mod rate_limit;
mod request_id;
mod routing;
mod scopes;
mod update_partner;
mod update_partner_form;
mod versions;
