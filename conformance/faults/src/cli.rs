//! The command line: list the faults, or run the proxy with one of them.

use std::{error::Error, net::SocketAddr, process::ExitCode};

use clap::{Parser, Subcommand};

use crate::{Fault, Keys, Proxy, find_shown, list, transport, variations};

/// Shows one seeded fault of a deployment of the Partner and Commission Payout API.
#[derive(Debug, Parser)]
#[command(
    name = "payout-faults",
    version,
    after_help = "Exit status: 0 done, 1 the proxy cannot run (the message says why), 2 wrong \
        usage.\n\
                  A server in front of which the proxy runs should be started with the proxy's \
                  address as its public URL, \
                  so that download links lead through the proxy."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the faults and the allowed variations as JSON: kind, id, clause, sentence, and the
    /// roles of the keys that each one needs
    List,
    /// Run a reverse proxy that shows one fault, until Ctrl-C
    Serve {
        /// Scheme and authority of the sound deployment, such as http://127.0.0.1:8080
        #[arg(long, value_name = "URL")]
        upstream: String,
        /// Where the proxy listens
        #[arg(long, default_value = "127.0.0.1:8081", value_name = "ADDRESS")]
        listen: SocketAddr,
        /// Which fault, as `list` prints it; without it everything is passed on unchanged
        #[arg(long, value_name = "ID", value_parser = named)]
        fault: Option<&'static Fault>,
        /// A key that the fault needs, by its role and the environment variable that holds it; may
        /// be given several times
        #[arg(long = "key", value_name = "ROLE=VARIABLE", value_parser = role)]
        keys: Vec<(String, String)>,
    },
}

fn named(id: &str) -> Result<&'static Fault, String> {
    find_shown(id)
        .ok_or_else(|| format!("there is no such fault; `payout-faults list` prints them ({id})"))
}

fn role(text: &str) -> Result<(String, String), String> {
    let (role, variable) = text.split_once('=').ok_or("write it as ROLE=VARIABLE")?;
    let key = std::env::var(variable)
        .map_err(|_| format!("the environment variable {variable} is not set"))?;
    Ok((role.to_owned(), key))
}

/// Runs the command of the process's arguments.
#[must_use]
pub fn run() -> ExitCode {
    match execute(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn execute(command: Command) -> Result<(), Box<dyn Error>> {
    match command {
        Command::List => {
            let faults = list().map(|fault| described("fault", fault));
            let allowed = variations().map(|variation| described("variation", variation));
            let faults: Vec<_> = faults.chain(allowed).collect();
            anstream::println!("{}", serde_json::to_string_pretty(&faults)?);
            Ok(())
        }
        Command::Serve { upstream, listen, fault, keys } => {
            let keys = Keys::from_iter(keys);
            check_roles(fault, &keys)?;
            let runtime = tokio::runtime::Runtime::new()?;
            runtime.block_on(serve(&upstream, listen, fault, keys))
        }
    }
}

fn described(kind: &str, fault: &Fault) -> serde_json::Value {
    serde_json::json!({
        "kind": kind, "id": fault.id, "clause": fault.clause, "sentence": fault.sentence,
        "roles": fault.roles,
    })
}

fn check_roles(fault: Option<&Fault>, keys: &Keys) -> Result<(), String> {
    let needed = fault.map_or(&[][..], |fault| fault.roles);
    let missing: Vec<&str> =
        needed.iter().copied().filter(|role| keys.get(role).is_none()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let flags: Vec<String> = missing.iter().map(|role| format!("--key {role}=VARIABLE")).collect();
    Err(format!(
        "the fault needs keys of these roles: {}; add {}",
        missing.join(", "),
        flags.join(" ")
    ))
}

async fn serve(
    upstream: &str,
    listen: SocketAddr,
    fault: Option<&'static Fault>,
    keys: Keys,
) -> Result<(), Box<dyn Error>> {
    let pool = transport::connect(Vec::new())?;
    let proxy = Proxy::start(listen, upstream, fault, keys, pool).await.map_err(|error| {
        format!("{listen} cannot be listened on: {error}. Choose another address with --listen")
    })?;
    let shown = fault.map_or_else(
        || "everything unchanged".to_owned(),
        |fault| format!("{} ({}): {}", fault.id, fault.clause, fault.sentence),
    );
    anstream::eprintln!(
        "http://{} shows {upstream} with {shown} Ctrl-C stops it.",
        proxy.address()
    );
    tokio::signal::ctrl_c().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn missing_key_is_named_with_its_flag() {
        let fault = find_shown("foreign-statement-403");
        let message = check_roles(fault, &Keys::default()).unwrap_err();
        assert!(message.contains("--key other_organization=VARIABLE"), "{message}");
    }
}
