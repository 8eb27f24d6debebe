//! The command `demo`: starts a server with the data set, prints keys, and sends the requests of a
//! tour over HTTP. Only the data folder stays: Ctrl-C stops the server and its PostgreSQL.

mod body;
mod guide;
mod tour;

use std::{
    io::{ErrorKind, Write},
    net::SocketAddr,
    process::ExitCode,
    time::Instant,
};

use clap::Args;
use payout_database::migrate;
use payout_server::tools::{
    AssetOptions, Bound, CheckedDatabase, Database, DatabaseOptions, ServeOptions, Storage,
    Telemetry, Tenants, listen_error, service, stop_signal,
};
use tokio::sync::oneshot;

use self::tour::Tour;
use crate::{
    Error,
    import::{DATASET, Dataset, Imported, import},
    key_file, seed,
};

const LISTEN: ([u8; 4], u16) = ([127, 0, 0, 1], 8080);

/// Show the API at work: a server with data, keys, curl commands, and a tour of real requests
///
/// Creates its own database (folder `demo` in the data folder), or resets the data set's
/// organisations in the one of DATABASE_URL. Imports the data set, starts the server, sends the
/// requests of the tour and compares each response with the OpenAPI document. Then it serves until
/// Ctrl-C.
#[derive(Args, Debug)]
pub(crate) struct DemoArguments {
    /// Address and port of the server [default: 127.0.0.1:8080, or a free port if that is taken]
    #[arg(long, env = "PAYOUT_LISTEN", value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// End after the tour: exit code 0 only if every response was as documented
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    assets: AssetOptions,
}

pub(crate) async fn run(
    options: &DatabaseOptions,
    arguments: DemoArguments,
) -> Result<ExitCode, Error> {
    let begun = Instant::now();
    let options = options.within("demo")?;
    let stop = stop_signal()?;
    let what = match options.database_url {
        Some(_) => "Connecting to the database of DATABASE_URL",
        None => "Starting PostgreSQL",
    };
    let database = step(&begun, what, options.open()).await?;
    let what = "Creating the schema, importing the data";
    let storage = options.storage(&arguments.assets).await?;
    let imported = step(&begun, what, prepare(&options, &database, &storage)).await?;
    let folder = options.folder()?;
    let keys_file = folder.join("keys.env");
    key_file::write(&keys_file, &imported)?;
    let serve_options = ServeOptions::default();
    let bound = bind(arguments.listen).await?;
    let address = bound.address();
    let links = serve_options.statements.links.open(&folder, address)?;
    let crm_keys = serve_options.crm.connection.keys_of_server(&folder)?;
    let (url, telemetry) = (&database.urls.app, Telemetry::default());
    let checked = CheckedDatabase::check(url, &serve_options).await?;
    let service = service(checked, &serve_options, storage, links, crm_keys, &telemetry).await?;
    anstream::println!("Serving after {:.3} s.\n", begun.elapsed().as_secs_f64());
    let tour = Tour::read()?;
    let tenants = Tenants::from(&database.pool().await?);
    anstream::println!("{}", tour.introduction(address, &imported, &keys_file));

    // Dropping the sender stops the server, as Ctrl-C does.
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
        outcome = tour.run(address, &imported, &folder, &tenants) => {
            outcome.unwrap_or_else(|error| {
                anstream::eprintln!("error: {error}");
                false
            })
        }
        ended = wait(&mut server) => {
            database.close().await?;
            return ended.map(|()| ExitCode::FAILURE);
        }
    };
    let serves =
        format!("The server runs at http://{address}. Ctrl-C stops it and its PostgreSQL.");
    // The demo ends here if nobody reads its output any more, as after `| head`.
    if arguments.once || writeln!(std::io::stdout(), "{serves}").is_err() {
        drop(finish);
    }
    wait(&mut server).await?;
    database.close().await?;
    Ok(if all_right || !arguments.once { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn wait(server: &mut tokio::task::JoinHandle<()>) -> Result<(), Error> {
    let ended = server.await;
    ended.map_err(|error| format!("the server stopped: {error}").into())
}

async fn prepare(
    options: &DatabaseOptions,
    database: &Database,
    storage: &Storage,
) -> Result<Vec<Imported>, Error> {
    database.check_app_role().await?;
    let migrated = migrate(&database.urls.owner, &database.app_role()?).await;
    migrated.map_err(|error| -> Error {
        match (&options.database_url, options.folder()) {
            // The demo's own data can be replaced.
            (None, Ok(folder)) => {
                format!("{error}\nOr remove the demo's data: rm -r {}", folder.display()).into()
            }
            _ => error.into(),
        }
    })?;
    let dataset = Dataset::read(DATASET)?;
    // The tour detaches a line, so it needs new data every time.
    seed::reset(database, storage, &dataset).await?;
    let environment = ServeOptions::default().environment;
    import(&database.pool().await?, storage, dataset, environment).await
}

/// Listens at the named address; else at the usual one, or at a free port if that is taken.
async fn bind(listen: Option<SocketAddr>) -> Result<Bound, Error> {
    let usual = SocketAddr::from(LISTEN);
    let mut address = listen.unwrap_or(usual);
    let mut bound = Bound::bind(address).await;
    if listen.is_none() && matches!(&bound, Err(error) if error.kind() == ErrorKind::AddrInUse) {
        anstream::println!(
            "{usual} is in use by another program; using a free port (--listen names one)."
        );
        address.set_port(0);
        bound = Bound::bind(address).await;
    }
    Ok(bound.map_err(|error| listen_error("--listen", address, &error))?)
}

/// Prints what happens before it takes its time, and then how long it took.
async fn step<T, E>(
    begun: &Instant,
    what: &str,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    anstream::print!("{what} … ");
    // A line without its end stays in the buffer otherwise; a closed output is no reason to stop.
    let _ = std::io::stdout().flush();
    let before = begun.elapsed();
    let result = work.await;
    match &result {
        Ok(_) => anstream::println!("{} ms", (begun.elapsed() - before).as_millis()),
        Err(_) => anstream::println!(),
    }
    result
}
