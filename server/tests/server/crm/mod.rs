//! Syncs with a CRM (X21): what they change, when they are tried again, who runs them, and what a
//! CRM, a caller or a copy of the database cannot do.

mod effects;
mod plans;
mod secrets;
mod stub;
mod tries;
mod workers;

use std::{
    io::Write as _,
    process::{Command, Output, Stdio},
};

use payout_server::config::ServeOptions;
use serde_json::Value;

use self::stub::{Crm, TOKEN};
use crate::support::{
    Key, Replica, TestServer,
    dataset::{MAIN, OTHER},
    until,
};

/// A company with two partners.
const COMPANY: &str = "9002";
const PROPERTIES: [&str; 8] = [
    "--partner-type=p_partners",
    "--partner-properties=region,deals,credit,industry",
    "--company-properties=region,industry",
    "--crm-allow-private-addresses",
    "crm",
    "connect",
    "--organization",
    "--url",
];

/// A server that may reach the CRM of a test, and looks for work often.
fn options(serve: &mut ServeOptions) {
    serve.crm.connection.crm_allow_private_addresses = true;
    serve.crm.crm_poll_milliseconds = 10;
}

/// A server, and a CRM that main and other are connected to.
async fn start() -> (TestServer, Crm) {
    start_with(|_| {}).await
}

async fn start_with(change: impl FnOnce(&mut ServeOptions)) -> (TestServer, Crm) {
    let crm = Crm::start().await;
    let server = TestServer::start_with(|serve| {
        options(serve);
        change(serve);
    })
    .await;
    for organization in [MAIN, OTHER] {
        connect(&server, organization, &crm.url()).await;
    }
    (server, crm)
}

/// Runs a command of an operator, with a token at its standard input.
async fn command(server: &TestServer, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_payout-server"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("DATABASE_URL", server.database.app_url());
    command.env("PAYOUT_DATA_DIR", server.folder());
    let run = move || {
        let mut running = command.spawn().unwrap();
        let mut input = running.stdin.take().unwrap();
        // A command that reads no token has closed it.
        let _ = input.write_all(format!("{TOKEN}\n").as_bytes());
        drop(input);
        running.wait_with_output().unwrap()
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

async fn succeed(server: &TestServer, arguments: &[&str]) -> String {
    let output = command(server, arguments).await;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    assert!(output.status.success(), "{text}");
    assert!(!text.contains(TOKEN), "{text}");
    text
}

async fn connect(server: &TestServer, organization: &str, url: &str) -> String {
    let [partner_type, partner, company, allow, crm, connect, of, to] = PROPERTIES;
    let arguments =
        [crm, connect, of, organization, to, url, partner_type, partner, company, allow];
    succeed(server, &arguments).await
}

/// Asks for a sync; its id, and whether it was queued already.
async fn sync(server: &Replica, key: Key, kind: &str, object: &str) -> (String, bool) {
    let path = format!("/api/v1/crm/objects/{kind}/sync/{object}");
    let queued = server.post(key, &path).expect(202).await;
    assert_eq!(queued.text_at("/data/status"), "QUEUED");
    (queued.id(), queued.body["data"]["alreadyQueued"] == true)
}

/// The sync as it is now.
async fn read(server: &Replica, key: Key, id: &str) -> Value {
    let path = format!("/api/v1/crm/syncs/{id}");
    server.get(key, &path).expect(200).await.body["data"].take()
}

/// The sync once it has ended.
async fn ended(server: &Replica, key: Key, id: &str) -> Value {
    until(async || !read(server, key, id).await["finishedAt"].is_null()).await;
    read(server, key, id).await
}

/// Syncs an object of main; how it ends.
async fn synced(server: &TestServer, kind: &str, object: &str) -> Value {
    let (id, _) = sync(server, Key::MAIN, kind, object).await;
    ended(server, Key::MAIN, &id).await
}

/// The code of a sync that failed.
fn failure(sync: &Value) -> &str {
    assert_eq!(sync["status"], "FAILED", "{sync}");
    sync["failure"]["code"].as_str().unwrap()
}
