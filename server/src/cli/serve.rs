//! `serve`: the server itself. It does not migrate, and it requires a role that row-level security
//! applies to.

use std::{
    io::{IsTerminal as _, Write},
    net::SocketAddr,
};

use clap::Args;
use futures_util::future::select_all;
use sd_notify::NotifyState;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::{arguments::unknown_variables, database::DatabaseOptions, error::CliError};
use crate::{
    assembly::{self, CheckedDatabase},
    config::ServeOptions,
    gate::Environment,
    http::{health::Health, listener::Bound, rlimit},
    statements::{
        links::{FOLDER, LinkSigner},
        storage::Storage,
    },
    telemetry::{self, AccessLog, Metrics, Spans, Telemetry},
};

/// Serve the API until Ctrl-C, SIGTERM or SIGHUP
///
/// Requires the current schema version or a newer one (run `payout-server migrate`) and a role
/// without privileges. Log lines go to standard error as JSON; RUST_LOG selects them.
#[derive(Args, Debug)]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    options: ServeOptions,
}

impl ServeArguments {
    pub(crate) fn worker_threads(&self) -> usize {
        self.options.worker_threads()
    }
}

pub(crate) async fn run(
    database_options: &DatabaseOptions,
    arguments: ServeArguments,
) -> Result<(), CliError> {
    telemetry::begin();
    let options = arguments.options;
    require_database_url(database_options, &options)?;
    for name in unknown_variables() {
        tracing::warn!(name, "no flag reads this environment variable: is it misspelt?");
    }
    let mut signals = StopSignals::listen()?;
    let database = database_options.open().await?;
    let limits = options.connection_limits();
    rlimit::raise_open_files(limits.connections);
    let bound = Bound::bind(options.listen).await;
    let bound = bound.map_err(|error| listen_error("--listen", options.listen, &error))?;
    let health_bound = Bound::bind(options.health.health_listen).await;
    let health_bound = health_bound
        .map_err(|error| listen_error("--health-listen", options.health.health_listen, &error))?;
    let (address, health_address) = (bound.address(), health_bound.address());
    // Opening the store reads the database, and would report a bad one less clearly.
    let checked = CheckedDatabase::check(&database.urls.app, &options).await?;
    let storage = database_options.storage_of(&database, &options.assets, false).await?;
    let links = options.statements.links.open(&database_options.folder()?, address)?;
    let crm_keys = options.crm.connection.keys_of_server(&database_options.folder()?)?;
    let pdfs = format!("{}; links: {}", storage.name(), begin_of_links(&storage, &links));
    let metrics = Metrics::default();
    let spans = Spans::from_environment(&metrics)?;
    // The writer ends with this function, after it has written every line.
    let (access_log, _writer) = telemetry::request_level()
        .map(|level| AccessLog::start(std::io::stderr(), level, metrics.clone()))
        .unzip();
    let access_log = access_log.unwrap_or_default();
    let telemetry = Telemetry { metrics, access_log, spans: spans.clone(), ..Telemetry::default() };
    let service =
        assembly::service(checked, &options, storage, links, crm_keys, &telemetry).await?;
    let health =
        Health::new(&database.urls.app, options.session_limits(), telemetry.metrics.clone())?;
    let data = database.description()?;
    tracing::info!(database = data, pdfs, version = env!("CARGO_PKG_VERSION"), "the server starts");
    // Serves to the end, to report that the server drains.
    let (never, limits_there) = (std::future::pending(), Health::limits());
    let probed = health_bound.serve(health.clone(), never, limits_there, Telemetry::default());
    let probed = tokio::spawn(probed);
    announce(address, health_address, &format!("Data  {data}\nPDFs  {pdfs}"));
    tell_systemd(NotifyState::Ready);
    let stop = async {
        let is_interrupt = signals.next().await == SignalKind::interrupt();
        health.drain();
        tell_systemd(NotifyState::Stopping);
        if !is_interrupt {
            // Until a balancer has noticed, its new connections are served.
            let _ = tokio::time::timeout(options.lame_duck(), signals.next()).await;
        }
    };
    bound.serve(service, stop, limits, telemetry).await;
    spans.end().await;
    probed.abort();
    database.close().await?;
    Ok(())
}

/// A database of the server's own is right for a first try, and not where it serves others.
fn require_database_url(
    database: &DatabaseOptions,
    options: &ServeOptions,
) -> Result<(), CliError> {
    match options.environment {
        Environment::Live => database.require_url("--environment live"),
        Environment::Test if options.listen.ip().is_loopback() => Ok(()),
        Environment::Test => database.require_url(&format!("--listen {}", options.listen)),
    }
}

/// Returns the beginning of links, which shows a forgotten --public-url.
fn begin_of_links(storage: &Storage, links: &LinkSigner) -> String {
    if storage.signs_links() {
        "signed by the store".to_owned()
    } else {
        format!("{}{FOLDER}… (--public-url)", links.public_url())
    }
}

/// Prints the addresses. A closed standard output does not stop the server.
fn announce(address: SocketAddr, health: SocketAddr, places: &str) {
    let text = format!(
        "API   http://{address}/api/v1\nDocs  http://{address}/docs\n\
         Health http://{health}/readyz\n{places}\n"
    );
    let mut output = std::io::stdout().lock();
    let _ = output.write_all(text.as_bytes());
    if output.is_terminal() {
        let _ = output.write_all(b"Ctrl-C stops the server.\n");
    }
    let _ = output.flush();
}

/// `systemctl start` waits until the server is ready (`Type=notify` in the unit), and `systemctl
/// status` shows that it stops. Nothing is sent where systemd did not start this server.
fn tell_systemd(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "systemd cannot be told about this server's state");
    }
}

pub fn listen_error(flag: &str, address: SocketAddr, error: &std::io::Error) -> CliError {
    let why = match error.kind() {
        std::io::ErrorKind::AddrInUse => "another program uses it".to_owned(),
        _ => error.to_string(),
    };
    CliError::message(format!(
        "cannot listen on {address}: {why}. Name another address with {flag}, such as \
         {flag} 127.0.0.1:0 for a free port"
    ))
}

/// Ready on Ctrl-C, SIGTERM or SIGHUP. Listens from now on, so that no signal during the start is
/// lost.
pub fn stop_signal() -> Result<impl Future<Output = ()>, CliError> {
    let mut signals = StopSignals::listen()?;
    Ok(async move {
        signals.next().await;
    })
}

struct StopSignals([(SignalKind, Signal); 3]);

impl StopSignals {
    fn listen() -> Result<Self, CliError> {
        let listen = |kind| {
            let listening = signal(kind).map(|signal| (kind, signal));
            listening
                .map_err(|error| CliError::message(format!("cannot listen for signals: {error}")))
        };
        let interrupt = listen(SignalKind::interrupt())?;
        Ok(Self([interrupt, listen(SignalKind::terminate())?, listen(SignalKind::hangup())?]))
    }

    async fn next(&mut self) -> SignalKind {
        let received = self.0.iter_mut().map(|(kind, signal)| {
            Box::pin(async {
                signal.recv().await;
                *kind
            })
        });
        select_all(received).await.0
    }
}
