//! `demo --once`: every request of the tour is answered as documented.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use crate::support::{Deployment, errors, program};

#[tokio::test]
async fn the_tour_ends_with_zero_and_can_be_made_again() {
    let deployment = Deployment::create().await;
    for _ in 0..2 {
        let output =
            deployment.command(&["demo", "--once", "--listen", "127.0.0.1:0"]).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{printed}\n{}", errors(&output));
        assert!(printed.contains("50 of 50 requests were answered as documented."), "{printed}");
        assert!(printed.contains("curl -i -H 'x-api-key: pcp_test_"), "{printed}");
        assert_eq!(printed.matches("idempotent-replayed: true").count(), 1, "{printed}");
        let saved = printed.lines().filter_map(|line| line.strip_prefix("A statement is saved: "));
        let saved: Vec<&str> = saved.collect();
        assert_eq!(saved.len(), 3, "{printed}");
        for path in saved {
            assert!(std::fs::read(path).unwrap().starts_with(b"%PDF-"), "{path}");
        }
        assert!(!printed.contains('\u{1b}'), "only a terminal gets colours");
    }
}

#[tokio::test]
async fn the_printed_curl_commands_succeed_after_the_tour() {
    if Command::new("curl").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("SKIPPED: curl is not installed");
        return;
    }
    let deployment = Deployment::create().await;
    let mut command = deployment.command(&["demo", "--listen", "127.0.0.1:0"]);
    let mut server = command.stdout(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(server.stdout.take().unwrap());
    let lines = output.lines().map(Result::unwrap);
    let printed: Vec<String> =
        lines.take_while(|line| !line.starts_with("The server runs at")).collect();
    let commands: Vec<&str> =
        printed.iter().map(|line| line.trim()).filter(|line| line.starts_with("curl")).collect();
    let done: Vec<_> = commands
        .iter()
        .map(|command| Command::new("sh").args(["-c", &format!("{command} --fail")]).output())
        .collect();
    let ended = Command::new("kill").arg(server.id().to_string()).status().unwrap();
    assert!(ended.success() && server.wait().unwrap().success());
    assert_eq!(commands.len(), 5, "{printed:?}");
    for (command, output) in commands.iter().zip(done) {
        let output = output.unwrap();
        assert!(output.status.success(), "{command}: {}", errors(&output));
    }
}

#[tokio::test]
async fn demo_that_nobody_reads_ends_after_its_tour() {
    let deployment = Deployment::create().await;
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = deployment.command(&["demo", "--listen", "127.0.0.1:0"]);
    let output = command.stdout(writer).output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    assert_eq!(errors(&output), "");
}

#[tokio::test]
async fn a_named_port_that_is_taken_is_an_error() {
    let deployment = Deployment::create().await;
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = deployment.command(&["demo", "--once", "--listen", &address]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).contains("--listen"), "{}", errors(&output));
}

#[tokio::test]
async fn a_privileged_role_is_rejected_before_anything_is_written() {
    let deployment = Deployment::create().await;
    let output = program(deployment.folder.path())
        .args(["demo", "--once", "--listen", "127.0.0.1:0"])
        .env("DATABASE_URL", deployment.database.superuser_url())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = errors(&output);
    assert!(error.contains("SUPERUSER"), "{error}");
    let organizations = "SELECT count(*)::text FROM payout.organizations";
    assert_eq!(deployment.value(organizations).await, "0");
}
