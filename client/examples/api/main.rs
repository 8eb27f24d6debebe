//! A program for each operation of the API: `cargo run --example api <program> …`.
//!
//! Each module is such a program. In a program of yours, `run` is `main`.

mod attach_commission_line;
mod create_commission_line;
mod create_partner;
mod create_payout;
mod create_payout_batch;
mod decline_commission_line;
mod detach_commission_line;
mod download_statement;
mod export_commission_lines;
mod get_commission_line;
mod get_partner;
mod get_payout;
mod get_payout_batch;
mod list_commission_lines;
mod list_partners;
mod list_payout_batches;
mod list_payouts;
mod meters;
mod testkit;
mod trace_requests;
mod update_commission_line;
mod update_partner;
mod update_payout;

use std::{env, error::Error, iter::Skip};

/// The arguments after the name of the program.
type Arguments = Skip<env::Args>;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments = env::args().skip(2);
    match env::args().nth(1).unwrap_or_default().as_str() {
        "attach_commission_line" => attach_commission_line::run(arguments).await,
        "create_commission_line" => create_commission_line::run(arguments).await,
        "create_partner" => create_partner::run(arguments).await,
        "create_payout" => create_payout::run(arguments).await,
        "create_payout_batch" => create_payout_batch::run(arguments).await,
        "decline_commission_line" => decline_commission_line::run(arguments).await,
        "detach_commission_line" => detach_commission_line::run(arguments).await,
        "download_statement" => download_statement::run(arguments).await,
        "export_commission_lines" => export_commission_lines::run(arguments).await,
        "get_commission_line" => get_commission_line::run(arguments).await,
        "get_partner" => get_partner::run(arguments).await,
        "get_payout" => get_payout::run(arguments).await,
        "get_payout_batch" => get_payout_batch::run(arguments).await,
        "list_commission_lines" => list_commission_lines::run(arguments).await,
        "list_partners" => list_partners::run(arguments).await,
        "list_payout_batches" => list_payout_batches::run().await,
        "list_payouts" => list_payouts::run(arguments).await,
        "meters" => meters::run(arguments).await,
        "testkit" => testkit::run().await,
        "trace_requests" => trace_requests::run(arguments).await,
        "update_commission_line" => update_commission_line::run(arguments).await,
        "update_partner" => update_partner::run(arguments).await,
        "update_payout" => update_payout::run(arguments).await,
        _ => Err("usage: api <program> …; client/README.md lists the programs".into()),
    }
}
