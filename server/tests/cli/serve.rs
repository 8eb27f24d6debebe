//! `serve` and `migrate`: which databases are rejected, and with which messages.

use std::{
    io::{BufRead, BufReader},
    net::TcpStream,
    os::unix::net::UnixDatagram,
    process::{Child, Command, Stdio},
};

use payout_database::ClusterOptions;

use crate::{
    postgres::{OwnPostgres, signal},
    support::{Deployment, errors, program},
};

#[tokio::test]
async fn a_privileged_role_is_rejected() {
    let deployment = Deployment::create().await;
    for url in [deployment.database.superuser_url(), deployment.database.owner_url().to_owned()] {
        let serve = ["serve", "--listen", "127.0.0.1:0", "--database-url", &url];
        let error = deployment.reject(1, &serve);
        assert!(error.contains("row-level security"), "{error}");
    }
}

#[tokio::test]
async fn a_database_that_is_away_is_reported_with_what_to_check() {
    let deployment = Deployment::create().await;
    let away = ["organizations", "list", "--database-url", "postgres://nobody@127.0.0.1:1/none"];
    assert!(deployment.reject(1, &away).contains("Check DATABASE_URL"));
}

/// A server, the addresses of its API and its health port, and its further output.
pub(crate) fn start(
    command: &mut Command,
) -> (Child, String, String, BufReader<std::process::ChildStdout>) {
    let mut server =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
    let mut output = BufReader::new(server.stdout.take().expect("it is piped"));
    let mut address = |name: &str| {
        let mut line = String::new();
        while !line.starts_with(name) {
            line.clear();
            assert_ne!(output.read_line(&mut line).expect("text"), 0, "no {name}");
        }
        line.split_whitespace().nth(1).expect("an address").to_owned()
    };
    let (api, health) = (address("API"), address("Health"));
    (server, api, health, output)
}

pub(crate) fn ends_with_zero(mut server: Child) {
    signal("TERM", &[server.id()]);
    assert_eq!(server.wait().expect("a child of ours").code(), Some(0));
}

pub(crate) async fn get(url: &str) -> u16 {
    // reqwest is built with the server's TLS, which panics unless its cryptography is set.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::get(url).await.expect("a response").status().as_u16()
}

#[tokio::test]
async fn serve_outlives_the_readers_of_its_output_and_ends_with_zero_on_sigterm() {
    let deployment = Deployment::create().await;
    let (mut server, api, health, output) =
        start(&mut deployment.command(&["serve", "--listen", "127.0.0.1:0"]));
    drop((server.stderr.take(), output));
    for _ in 0..2 {
        assert_eq!(get(&format!("{api}/partners")).await, 401);
    }
    assert_eq!(get(&health).await, 200);
    let metrics = get(&health.replace("readyz", "metrics")).await;
    assert_eq!(metrics, 200);
    ends_with_zero(server);
}

#[tokio::test]
async fn ready_asks_a_running_server() {
    let deployment = Deployment::create().await;
    let nobody = ["ready", "--health-listen", "127.0.0.1:1"];
    let message = deployment.reject(1, &nobody);
    assert!(message.contains("no server listens at 127.0.0.1:1 for --health-listen"), "{message}");
    let serve = ["serve", "--listen", "127.0.0.1:0", "--lame-duck-seconds", "60"];
    let (server, _, health, _output) = start(&mut deployment.command(&serve));
    let address = health.trim_start_matches("http://").trim_end_matches("/readyz").to_owned();
    let ready = ["ready", "--health-listen", &address];
    deployment.run(&ready);
    signal("TERM", &[server.id()]);
    while get(&health).await != 503 {
        tokio::task::yield_now().await;
    }
    let message = deployment.reject(1, &ready);
    assert!(message.contains("the server is not ready: {"), "{message}");
    ends_with_zero(server);
}

#[tokio::test]
async fn sighup_stops_like_sigterm() {
    let deployment = Deployment::create().await;
    let command = &mut deployment.command(&["serve", "--listen", "127.0.0.1:0"]);
    let (mut server, ..) = start(command);
    signal("HUP", &[server.id()]);
    assert_eq!(server.wait().expect("a child of ours").code(), Some(0));
}

#[tokio::test]
async fn systemd_is_told_when_the_server_accepts_requests_and_when_it_stops() {
    let deployment = Deployment::create().await;
    let socket = deployment.folder.path().join("notify");
    let systemd = UnixDatagram::bind(&socket).expect("the folder is ours");
    let state = || {
        let mut state = [0; 64];
        let length = systemd.recv(&mut state).expect("a state");
        String::from_utf8_lossy(&state[..length]).trim().to_owned()
    };
    let mut command = deployment.command(&["serve", "--listen", "127.0.0.1:0"]);
    let (server, api, ..) = start(command.env("NOTIFY_SOCKET", &socket));
    assert_eq!(state(), "READY=1");
    assert_eq!(get(&format!("{api}/partners")).await, 401);
    ends_with_zero(server);
    assert_eq!(state(), "STOPPING=1");
}

#[tokio::test]
async fn lame_duck_is_not_ready_and_accepts_until_a_second_signal() {
    let deployment = Deployment::create().await;
    let serve = ["serve", "--listen", "127.0.0.1:0", "--lame-duck-seconds", "60"];
    let (server, api, health, _output) = start(&mut deployment.command(&serve));
    signal("TERM", &[server.id()]);
    while get(&health).await != 503 {
        tokio::task::yield_now().await;
    }
    assert_eq!(get(&format!("{api}/partners")).await, 401);
    ends_with_zero(server);
}

