//! The program `contract`: `contract --help`.

use std::process::ExitCode;

use clap::Parser as _;
use openapi_contract::command::{Program, run};

fn main() -> ExitCode {
    match run(&Program::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
