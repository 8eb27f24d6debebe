//! Sessions: files of requests, statements in the tables and moves of the clock, one after the
//! other, and what they show as a snapshot. The suite sees no table, moves no clock, holds no lock,
//! sends no malformed request, and reaches one server.

mod requests;

use std::{
    path::Path,
    process::{Command, Stdio},
    sync::LazyLock,
};

use clap::{Args as _, FromArgMatches as _};
use futures_util::{StreamExt as _, future::join_all, stream};
use payout_database::SessionLimits;
use payout_server::{
    config::ServeOptions,
    http::{health::Health, listener::Bound},
    telemetry::Telemetry,
};
use regex::{Captures, Regex};
use serde_json::Value;
use sqlx::{Postgres, Transaction};
use tokio::task::JoinHandle;

use self::requests::{Sending, download, new_id, read, shown_of, wire};
use crate::{
    named::{Names, printed, words},
    state_invariants::broken,
    support::{Key, Replica, TestServer, log, until},
};

/// Sessions at once; more would keep each other from seeing a wait before its time limit.
const SESSIONS: usize = 4;
/// `{x*3}`: a text, and how often it is repeated.
static REPEATED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\{([^{}]+)\*(\d+)\}").expect("a pattern"));

/// A server, and what its lines have set up.
pub(super) struct Session {
    server: TestServer,
    replica: Option<Replica>,
    /// Its health port and the address of that.
    health: Option<(Health, String)>,
    /// Statements that hold locks until the next request waits for them.
    held: Option<Transaction<'static, Postgres>>,
    /// Statements that hold locks until `unlock`.
    locks: Option<Transaction<'static, Postgres>>,
    /// The requests that each `begin` has sent.
    begun: Vec<Vec<JoinHandle<String>>>,
    /// The cursor of the last page.
    cursor: String,
    shows_history: bool,
    shows_log: bool,
    shows_lines: bool,
    /// The bodies of all errors.
    pub(super) errors: Vec<Value>,
}

/// The options of these flags.
fn options(flags: &str) -> ServeOptions {
    // A later flag overrides those that all tests share.
    let flags = format!(
        "serve --listen 127.0.0.1:0 --anonymous-requests-per-minute 100000 --requests-in-flight \
         10000 --requests-in-flight-per-organization 10000 {flags}"
    );
    let serve = ServeOptions::augment_args(clap::Command::new("serve")).args_override_self(true);
    ServeOptions::from_arg_matches(&serve.get_matches_from(flags.split_whitespace())).unwrap()
}

