//! The project's own commands: `cargo xtask --help`.
//!
//! It refuses logic: one match, and one module per command.

mod codegen;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "The project's own commands")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Generate contract, client and index from the OpenAPI document.
    Codegen {
        /// Write nothing; fail when a generated file is stale.
        #[arg(long)]
        check: bool,
        /// Another document than openapi/api.yaml.
        #[arg(long, value_name = "FILE")]
        document: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let root = root.expect("xtask is a folder of the project");
    let done = match Arguments::parse().command {
        Command::Codegen { check, document } => {
            let mode = if check {
                codegen::Mode::Check
            } else {
                codegen::Mode::Write
            };
            codegen::run(root, document, mode)
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
