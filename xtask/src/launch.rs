//! What `cargo xtask` starts: the demo at once, and every other command after it is compiled. It
//! uses the standard library alone, so that a fresh clone compiles for the demo nothing but the
//! demo.

mod cargo;
mod environment;

use std::{env, os::unix::process::CommandExt as _, path::Path, process::ExitCode};

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let root = root.expect("xtask is a folder of the project");
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let mut command = match arguments.split_first() {
        Some((first, rest)) if first == "demo" => cargo::demo(root, rest),
        _ => {
            let mut command = cargo::command(root, &["run", "--quiet", "--package", "xtask"]);
            command.args(["--bin", "xtask", "--target-dir", "target/xtask", "--"]);
            command.args(arguments);
            command
        }
    };
    // The command takes this process's place, so that signals reach it directly.
    let error = command.exec();
    eprintln!("cargo cannot be started: {error}");
    ExitCode::from(2)
}
