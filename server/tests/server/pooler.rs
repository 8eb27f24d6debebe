//! Poolers between the server and PostgreSQL. One that keeps a session for each connection may
//! stand there; others are found at the start and by readiness, with what to change. The suite has
//! no part behind the server.

use std::{path::PathBuf, process::Command, str::FromStr as _, sync::Arc};

use payout_database::{SessionLimits, UnusableSession};
use payout_server::{
    assembly::{CheckedDatabase, StartError},
    http::health::Health,
    telemetry::Metrics,
};
use poem::{Endpoint as _, Request};
use sqlx::postgres::PgConnectOptions;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpStream, UnixStream},
    sync::Mutex,
};

use crate::support::{Key, TestServer};

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// A session of the database, once the first client has opened it.
type Session = Arc<Mutex<Option<Box<dyn Stream>>>>;

/// Like PgBouncer with `ignore_startup_parameters = options`.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    /// Each client has a session.
    Session,
    /// All clients have one session, each until its transaction ends.
    Transaction,
}

/// Starts a pooler in front of a database; returns the address for the same role through it.
async fn pooler(database_url: &str, mode: Mode) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let options = PgConnectOptions::from_str(database_url).unwrap();
    let role = options.get_username().to_owned();
    let database = options.get_database().unwrap().to_owned();
    let url = format!("postgres://{role}:payout_test@127.0.0.1:{port}/{database}?sslmode=disable");
    tokio::spawn(async move {
        let startup = [b"user\0", role.as_bytes(), b"\0database\0", database.as_bytes(), b"\0\0"];
        let startup = startup.concat();
        let shared = Session::default();
        while let Ok((client, _)) = listener.accept().await {
            let session = if mode == Mode::Session { Session::default() } else { shared.clone() };
            tokio::spawn(relay(client, session, options.clone(), startup.clone()));
        }
    });
    url
}

async fn connect(options: &PgConnectOptions) -> Box<dyn Stream> {
    let socket = |folder: PathBuf| folder.join(format!(".s.PGSQL.{}", options.get_port()));
    match options.get_socket() {
        Some(folder) => Box::new(UnixStream::connect(socket(folder.clone())).await.unwrap()),
        None => {
            let address = (options.get_host(), options.get_port());
            Box::new(TcpStream::connect(address).await.unwrap())
        }
    }
}

/// A message of the protocol: its type, and all of it.
async fn message(from: &mut (impl AsyncRead + Unpin)) -> Option<(u8, Vec<u8>)> {
    let kind = from.read_u8().await.ok()?;
    let length = from.read_u32().await.ok()?;
    let mut whole = vec![kind];
    whole.extend(length.to_be_bytes());
    whole.resize(length as usize + 1, 0);
    from.read_exact(&mut whole[5..]).await.ok()?;
    Some((kind, whole))
}

/// Serves one client; ends with it.
async fn relay(
    mut client: TcpStream,
    session: Session,
    options: PgConnectOptions,
    startup: Vec<u8>,
) -> Option<()> {
    let length = client.read_u32().await.ok()?;
    client.read_exact(&mut vec![0; length as usize - 4]).await.ok()?;
    let mut held = session.clone().lock_owned().await;
    if held.is_some() {
        // Authentication is done, the key to cancel, ready and idle.
        let welcome = b"R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\0\x01\0\0\0\x01Z\0\0\0\x05I";
        client.write_all(welcome).await.ok()?;
    } else {
        let mut opened = connect(&options).await;
        opened.write_u32(u32::try_from(startup.len()).unwrap() + 8).await.ok()?;
        opened.write_u32(3 << 16).await.ok()?;
        opened.write_all(&startup).await.ok()?;
        loop {
            let (kind, whole) = message(&mut opened).await?;
            client.write_all(&whole).await.ok()?;
            match (kind, whole.get(8)) {
                (b'Z', _) => break,
                // Neither "done" nor the last step of SCRAM, which ask the client for nothing.
                (b'R', Some(step)) if ![0, 12].contains(step) => {
                    let (_, whole) = message(&mut client).await?;
                    opened.write_all(&whole).await.ok()?;
                }
                _ => {}
            }
        }
        *held = Some(opened);
    }
    drop(held);
    loop {
        let mut transaction = None;
        loop {
            let (kind, whole) = message(&mut client).await?;
            if transaction.is_none() {
                transaction = Some(session.clone().lock_owned().await);
            }
            let open = transaction.as_mut()?.as_mut()?;
            open.write_all(&whole).await.ok()?;
            let mut status = None;
            while matches!(kind, b'Q' | b'S') && status.is_none() {
                let (kind, whole) = message(open).await?;
                client.write_all(&whole).await.ok()?;
                status = (kind == b'Z').then(|| whole[5]);
            }
            if status == Some(b'I') {
                break;
            }
        }
    }
}

