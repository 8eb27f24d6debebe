//! `cargo xtask` runs this program. It starts the demo at once, and every other command after it
//! is compiled. It uses the standard library alone, so that a fresh clone compiles for the demo
//! nothing but the demo.

mod cargo;
mod environment;

use std::{
    env, io,
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Command, ExitCode},
};

/// Builds the commands with the features and in the folder of every other build, so that no
/// dependency is compiled twice (`program::WHOLE`).
const BUILD: [&str; 7] =
    ["build", "--quiet", "--workspace", "--example", "inspect", "--bin", "xtask"];

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let root = root.expect("xtask is a folder of the project");
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let mut command = match arguments.split_first() {
        Some((first, rest)) if first == "demo" => cargo::demo(root, rest),
        _ => match build(root) {
            Ok(true) => {
                let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
                let mut command = Command::new(root.join(target).join("debug/xtask"));
                command.args(arguments);
                command
            }
            Ok(false) => return ExitCode::from(2),
            Err(error) => return cannot_start(&error),
        },
    };
    // The command takes this process's place, so that signals reach it directly.
    cannot_start(&command.exec())
}

fn build(root: &Path) -> io::Result<bool> {
    Ok(cargo::command(root, &BUILD).status()?.success())
}

fn cannot_start(error: &io::Error) -> ExitCode {
    eprintln!("cargo cannot be started: {error}");
    ExitCode::from(2)
}
