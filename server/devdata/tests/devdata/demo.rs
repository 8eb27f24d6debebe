//! `demo --once`: every request of the tour is answered as documented.

use crate::support::{Deployment, errors, program};

#[tokio::test]
async fn the_tour_ends_with_zero_and_can_be_made_again() {
    let deployment = Deployment::create().await;
    for _ in 0..2 {
        let output =
            deployment.command(&["demo", "--once", "--listen", "127.0.0.1:0"]).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{printed}\n{}", errors(&output));
        assert!(printed.contains("19 of 19 requests were answered as documented."), "{printed}");
        assert!(printed.contains("curl -i -H 'x-api-key: pcp_test_"), "{printed}");
        let saved = printed.lines().find_map(|line| line.strip_prefix("The statement is saved: "));
        let pdf = std::fs::read(saved.expect("a path")).unwrap();
        assert!(pdf.starts_with(b"%PDF-"));
        assert!(!printed.contains('\u{1b}'), "only a terminal gets colours");
    }
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
