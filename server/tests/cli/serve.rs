//! `serve` and `migrate`: which databases are rejected, and with which messages.

use std::{
    io::{BufRead, BufReader},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

use sqlx::Connection as _;

use crate::support::{Deployment, errors, program};

#[tokio::test]
async fn a_database_without_schema_is_rejected_by_every_command_until_migrate() {
    let deployment = Deployment::create().await;
    let mut connection =
        sqlx::PgConnection::connect(&deployment.database.superuser_url()).await.unwrap();
    sqlx::raw_sql(
        "DROP SCHEMA payout CASCADE; CREATE SCHEMA payout AUTHORIZATION payout_test_owner",
    )
    .execute(&mut connection)
    .await
    .unwrap();
    for command in [
        vec!["serve", "--listen", "127.0.0.1:0"],
        vec!["organizations", "list"],
        vec!["keys", "list"],
    ] {
        let error = deployment.reject(1, &command);
        assert!(error.contains("run `payout-server migrate`"), "{command:?}: {error}");
    }
    assert!(deployment.run(&["migrate"]).contains("from version 0"));
    assert!(deployment.run(&["migrate"]).contains("up to date"));
    deployment.run(&["organizations", "list"]);
}

#[tokio::test]
async fn a_privileged_role_is_rejected() {
    let deployment = Deployment::create().await;
    for url in [deployment.database.superuser_url(), deployment.database.owner_url().to_owned()] {
        let mut command = program(deployment.folder.path());
        let output = command
            .args(["serve", "--listen", "127.0.0.1:0", "--database-url", &url])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        let error = errors(&output);
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
fn start(command: &mut Command) -> (Child, String, String, BufReader<std::process::ChildStdout>) {
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

fn ends_with_zero(mut server: Child) {
    let ended =
        Command::new("kill").arg(server.id().to_string()).status().expect("a system with kill");
    assert!(ended.success());
    assert_eq!(server.wait().expect("a child of ours").code(), Some(0));
}

async fn get(url: &str) -> u16 {
    // Together with payout-client, reqwest is built with a TLS that panics unless its cryptography
    // is set.
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
async fn server_without_files_for_more_connections_waits_for_some_to_close() {
    let deployment = Deployment::create().await;
    // Both limits of open files, so that the server cannot raise its own.
    let command = deployment.command(&[]);
    let program = command.get_program().to_owned();
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n 40; exec \"$0\" serve --listen 127.0.0.1:0"]).arg(program);
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.stdin(Stdio::null());
    let (mut server, api, ..) = start(&mut shell);
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
