//! Generates a payout's statement and saves its PDF:
//! `cargo run --example api download_statement <id> [folder]`.
//!
//! The PDF gets the filename that the server suggests, in the current folder by default. An
//! existing file is kept and reported.

use std::error::Error;

use super::Arguments;

pub(crate) async fn run(mut arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let client = payout_client::Client::from_env()?;
    let usage = "usage: download_statement <id> [folder]";
    let id = arguments.next().ok_or(usage)?;
    let folder = arguments.next().unwrap_or_else(|| ".".to_owned());

    let response = client.generate_statement(id).send().await?;
    let statement = &response.data;
    println!("{}  {}", statement.asset_id, statement.filename);
    let origin =
        if statement.is_uploaded { "uploaded by a person" } else { "rendered by the service" };
    println!("origin     {origin}");
    println!("link until {}", statement.expires_at);

    let download = client.download_statement(statement).send().await?;
    let length = download.length_bytes().unwrap_or_default();
    let download = download.on_progress(move |read| eprintln!("{read} of {length} bytes"));
    let path = download.save_in(folder).await?;
    println!("saved as   {}", path.display());
    Ok(())
}
