//! The commands of `README.md`, from an empty organisation to a PDF, pasted into a shell.

use std::{
    net::TcpListener,
    process::{Command, Stdio},
};

use crate::support::{Deployment, errors};

const README: &str = include_str!("../../../README.md");
const HEADING: &str = "## A commission from creation to statement, with curl";

/// The `sh` blocks of the section, without the first, which builds the program.
fn commands() -> String {
    let (_, section) = README.split_once(HEADING).expect("the section");
    let (section, _) = section.split_once("\n## ").expect("a section after it");
    let blocks = section.split("```sh\n").skip(2);
    blocks.map(|block| block.split("```").next().unwrap_or_default()).collect()
}

#[tokio::test]
async fn the_readme_goes_from_an_empty_organisation_to_a_pdf() {
    if Command::new("curl").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("SKIPPED: curl is not installed");
        return;
    }
    let deployment = Deployment::create().await;
    let folder = deployment.folder.path();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let commands = commands()
        .replace("127.0.0.1:8080", &free.to_string())
        .replace("/tmp/payout-example", folder.join("example").to_str().unwrap());
    assert!(commands.contains("payout-server serve"), "{commands}");
    // The trap stops the server if a command fails.
    let script = format!(
        "server=\ntrap '[ -z \"$server\" ] || kill \"$server\" 2>&- || true' EXIT\n{commands}"
    );

    let mut shell = deployment.shell(&script);
    let output = tokio::task::spawn_blocking(move || shell.output()).await.unwrap().unwrap();

    let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &errors(&output);
    assert!(output.status.success(), "{printed}");
    assert!(!printed.contains("\"error\""), "{printed}");
    assert!(printed.contains("idempotent-replayed: true"), "{printed}");
    assert!(printed.contains("\"stage\":\"PAID\""), "{printed}");
    assert!(printed.contains("/portal/enter/"), "{printed}");
    assert!(std::fs::read(folder.join("statement.pdf")).unwrap().starts_with(b"%PDF-"));
    assert!(!folder.join("example").exists(), "the data is removed");
}
