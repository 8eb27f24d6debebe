//! `contract breaking`.

/// The arguments of the command.
#[derive(Debug, clap::Args)]
pub struct Options {}

/// Runs the command; `false` where it has findings.
///
/// # Errors
/// It could not run.
pub fn run(_options: &Options) -> Result<bool, Box<dyn std::error::Error + Send + Sync>> {
    Ok(true)
}
