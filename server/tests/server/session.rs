//! Sessions: files of requests, statements in the tables and moves of the clock, one after the
//! other, and what they show as a snapshot. The suite sees no table, moves no clock, holds no lock.

use std::{
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
};

use clap::{Args as _, FromArgMatches as _};
use payout_server::config::ServeOptions;
use poem::http::Method;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use sqlx::{AssertSqlSafe, Postgres, Transaction};

use crate::{
    failures::lines_of,
    named::{Names, printed, words},
    state_invariants::broken,
    support::{Key, TestResponse, TestServer, log},
};

/// Actor, action, resource, and its state before and after.
type Row = (String, String, String, Option<Value>, Option<Value>);

/// The number of requests of all sessions: the log is one for all servers.
static NUMBER: AtomicUsize = AtomicUsize::new(0);

/// A server, and what its lines have set up.
struct Session {
    server: TestServer,
    /// Statements that hold locks until the next request waits for them.
    held: Option<Transaction<'static, Postgres>>,
    shows_history: bool,
    shows_log: bool,
}

impl Session {
    /// Starts a server with these flags.
    async fn start(flags: &str) -> Self {
        let server = TestServer::start_with(|options| {
            // A later flag overrides those that all tests share.
            let flags = format!(
                "serve --anonymous-requests-per-minute 100000 --requests-in-flight 10000 \
                 --requests-in-flight-per-organization 10000 {flags}"
            );
            let serve = ServeOptions::augment_args(clap::Command::new("serve"));
            let matches = serve.args_override_self(true).get_matches_from(flags.split_whitespace());
            let flags = ServeOptions::from_arg_matches(&matches).unwrap();
            *options = ServeOptions { listen: options.listen, ..flags };
        });
        Self { server: server.await, held: None, shows_history: false, shows_log: false }
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.server.folder()).stdin(Stdio::null());
        command.env("DATABASE_URL", self.server.database.app_url());
        command.env("PAYOUT_DATA_DIR", self.server.folder());
        command
    }

    /// Follows a link; returns the status, and the code of an error or the digest of a PDF.
    async fn download(&self, link: &str) -> String {
        let response = self.server.follow(link).send().await.unwrap();
        let status = response.status().as_u16();
        let bytes = response.bytes().await.unwrap();
        let error = serde_json::from_slice::<Value>(&bytes).unwrap_or_default();
        match error["error"]["code"].as_str() {
            Some(code) => format!("{status} {code}\n"),
            None => format!("{status} pdf_{}\n", hex::encode_upper(&Sha256::digest(bytes)[..13])),
        }
    }

    /// Runs a line; returns what it prints:
    ///
    /// - `fresh FLAGS`: a new server
    /// - `clock INSTANT`, `limits ORGANIZATION REQUESTS CREDITS`: the database's clock, the limits
    /// - `do STATEMENTS`: the number of rows that they change
    /// - `hold STATEMENTS`: does them while the next request waits for them
    /// - `sql QUERY`: its one value
    /// - `metrics PREFIX`: those whose names begin so
    /// - `program ARGUMENTS`, `sh SCRIPT`: both outputs of a command of the program, or of the
    ///   shell, in the folder of the server
    /// - `download LINK`: the status of a link, and a code or a digest
    /// - `consistent`: the violated invariants of the database
    /// - `history`: shows what each later request leaves in the history
    /// - `log`: shows what each later failure leaves in the log
    /// - a request; see [`Self::request`]
    async fn run(&mut self, line: &str) -> Option<String> {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        let server = &self.server;
        Some(match first {
            "fresh" => {
                *self = Self::start(rest).await;
                String::new()
            }
            "clock" => {
                server.database.set_clock(rest).await.unwrap();
                String::new()
            }
            "limits" => {
                let words: Vec<&str> = rest.split(' ').collect();
                let credits = words[2].parse().ok();
                server.set_limits(words[0], words[1].parse().unwrap(), credits).await;
                String::new()
            }
            "do" => format!("{} rows\n", server.execute(rest).await),
            "hold" => {
                self.held = Some(server.hold(rest).await);
                String::new()
            }
            "sql" => {
                let value = sqlx::query_scalar::<_, Option<String>>(AssertSqlSafe(rest));
                value.fetch_one(&server.superuser).await.unwrap().unwrap_or_default() + "\n"
            }
            "metrics" => {
                let metrics = server.metrics();
                let named = metrics.lines().filter(|line| line.starts_with(rest));
                let mut named: Vec<String> = named.map(|line| format!("{line}\n")).collect();
                named.sort_unstable();
                named.concat()
            }
            "program" => {
                let program = env!("CARGO_BIN_EXE_payout-server");
                printed(&mut self.command(program, &words(rest)))
            }
            "sh" => printed(&mut self.command("sh", &["-eu", "-c", rest])),
            "download" => self.download(rest).await,
            "consistent" => broken(&server.superuser).await.join("\n"),
            "history" => {
                self.shows_history = true;
                return None;
            }
            "log" => {
                log::begin();
                self.shows_log = true;
                return None;
            }
            _ => self.request(line).await,
        })
    }

    /// Sends `[as ORGANIZATION/KEY] METHOD PATH [HEADER=VALUE]… [BODY] [| SHOWN…]`, with main's key
    /// of all scopes unless another is named (`as nobody`: none), and a path below `/api/v1/`
    /// unless it begins with a slash. Shows the status, the code of an error, and what is named:
    /// `text`, `@header`, a JSON pointer, or members of `data`.
    async fn request(&mut self, line: &str) -> String {
        let (line, shown) = line.split_once(" | ").unwrap_or((line, ""));
        let (head, body) = match line.find(['{', '[']) {
            Some(begin) => (&line[..begin], Some(&line[begin..])),
            None => (line, None),
        };
        let mut words: Vec<&str> = head.split_whitespace().collect();
        let key = match words[0] {
            "as" => words.drain(..2).nth(1).unwrap(),
            _ => "main/all",
        };
        let path = match words[1] {
            path if path.starts_with('/') => path.to_owned(),
            path => format!("/api/v1/{path}"),
        };
        let id = format!("session-{}", NUMBER.fetch_add(1, Ordering::SeqCst));
        let server = &self.server;
        let method = Method::from_bytes(words[0].as_bytes()).unwrap();
        let mut request = server.request(method, &path).header("x-request-id", &id);
        if let Some(key) = key.split_once('/') {
            request = request.header("x-api-key", server.named_key(key));
        }
        for (name, value) in words[2..].iter().filter_map(|header| header.split_once('=')) {
            request = request.header(name, value);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_owned());
        }
        let request = tokio::spawn(request.send());
        if let Some(held) = self.held.take() {
            while server.waiting().await == 0 {
                assert!(!request.is_finished(), "the request does not wait");
            }
            held.commit().await.unwrap();
        }
        let response = request.await.unwrap();
        let (status, code) = (response.status.as_u16().to_string(), response.code().to_owned());
        let shown = shown.split_whitespace().map(|shown| show(&response, shown));
        let mut printed = [status, code].into_iter().chain(shown).collect::<Vec<_>>().join(" ");
        printed = printed.replacen("  ", " ", 1).trim_end().to_owned() + "\n";
        if self.shows_log && response.status.as_u16() >= 500 {
            for line in lines_of(&id, 1).await {
                let names = ["level", "organization", "code", "sqlstate", "error"];
                let members = names.iter().map(|name| line[name].as_str().unwrap_or("-"));
                printed += &format!("  {}\n", members.collect::<Vec<_>>().join(" "));
            }
        }
        if self.shows_history {
            printed += &self.history(&id).await;
        }
        printed
    }

    /// The rows of history that a request leaves.
    async fn history(&self, request_id: &str) -> String {
        let rows = "SELECT actor, action, resource_id, before, after FROM history
                     WHERE request_id = $1
                     ORDER BY action, after ->> 'partnerId', after ->> 'currency', resource_id";
        let rows = sqlx::query_as(rows).bind(request_id);
        let rows: Vec<Row> = rows.fetch_all(&self.server.superuser).await.unwrap();
        let shown = rows.into_iter().map(|(actor, action, resource, before, after)| {
            let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
            format!("  {actor} {action} {resource}\n    before {before}\n    after  {after}\n")
        });
        shown.collect()
    }
}

fn show(response: &TestResponse, shown: &str) -> String {
    let pointer = match shown.strip_prefix('@') {
        Some(header) => return response.header(header).unwrap_or("-").to_owned(),
        None if shown == "text" => return response.text.clone(),
        None if shown.starts_with('/') => shown.to_owned(),
        None => format!("/data/{}", shown.replace('.', "/")),
    };
    match response.body.pointer(&pointer) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "-".to_owned(),
    }
}

/// Each session begins with a server of its own, whose clock stands at noon of 15 June 2026.
#[tokio::test]
async fn each_session_shows_what_its_snapshot_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server/sessions");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.collect();
    assert!(files.len() > 4, "{files:?}");
    for file in files {
        let lines = std::fs::read_to_string(&file).unwrap();
        let mut session = Session::start("").await;
        let mut names = Names::default();
        names.set("key", session.server.key(Key::MAIN));
        names.set("folder", session.server.folder().to_str().unwrap());
        let transcript = names.transcript(&lines, async |line: &str| session.run(line).await).await;
        insta::assert_snapshot!(file.file_stem().unwrap().to_str().unwrap(), transcript);
    }
}