/// Has every session of the database begin with the server's settings, as operations says.
async fn set_for_role(server: &TestServer) {
    let (database, role) = (server.database.name(), payout_database::testing::TEST_APP);
    for setting in [
        "search_path = payout",
        "TimeZone = 'UTC'",
        "statement_timeout = '5s'",
        "lock_timeout = '1s'",
        "idle_in_transaction_session_timeout = '10s'",
    ] {
        let statement = format!("ALTER ROLE {role} IN DATABASE {database} SET {setting}");
        server.execute(statement).await;
    }
}

/// The error of a server that starts on this address.
async fn rejected(server: &TestServer, url: &str) -> StartError {
    CheckedDatabase::check(url, &server.options()).await.expect_err("it starts")
}

/// Status and text of `/readyz` of a server on this address.
async fn readiness(url: &str) -> (u16, String) {
    let health = Health::new(url, SessionLimits::default(), Metrics::default()).unwrap();
    let request = Request::builder().uri_str("/readyz").finish();
    let response = health.call(request).await.unwrap();
    let status = response.status().as_u16();
    (status, response.into_body().into_string().await.unwrap())
}

#[tokio::test]
async fn pooler_that_shares_sessions_is_rejected_at_the_start_and_unready() {
    let server = TestServer::start().await;
    set_for_role(&server).await;
    let url = pooler(server.database.app_url(), Mode::Transaction).await;
    let error = rejected(&server, &url).await;
    assert!(matches!(error, StartError::Session(UnusableSession::SharedSession)), "{error}");
    assert!(error.to_string().contains("pool_mode = session"), "{error}");
    let (status, text) = readiness(&url).await;
    assert_eq!(status, 503);
    assert!(text.contains("could run another's"), "{text}");
    for command in [["organizations", "list"].as_slice(), &["migrate"]] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_payout-server"));
        program.args(command).env("DATABASE_URL", &url).env("DATABASE_OWNER_URL", &url);
        let output = tokio::task::spawn_blocking(move || program.output()).await.unwrap().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{command:?}: {error}");
        assert!(error.contains("pool_mode = session"), "{command:?}: {error}");
    }
}

#[tokio::test]
async fn pooler_that_drops_settings_is_rejected_with_the_first_of_them() {
    let server = TestServer::start().await;
    let url = pooler(server.database.app_url(), Mode::Session).await;
    let error = rejected(&server, &url).await;
    let StartError::Session(UnusableSession::Setting { name, .. }) = &error else {
        panic!("{error}");
    };
    assert_eq!(name, "search_path");
    assert!(error.to_string().contains("ALTER ROLE … IN DATABASE … SET search_path"), "{error}");
    let (status, text) = readiness(&url).await;
    assert_eq!(status, 503);
    assert!(text.contains("search_path"), "{text}");
}

#[tokio::test]
async fn pooler_with_sessions_and_settings_of_the_role_serves_requests() {
    let server = TestServer::start().await;
    set_for_role(&server).await;
    let url = pooler(server.database.app_url(), Mode::Session).await;
    let (status, text) = readiness(&url).await;
    assert_eq!((status, text.as_str()), (200, r#"{"status":"ready"}"#));
    let replica = server.replica_at(&url).await;
    let request = replica.get(Key::MAIN, "/api/v1/partners");
    request.expect(200).await;
}