#[tokio::test]
async fn used_health_port_is_named_with_its_flag() {
    let deployment = Deployment::create().await;
    let used = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = used.local_addr().unwrap().to_string();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--health-listen", &address];
    let error = deployment.reject(1, &serve);
    assert!(error.contains("--health-listen 127.0.0.1:0 for a free port"), "{error}");
}

#[tokio::test]
async fn server_without_files_for_more_connections_waits_for_some_to_close() {
    let deployment = Deployment::create().await;
    // Both limits of open files, so that the server cannot raise its own.
    let script = "ulimit -n 40; exec payout-server serve --listen 127.0.0.1:0";
    let (mut server, api, ..) = start(&mut deployment.shell(script));
    let address = api.strip_prefix("http://").unwrap();
    let address = address.split('/').next().unwrap();
    let crowd: Vec<_> = (0..60).map(|_| TcpStream::connect(address)).collect();
    assert!(crowd.iter().all(Result::is_ok), "the system's queue holds them");
    let mut log = BufReader::new(server.stderr.take().unwrap());
    let mut message = String::new();
    while !message.contains("no connection can be accepted") {
        message.clear();
        assert_ne!(log.read_line(&mut message).unwrap(), 0, "the server keeps running");
    }
    drop(crowd);
    // Reads the rest of its log, or the server would block.
    let rest = std::thread::spawn(move || log.lines().map_while(Result::ok).count());
    assert_eq!(get(&format!("{api}/partners")).await, 401);
    ends_with_zero(server);
    rest.join().unwrap();
}

#[tokio::test]
async fn standby_is_rejected_until_it_is_promoted() {
    let folder = tempfile::tempdir().unwrap();
    let mut postgres = OwnPostgres::start(ClusterOptions::durable).await;
    let run = async |postgres: &OwnPostgres, statement: &'static str| {
        sqlx::raw_sql(statement).execute(&mut postgres.connect().await).await.unwrap();
    };
    run(&postgres, "COPY (SELECT 1) TO PROGRAM 'cat > standby.signal'").await;
    postgres.stop().await;
    postgres.start_again().await;
    let mut command = program(folder.path());
    command.env("DATABASE_URL", &postgres.urls.app);
    command.args(["serve", "--listen", "127.0.0.1:0"]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = errors(&output);
    assert!(error.contains("is a standby, which cannot write: connect to the primary"), "{error}");
    run(&postgres, "SELECT pg_promote()").await;
    let (mut server, _, health, output) = start(&mut command);
    drop((server.stderr.take(), output));
    assert_eq!(get(&health).await, 200);
    ends_with_zero(server);
}

#[tokio::test]
async fn misspelt_variable_is_a_warning_and_the_database_is_named_at_the_start() {
    let deployment = Deployment::create().await;
    let mut command = deployment.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("PAYOUT_LISTN", "0.0.0.0:80");
    let (mut server, _, _, mut output) = start(&mut command);
    let mut data = String::new();
    output.read_line(&mut data).unwrap();
    let database = deployment.database.name();
    assert!(data.contains(&format!("database {database} at ")), "{data}");
    assert!(data.contains(" as payout_test_app ") && !data.contains("payout_test@"), "{data}");
    let log = BufReader::new(server.stderr.take().unwrap());
    let reader = std::thread::spawn(move || log.lines().map_while(Result::ok).collect::<Vec<_>>());
    ends_with_zero(server);
    let lines = reader.join().unwrap();
    let warning = lines.iter().find(|line| line.contains("PAYOUT_LISTN")).expect("a warning");
    assert!(warning.contains("\"WARN\"") && warning.contains("misspelt"), "{warning}");
    assert_eq!(lines.iter().filter(|line| line.contains("is it misspelt")).count(), 1, "{lines:?}");
}

#[tokio::test]
async fn connection_that_is_rejected_names_its_reason_and_its_remedy() {
    let deployment = Deployment::create().await;
    let role = format!("{}_stranger", deployment.database.name());
    deployment.execute(format!("DROP ROLE IF EXISTS {role}; CREATE ROLE {role} LOGIN")).await;
    let url = deployment.database.app_url();
    let (app, name) = (payout_database::testing::TEST_APP, deployment.database.name());
    let other_role = url.replacen(app, &role, 1);
    let grant = format!("GRANT CONNECT ON DATABASE {name} TO {role}");
    for (url, reason, remedy) in [
        (url.replacen(name, "nowhere", 1), "\"nowhere\" does not exist", "CREATE DATABASE"),
        (other_role.clone(), "permission denied for database", "GRANT CONNECT ON DATABASE"),
        ("postgres://a:1,b:2/d".to_owned(), "names several hosts", "put a proxy that follows"),
    ] {
        let error = deployment.reject(1, &["organizations", "list", "--database-url", &url]);
        assert!(error.contains(reason) && error.contains(remedy), "{error}");
        assert!(!error.contains("at line") && !error.contains("does not answer"), "{error}");
    }
    deployment.execute(grant).await;
    let error = deployment.reject(1, &["organizations", "list", "--database-url", &other_role]);
    assert!(error.contains("permission denied for schema payout"), "{error}");
    assert!(error.contains("migrate --app-role ROLE") && !error.contains("at line"), "{error}");
    deployment.execute(format!("DROP OWNED BY {role}; DROP ROLE {role}")).await;
}
