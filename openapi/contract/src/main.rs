//! The program `contract`: `contract --help`.

// A closed output, as after `| head`, must not end a program with a panic: `anstream` prints.
#![warn(clippy::print_stderr, clippy::print_stdout)]

use std::process::ExitCode;

use clap::Parser as _;
use openapi_contract::command::{Program, run};

fn main() -> ExitCode {
    match run(&Program::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            anstream::eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
