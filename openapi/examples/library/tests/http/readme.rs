//! The commands of README.md print what it shows.

use std::process::Command;

use crate::server::Server;

const PAGE: &str = include_str!("../../README.md");

#[test]
fn commands_print_what_the_page_shows() {
    if Command::new("curl").arg("--version").output().is_err() {
        eprintln!("skipped: curl is not installed");
        return;
    }
    let server = Server::start();
    let blocks = PAGE.split("```console\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    let commands: Vec<_> = blocks.filter_map(|block| block.strip_prefix("$ curl ")).collect();
    assert_eq!(commands.len(), 3);
    for command in commands {
        let (arguments, expected) = command.rsplit_once("\n{").expect("JSON is the last line");
        let script = format!("curl --silent {arguments}");
        let script = script.replace("127.0.0.1:8080", &server.address);
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(printed, format!("{{{expected}"), "{arguments}");
    }
}
