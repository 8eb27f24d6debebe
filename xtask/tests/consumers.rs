//! The command `cargo xtask contract consumers` with the consumers of this project.

#![expect(clippy::unwrap_used, reason = "a panic names its line")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

/// Compiles the consumers with the client of our document, with one text replaced.
fn consumers(from: &str, to: &str) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = fs::read_to_string(root.join("openapi/api.yaml")).unwrap();
    assert!(text.contains(from), "{from}");
    let folder = tempfile::tempdir().unwrap();
    let changed = folder.path().join("changed.yaml");
    fs::write(&changed, text.replacen(from, to, 1)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["contract", "consumers", "--document"]).arg(changed);
    command.current_dir(root).output().unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn renamed_operation_breaks_the_consumers_that_call_it() {
    let output = consumers("operationId: getPayout\n", "operationId: readPayout\n");
    let text = printed(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for consumer in ["client/Cargo.toml --examples", "client/consumers/unpaid-lines/Cargo.toml"] {
        assert!(text.contains(&format!("{consumer}: breaks: ")), "{text}");
    }
    for place in ["client/examples/api/payouts.rs:", "src/main.rs:"] {
        let at = text.find(&format!("  --> {place}")).unwrap();
        let error = text[..at].lines().last().unwrap();
        assert!(error.starts_with("error[E0599]: no method named `get_payout` found"), "{error}");
    }
    assert!(text.contains("\n2 of 2 break, 0 could not be judged"), "{text}");
}

#[test]
fn smaller_maximum_breaks_no_consumer_until_it_runs() {
    let output = consumers("maximum: 100\n", "maximum: 50\n");
    let text = printed(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("[request-maximum-decreased]"), "{text}");
    assert!(text.contains("\n0 of 2 break, 0 could not be judged"), "{text}");
}