impl Session {
    /// Starts a server with these flags.
    pub(super) async fn start(flags: &str) -> Self {
        Self {
            server: TestServer::start_with(|all| *all = options(flags)).await,
            replica: None,
            health: None,
            held: None,
            locks: None,
            begun: Vec::new(),
            cursor: String::new(),
            shows_history: false,
            shows_log: false,
            shows_lines: false,
            errors: Vec::new(),
        }
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.server.folder()).stdin(Stdio::null());
        command.env("DATABASE_URL", self.server.database.app_url());
        command.env("PAYOUT_DATA_DIR", self.server.folder());
        command.env("PROGRAM", env!("CARGO_BIN_EXE_payout-server"));
        command
    }

    fn shell(&self, script: &str) -> Command {
        self.command("sh", &["-eu", "-c", script])
    }

    /// Runs a line, in which `{server}`, `{replica}` and `{health}` are addresses, `{folder}` is
    /// the folder of the server, `{key}` main's key of all scopes, `{cursor}` the cursor of the
    /// last page, and `{x*3}` is `xxx`. Returns what it prints:
    ///
    /// - `fresh FLAGS`, `replica FLAGS`: a new server; a second one on its database
    /// - `health`, `drain`: opens a health port; begins to drain
    /// - `clock INSTANT`, `limits ORGANIZATION REQUESTS CREDITS`: the database's clock, the limits
    /// - `do STATEMENTS`: the number of rows that they change
    /// - `hold STATEMENTS`: does them while the next request waits for them
    /// - `lock STATEMENTS`, `unlock`: does them, and undoes them
    /// - `begin [N] REQUEST`, or a download or a script: sends it N times, and goes on
    /// - `ended N`: waits until so many have ended
    /// - `end`: what each of them prints; those of one line are sorted
    /// - `until QUERY`, `until metrics METRIC VALUE`, `until read LINK STATUS TEXT`: waits until it
    ///   is so
    /// - `read LINK [PREFIX]`: its status, and its lines that begin so
    /// - `sql QUERY`: its one value
    /// - `metrics PREFIX`: those whose names begin so
    /// - `program ARGUMENTS`, `sh SCRIPT`: both outputs of a command of the program, or of the
    ///   shell, in the folder of the server
    /// - `download [head | range BYTES] LINK`, `download LINK FROM TO`: the status of a link, in
    ///   which one text may be replaced, and a code or a digest
    /// - `walk TABLE PATH [PARAMETER=VALUE]…`: reads a list to its end with each set of these
    ///   filters, and requires the rows that meet all of them; their numbers
    /// - `wire BYTES`: sends them, with `\n` for the end of a line; each response
    /// - `consistent`: the violated invariants of the database
    /// - `history`: shows what each later request leaves in the history
    /// - `log`, `lines`: shows the failures and warnings, or the line, of each later request
    /// - a request; see [`Self::parse`]
    pub(super) async fn run(&mut self, line: &str) -> Option<String> {
        let folder = self.server.folder().to_str().unwrap().to_owned();
        let replica = self.replica.as_ref().map_or("", Replica::base_url);
        let health = self.health.as_ref().map_or("", |(_, base_url)| base_url);
        let line = line.replace("{server}", self.server.base_url()).replace("{replica}", replica);
        let line = line.replace("{health}", health);
        let line = line.replace("{folder}", &folder).replace("{cursor}", &self.cursor);
        let line = line.replace("{key}", self.server.key(Key::MAIN));
        let repeat = |found: &Captures<'_>| found[1].repeat(found[2].parse().unwrap());
        let line = REPEATED.replace_all(&line, repeat);
        let (first, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match first {
            "history" => self.shows_history = true,
            "lines" => self.shows_lines = true,
            "log" => {
                log::begin();
                self.shows_log = true;
            }
            _ => return Some(self.act(first, rest, &line).await.replace(&folder, "{folder}")),
        }
        None
    }

    /// Changes the servers, or reads what they and their database show.
    async fn act(&mut self, first: &str, rest: &str, line: &str) -> String {
        let server = &self.server;
        match first {
            "fresh" => {
                let errors = std::mem::take(&mut self.errors);
                *self = Self { errors, ..Self::start(rest).await };
            }
            "replica" => {
                self.replica = Some(server.replica_with(|all| *all = options(rest)).await);
            }
            "health" => self.health = Some(health_port(server).await),
            "drain" => self.health.as_ref().expect("a health port").0.drain(),
            "clock" => server.database.set_clock(rest).await.unwrap(),
            "limits" => {
                let words: Vec<&str> = rest.split(' ').collect();
                let credits = words[2].parse().ok();
                server.set_limits(words[0], words[1].parse().unwrap(), credits).await;
            }
            "hold" => self.held = Some(server.hold(rest).await),
            "lock" => self.locks = Some(server.hold(rest).await),
            "unlock" => self.locks.take().unwrap().rollback().await.unwrap(),
            "begin" => {
                let counted = rest.split_once(' ').and_then(|(count, line)| {
                    let count: usize = count.parse().ok()?;
                    Some((count, line))
                });
                let (count, line) = counted.unwrap_or((1, rest));
                let begun = (0..count).map(|_| self.begin(line)).collect();
                self.begun.push(begun);
            }
            "ended" => {
                let count: usize = rest.parse().unwrap();
                let begun = || self.begun.iter().flatten();
                until(async || begun().filter(|one| one.is_finished()).count() >= count).await;
            }
            "until" => match rest.split_once(' ').expect("a condition") {
                ("metrics", metric) => {
                    until(async || server.metrics().lines().any(|line| line == metric)).await;
                }
                ("read", rest) => {
                    let (link, text) = rest.split_once(' ').expect("a link and what it shows");
                    until(async || read(server.follow(link), "").await.trim_end() == text).await;
                }
                _ => until(async || server.value::<bool>(rest).await).await,
            },
            _ => return self.show(first, rest, line).await,
        }
        String::new()
    }

    async fn show(&mut self, first: &str, rest: &str, line: &str) -> String {
        let server = &self.server;
        match first {
            "end" => {
                let mut shown = String::new();
                for begun in std::mem::take(&mut self.begun) {
                    let ended = join_all(begun).await.into_iter().map(Result::unwrap);
                    let mut ended: Vec<String> = ended.collect();
                    ended.sort_unstable();
                    shown += &ended.concat();
                }
                shown
            }
            "do" => format!("{} rows\n", server.execute(rest).await),
            "sql" => server.value::<Option<String>>(rest).await.unwrap_or_default() + "\n",
            "metrics" => {
                let metrics = server.metrics();
                let named = metrics.lines().filter(|line| line.starts_with(rest));
                let mut named: Vec<String> = named.map(|line| format!("{line}\n")).collect();
                named.sort_unstable();
                named.concat()
            }
            "program" => {
                let program = env!("CARGO_BIN_EXE_payout-server");
                outputs(self.command(program, &words(rest))).await.unwrap()
            }
            "sh" => outputs(self.shell(rest)).await.unwrap(),
            "download" => {
                let id = new_id();
                let shown = download(self.follow(rest).header("x-request-id", &id)).await;
                shown + &self.traces(&id).await
            }
            "read" => {
                let (link, prefix) = rest.split_once(' ').unwrap_or((rest, ""));
                read(server.follow(link), prefix).await
            }
            "walk" => self.walk(rest).await,
            "wire" => wire(server.base_url(), rest).await,
            "consistent" => broken(&server.superuser).await.join("\n"),
            _ => self.request(line).await,
        }
    }

    /// The request of `LINK`, `LINK FROM TO`, `head LINK` or `range BYTES LINK`.
    fn follow(&self, line: &str) -> reqwest::RequestBuilder {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["head", link] => reqwest::Client::new().head(link),
            ["range", range, link] => self.server.follow(link).header("range", range),
            [link, from, to] => self.server.follow(&link.replacen(from, to, 1)),
            _ => self.server.follow(line),
        }
    }

    /// Sends a request, follows a link or runs a script meanwhile.
    fn begin(&self, line: &str) -> JoinHandle<String> {
        if let Some(link) = line.strip_prefix("download ") {
            let link = self.follow(link);
            return tokio::spawn(download(link));
        }
        if let Some(script) = line.strip_prefix("sh ") {
            return outputs(self.shell(script));
        }
        let Sending { request, shown, .. } = self.parse(line);
        tokio::spawn(async move { shown_of(&request.send().await, &shown) })
    }
}

