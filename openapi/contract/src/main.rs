//! The program `contract`: `contract --help`.

// An output that is closed or full must not end a program with a panic: `output` prints.
#![warn(clippy::print_stderr, clippy::print_stdout)]

use std::process::ExitCode;

use clap::Parser as _;
use openapi_contract::{
    command::{Program, run},
    output::{COULD_NOT_RUN, write, write_error},
};

fn main() -> ExitCode {
    let program = match Program::try_parse() {
        Ok(program) => program,
        Err(help) => return print_help(&help),
    };
    match run(&program.command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            write_error(error);
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}

/// Prints the help, or the error of an argument.
fn print_help(help: &clap::Error) -> ExitCode {
    if help.use_stderr() {
        write_error(help.render().ansi());
        return ExitCode::from(COULD_NOT_RUN);
    }
    write(help.render().ansi());
    ExitCode::SUCCESS
}
