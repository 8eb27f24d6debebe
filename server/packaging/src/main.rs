//! Writes the manual pages and the completions of `payout-server`, `payout-conformance` and
//! `contract` into a folder: `cargo run --package payout-packaging -- FOLDER`.

use std::{env, fs, io, path::PathBuf};

use clap::{Command, CommandFactory as _};
use clap_complete::{Shell, generate_to};

fn main() -> io::Result<()> {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        return Err(io::Error::other("name the folder to write into"));
    };
    fs::create_dir_all(&folder)?;
    let programs = [
        payout_server::cli::program(),
        payout_conformance::cli::program(),
        openapi_contract::command::Program::command(),
    ];
    for mut program in programs {
        let name = program.get_name().to_owned();
        // First, because completions add the command `help` to every other one.
        clap_mangen::generate_to(without_help(program.clone()), &folder)?;
        for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
            generate_to(shell, &mut program, &name, &folder)?;
        }
    }
    Ok(())
}

/// The command without `help`, which would have a page for each other command.
fn without_help(command: Command) -> Command {
    command.disable_help_subcommand(true).mut_subcommands(without_help)
}
