//! The page `openapi/README.md`: its commands print what the page shows, from an empty folder.

#![expect(clippy::unwrap_used, reason = "a panic names its line")]

use std::{fs, path::Path, process::Command};

const PAGE: &str = include_str!("../../README.md");

/// Returns the blocks of a language, in the order of the page.
fn blocks(language: &str) -> Vec<&'static str> {
    let opening = format!("```{language}\n");
    PAGE.split(&opening).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

/// Returns each command of the page with the lines that it prints.
fn commands() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in blocks("console").into_iter().flat_map(str::lines) {
        match line.strip_prefix("$ ") {
            Some(command) => commands.push((command, Vec::new())),
            None => commands.last_mut().expect("a command comes first").1.push(line),
        }
    }
    commands
}

fn run(command: &str, folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_contract"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let mut shell = Command::new("sh");
    let output =
        shell.args(["-c", command]).current_dir(folder).env("PATH", path).output().unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

#[test]
fn commands_print_what_the_page_shows() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("openapi")).unwrap();
    fs::write(folder.path().join("openapi/api.yaml"), blocks("yaml")[0]).unwrap();
    let commands = commands();
    assert!(commands.len() >= 5, "{commands:?}");
    for (command, expected) in commands {
        let printed = run(command, folder.path());
        assert_eq!(printed.lines().collect::<Vec<_>>(), expected, "{command}");
    }
}

#[test]
fn defaults_are_those_of_the_page() {
    let shown = openapi_contract::codegen::Config::parse(blocks("toml")[0]).unwrap();
    assert_eq!(format!("{shown:?}"), format!("{:?}", openapi_contract::codegen::Config::default()));
}
