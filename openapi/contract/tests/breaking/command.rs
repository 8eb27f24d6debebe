//! The commands `contract breaking` and `contract freeze`, as their users call them:
//! `commands.txt` is a session in a folder with some documents.

use std::{env, fs, path::Path, process::Command};

use serde_json::{Value, json};

use crate::support::{base, with};

const OPERATION: &str = "/paths/~1things~1{id}/post";

/// Runs a command of the session, and returns what it prints, with an exit status other than 0.
fn run(command: &str, folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_contract")).parent().unwrap();
    let path = format!("{}:{}", program.display(), env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder).env("PATH", path);
    let output = shell.output().unwrap();
    let mut printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    if !output.status.success() {
        printed += &format!("{}\n", output.status);
    }
    printed
}

#[test]
fn commands_print_what_the_session_shows() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, document: &Value| {
        let text = serde_json::to_string_pretty(document).unwrap();
        fs::write(folder.path().join(name), text).unwrap();
    };
    let renamed = with(base(), &format!("{OPERATION}/operationId"), &json!("updateThing"));
    let edited = with(renamed.clone(), &format!("{OPERATION}/parameters/1"), &Value::Null);
    let edited = with(edited, &format!("{OPERATION}/description"), &json!("Changes it."));
    write("old.json", &base());
    write("renamed.json", &renamed);
    write("new.json", &edited);
    fs::create_dir(folder.path().join("api")).unwrap();
    let reference = json!({ "$ref": "thing.json" });
    write("api/split.json", &with(base(), "/components/schemas/Thing", &reference));
    write("api/thing.json", &json!({ "type": "object" }));
    write("outside.json", &with(base(), "/info/version", &json!("../1")));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/breaking/commands.txt");
    let known = fs::read_to_string(&path).unwrap();
    let commands = known.lines().filter_map(|line| line.strip_prefix("$ "));
    let session: String =
        commands.map(|line| format!("$ {line}\n{}", run(line, folder.path()))).collect();
    if env::var_os("WRITE_EXPECTED").is_some() {
        fs::write(&path, &session).unwrap();
    }
    let mend = "where this is right: WRITE_EXPECTED=1 cargo test --test breaking commands";
    assert!(session == known, "{session}\n{mend}");
}
