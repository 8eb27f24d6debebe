//! The command `demo`: database, data, server, tour, and their end.
//!
//! It refuses to leave anything behind but its data folder: Ctrl-C ends the server and its PostgreSQL.

use std::{io::Write, net::SocketAddr, process::ExitCode, time::Instant};

use clap::Args;
use payout_database::migrate;
use tokio::sync::oneshot;

use super::tour;
use crate::cli::output::say;
use crate::{
    app,
    cli::{
        database::{Database, DatabaseOptions},
        error::CliError,
        key_file, seed,
        serve::{refused, stop_signal},
    },
    config::ServeOptions,
    http::listener::Bound,
    import::{
        self, read,
        write::{self, Imported},
    },
    statements::storage::{AssetOptions, Storage},
    telemetry::Telemetry,
};

const LISTEN: ([u8; 4], u16) = ([127, 0, 0, 1], 8080);

/// Show the API at work: a database with data, keys, curl lines, and a tour of real calls
///
/// Makes a database of its own (folder `demo` in the data folder), or resets the data set's organisations in the one of
/// DATABASE_URL, imports the data set, starts the server, makes the calls of the tour over HTTP and judges each answer by
/// the OpenAPI document. Then it serves until Ctrl-C.
#[derive(Args, Debug)]
pub struct DemoArguments {
    /// Address and port to answer on [default: 127.0.0.1:8080, or a free port where that is taken]
    #[arg(long, env = "PAYOUT_LISTEN", value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// End after the tour: exit code 0 only if every call was answered as the document says
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    assets: AssetOptions,
}

/// Runs the command.
///
/// # Errors
/// No PostgreSQL, no port, or data that cannot be written.
pub async fn run(
    options: &DatabaseOptions,
    arguments: DemoArguments,
) -> Result<ExitCode, CliError> {
    let begun = Instant::now();
    let options = options.within("demo")?;
    let stop = stop_signal()?;
    let what = match options.database_url {
        Some(_) => "Taking the database of DATABASE_URL",
        None => "Starting PostgreSQL",
    };
    let database = stage(&begun, what, options.open()).await?;
    let what = "Making the schema, importing the data";
    let storage = options.storage(&arguments.assets).await?;
    let imported = stage(&begun, what, prepare(&database, &storage)).await;
    let imported = imported.map_err(|error| with_way_out(error, &options))?;
    let folder = options.folder()?;
    let keys_file = folder.join("keys.env");
    key_file::write(&keys_file, &imported)?;
    let serve_options = ServeOptions::default();
    let bound = bind(arguments.listen).await?;
    let address = bound.address();
    let links = serve_options.statements.links.open(&folder, address)?;
    let (url, telemetry) = (&database.urls.app, Telemetry::default());
    let service = app::service(url, &serve_options, storage, links, &telemetry).await?;
    say!("Serving after {:.3} s.\n", begun.elapsed().as_secs_f64());
    say!("{}", tour::introduction(address, &imported, &keys_file));

    // Dropping the sender ends the server, as Ctrl-C does.
    let (finish, finished) = oneshot::channel::<()>();
    let stop = async move {
        tokio::select! {
            () = stop => {}
            _ = finished => {}
        }
    };
    let limits = serve_options.connection_limits();
    let mut server = tokio::spawn(bound.serve(service, stop, limits, telemetry));
    let all_right = tokio::select! {
        outcome = tour::run(address, &imported, &folder) => told(outcome),
        ended = wait(&mut server) => {
            database.close().await?;
            return ended.map(|()| ExitCode::FAILURE);
        }
    };
    let goes_on = (!arguments.once).then_some(finish);
    if goes_on.is_some() {
        say!("The server goes on at http://{address}. Ctrl-C ends it and its PostgreSQL.");
    }
    wait(&mut server).await?;
    database.close().await?;
    Ok(if all_right || !arguments.once {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Whether the tour went right; why it broke off is told, and the server goes on.
fn told(outcome: Result<bool, CliError>) -> bool {
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        false
    })
}

/// The demo's own data is worth nothing: where a newer server has made it, it may go.
fn with_way_out(error: CliError, options: &DatabaseOptions) -> CliError {
    let CliError::Migrate(_) = &error else {
        return error;
    };
    match (&options.database_url, options.folder()) {
        (None, Ok(folder)) => CliError::told(format!(
            "{error}\nOr throw the demo's data away: rm -r {}",
            folder.display()
        )),
        _ => error,
    }
}

async fn wait(server: &mut tokio::task::JoinHandle<()>) -> Result<(), CliError> {
    let ended = server.await;
    ended.map_err(|error| CliError::told(format!("the server broke: {error}")))
}

async fn prepare(database: &Database, storage: &Storage) -> Result<Vec<Imported>, CliError> {
    database.check_app_role().await?;
    migrate(&database.urls.owner, &database.app_role()?).await?;
    let dataset = read::read(import::DATASET)?;
    // A detach has no inverse: the tour begins with the same data every time.
    seed::reset(database, storage, &dataset).await?;
    let environment = ServeOptions::default().environment;
    Ok(write::import(&database.pool().await?, storage, dataset, environment).await?)
}

/// The named address or none; else the usual one, or a free port where it is taken.
async fn bind(listen: Option<SocketAddr>) -> Result<Bound, CliError> {
    let usual = SocketAddr::from(LISTEN);
    let wanted = listen.unwrap_or(usual);
    match Bound::bind(wanted).await {
        Ok(bound) => Ok(bound),
        Err(error) if listen.is_none() && error.kind() == std::io::ErrorKind::AddrInUse => {
            say!("{usual} is taken by another program; taking a free port (--listen names one).");
            let free = SocketAddr::from((LISTEN.0, 0));
            Bound::bind(free)
                .await
                .map_err(|error| refused("--listen", free, &error))
        }
        Err(error) => Err(refused("--listen", wanted, &error)),
    }
}

/// Tells what is going on before it takes its time, and how long it took.
async fn stage<T>(
    begun: &Instant,
    what: &str,
    work: impl Future<Output = Result<T, CliError>>,
) -> Result<T, CliError> {
    print!("{what} … ");
    // Without a line's end the text would wait in the buffer; a closed screen is no reason to stop.
    let _ = std::io::stdout().flush();
    let before = begun.elapsed();
    let result = work.await;
    match &result {
        Ok(_) => say!("{} ms", (begun.elapsed() - before).as_millis()),
        Err(_) => say!(""),
    }
    result
}
