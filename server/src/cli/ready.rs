//! `ready`: asks a running server whether it is ready, for the health check of a container, which
//! has no other program.

use std::{net::SocketAddr, time::Duration};

use clap::Args;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

use super::error::CliError;
use crate::config::HealthOptions;

const REQUEST: &[u8] = b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
/// How long the server may take to answer.
const LIMIT: Duration = Duration::from_secs(2);

/// Ask a running server whether it is ready: exit code 0 if it is
#[derive(Args, Debug)]
pub(crate) struct ReadyArguments {
    #[command(flatten)]
    health: HealthOptions,
}

pub(crate) async fn run(arguments: &ReadyArguments) -> Result<(), CliError> {
    let address = arguments.health.health_listen;
    let answer = timeout(LIMIT, answer(address)).await;
    let answer = answer.map_err(|_| CliError::message(format!("{address} does not answer")))?;
    let answer = answer.map_err(|error| {
        CliError::message(format!("no server listens at {address} for --health-listen: {error}"))
    })?;
    if answer.starts_with("HTTP/1.1 200 ") {
        return Ok(());
    }
    let reason = answer.rsplit("\r\n\r\n").next().unwrap_or_default().trim();
    Err(CliError::message(format!("the server is not ready: {reason}")))
}

async fn answer(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(REQUEST).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}
