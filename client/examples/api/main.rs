//! A program for each operation of the API: `cargo run --example api <program> …`.
//!
//! Each function of these modules is such a program, and its comment shows its arguments.

mod comments;
mod commission_lines;
mod conversions;
mod crm;
mod export_commission_lines;
mod forms;
mod meters;
mod partners;
mod payouts;
mod portal;
mod testkit;
mod trace_requests;

use std::{env, error::Error};

use payout_client::Client;

use self::{
    comments::*, commission_lines::*, conversions::*, crm::*, export_commission_lines::*, forms::*,
    meters::*, partners::*, payouts::*, portal::*, testkit::*, trace_requests::*,
};

/// The arguments after the name of the program.
type Arguments = std::iter::Skip<env::Args>;
type Outcome = Result<(), Box<dyn Error>>;

#[tokio::main]
async fn main() -> Outcome {
    let program = env::args().nth(1).unwrap_or_default();
    let arguments = env::args().skip(2);
    if program == "testkit" {
        return testkit().await;
    }
    let client = Client::from_env()?;
    match program.as_str() {
        "attach_commission_line" => attach_commission_line(client, arguments).await,
        "create_comment" => create_comment(client, arguments).await,
        "create_commission_line" => create_commission_line(client, arguments).await,
        "create_conversion" => create_conversion(client, arguments).await,
        "create_form_submission" => create_form_submission(client, arguments).await,
        "create_partner" => create_partner(client, arguments).await,
        "create_payout" => create_payout(client, arguments).await,
        "create_payout_batch" => create_payout_batch(client, arguments).await,
        "create_portal_session" => create_portal_session(client, arguments).await,
        "decline_commission_line" => decline_commission_line(client, arguments).await,
        "detach_commission_line" => detach_commission_line(client, arguments).await,
        "download_statement" => download_statement(client, arguments).await,
        "export_commission_lines" => export_commission_lines(client, arguments).await,
        "get_commission_line" => get_commission_line(client, arguments).await,
        "get_partner" => get_partner(client, arguments).await,
        "get_payout" => get_payout(client, arguments).await,
        "get_payout_batch" => get_payout_batch(client, arguments).await,
        "list_comments" => list_comments(client, arguments).await,
        "list_commission_lines" => list_commission_lines(client, arguments).await,
        "list_conversions" => list_conversions(client, arguments).await,
        "list_form_submissions" => list_form_submissions(client, arguments).await,
        "list_forms" => list_forms(client, arguments).await,
        "list_partners" => list_partners(client, arguments).await,
        "list_payout_batches" => list_payout_batches(client, arguments).await,
        "list_payouts" => list_payouts(client, arguments).await,
        "meters" => meters(client, arguments).await,
        "reverse_conversion" => reverse_conversion(client, arguments).await,
        "sync_crm_object" => sync_crm_object(client, arguments).await,
        "trace_requests" => trace_requests(arguments).await,
        "update_commission_line" => update_commission_line(client, arguments).await,
        "update_partner" => update_partner(client, arguments).await,
        "update_payout" => update_payout(client, arguments).await,
        _ => Err("usage: api <program> …; client/README.md lists the programs".into()),
    }
}

/// The arguments that a program must have.
fn exactly<const N: usize>(
    arguments: impl Iterator<Item = String>,
    usage: &str,
) -> Result<[String; N], String> {
    let arguments: Vec<String> = arguments.take(N).collect();
    arguments.try_into().map_err(|_| format!("usage: {usage}"))
}
