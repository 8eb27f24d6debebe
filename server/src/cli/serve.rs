//! `serve`: the server itself.
//!
//! It refuses to migrate, and to run as a role that row-level security does not bind.

use std::{io::Write, net::SocketAddr};

use clap::Args;

use super::{database::DatabaseOptions, error::CliError};
use crate::{
    app,
    config::ServeOptions,
    http::{health::Health, listener::Bound, open_files, telemetry},
    statements::{
        links::{FOLDER, LinkSigner},
        storage::Storage,
    },
    telemetry::Telemetry,
};

/// Serve the API until Ctrl-C or SIGTERM
///
/// Refuses a database of another schema version (run `payout-server migrate`), and a role with privileges. Log lines go to
/// standard error as JSON; RUST_LOG chooses which.
#[derive(Args, Debug)]
pub struct ServeArguments {
    #[command(flatten)]
    options: ServeOptions,
}

/// Runs the command.
///
/// # Errors
/// The database does not fit, or the port is taken.
pub async fn run(
    database_options: &DatabaseOptions,
    arguments: ServeArguments,
) -> Result<(), CliError> {
    telemetry::begin();
    let options = arguments.options;
    let stop = stop_signal()?;
    let database = database_options.open().await?;
    let limits = options.connection_limits();
    open_files::allow(limits.connections);
    let bound = Bound::bind(options.listen).await;
    let bound = bound.map_err(|error| refused("--listen", options.listen, &error))?;
    let health_bound = Bound::bind(options.health_listen).await;
    let health_bound =
        health_bound.map_err(|error| refused("--health-listen", options.health_listen, &error))?;
    let (address, health_address) = (bound.address(), health_bound.address());
    let storage = database_options.storage(&options.assets).await?;
    let links = options
        .statements
        .links
        .open(&database_options.folder()?, address)?;
    let places = format!(
        "PDFs  {}; links: {}",
        storage.place(),
        begin_of_links(&storage, &links)
    );
    let url = &database.urls.app;
    let telemetry = Telemetry::default();
    let service = app::service(url, &options, storage, links, &telemetry).await?;
    let health = Health::new(url, telemetry.metrics.clone())?;
    // Answers to the end, so that whoever asks is told that the server drains.
    let (nobody, limits_there) = (std::future::pending(), Health::limits());
    let probed = health_bound.serve(health.clone(), nobody, limits_there, Telemetry::default());
    let probed = tokio::spawn(probed);
    announce(address, health_address, &places);
    let stop = async {
        stop.await;
        health.drain();
    };
    bound.serve(service, stop, limits, telemetry).await;
    probed.abort();
    database.close().await?;
    Ok(())
}

/// How links begin: an operator who forgot --public-url shall see it before a partner does.
fn begin_of_links(storage: &Storage, links: &LinkSigner) -> String {
    if storage.signs_links() {
        "the store's own".to_owned()
    } else {
        format!("{}{FOLDER}… (--public-url)", links.public_url())
    }
}

/// Tells where the API is. A server outlives whoever read this, so a closed standard output is no failure of it.
fn announce(address: SocketAddr, health: SocketAddr, places: &str) {
    let text = format!(
        "API   http://{address}/api/v1\nDocs  http://{address}/docs\nHealth http://{health}/readyz\n{places}\nCtrl-C ends the server.\n"
    );
    let mut output = std::io::stdout().lock();
    let _ = output.write_all(text.as_bytes());
    let _ = output.flush();
}

/// Why an address could not be bound, and what to do.
pub(super) fn refused(flag: &str, address: SocketAddr, error: &std::io::Error) -> CliError {
    let why = match error.kind() {
        std::io::ErrorKind::AddrInUse => "another program answers there".to_owned(),
        _ => error.to_string(),
    };
    CliError::told(format!(
        "cannot listen on {address}: {why}. Name another address with {flag}, such as {flag} 127.0.0.1:0 for a free port"
    ))
}

/// Ready when the process is asked to end. Listens from now on, so that no signal during the start is lost.
///
/// # Errors
/// The system gives no signals.
pub(super) fn stop_signal() -> Result<impl Future<Output = ()>, CliError> {
    use tokio::signal::unix::{SignalKind, signal};
    let failed = |error| CliError::told(format!("signals cannot be listened to: {error}"));
    let mut interrupted = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut terminated = signal(SignalKind::terminate()).map_err(failed)?;
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}