/// Starts the health port of a server.
pub(super) async fn health_port(server: &TestServer) -> (Health, String) {
    let (url, limits) = (server.database.app_url(), SessionLimits::default());
    let health = Health::new(url, limits, server.registry()).unwrap();
    let bound = Bound::bind(([127, 0, 0, 1], 0).into()).await.unwrap();
    let base_url = format!("http://{}", bound.address());
    let (served, never) = (health.clone(), std::future::pending());
    tokio::spawn(bound.serve(served, never, Health::limits(), Telemetry::default()));
    (health, base_url)
}

/// Runs a command on a thread of its own.
fn outputs(mut command: Command) -> JoinHandle<String> {
    tokio::task::spawn_blocking(move || printed(&mut command))
}

/// Each session begins with a server of its own, whose clock stands at noon of 15 June 2026.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_session_shows_what_its_snapshot_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/server/sessions");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.collect();
    assert!(files.len() > 4, "{files:?}");
    let shown = stream::iter(files).map(async |file| {
        let lines = std::fs::read_to_string(&file).unwrap();
        let mut session = Session::start("").await;
        let transcript =
            Names::default().transcript(&lines, async |line: &str| session.run(line).await).await;
        (file, transcript)
    });
    for (file, transcript) in shown.buffer_unordered(SESSIONS).collect::<Vec<_>>().await {
        insta::assert_snapshot!(file.file_stem().unwrap().to_str().unwrap(), transcript);
    }
}
