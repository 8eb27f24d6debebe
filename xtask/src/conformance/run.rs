//! The command: build, start, judge, and say where the reports are.
//!
//! It refuses a server that was used before: what one run has spent must not fail the next.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::stage::{Stage, StageError};
use crate::{
    cargo::{BuildError, Program, build},
    deployment::{DeploymentError, failed},
};

/// What is told to the suite.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Where the reports go: report.html, report.json, report.junit.xml [default: target/conformance]
    #[arg(long, value_name = "FOLDER")]
    reports: Option<PathBuf>,
    /// Handed on to `payout-conformance run`, such as --case ID or --decisions off
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    arguments: Vec<String>,
}

/// Why nothing was judged.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConformanceError {
    /// Server or suite cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// There is no server to judge.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// The reports have no place.
    #[error(transparent)]
    Reports(#[from] DeploymentError),
    /// The suite cannot be started.
    #[error("payout-conformance cannot be started: {0}")]
    Start(io::Error),
    /// The suite could not run.
    #[error("the suite judged nothing; what it said stands above")]
    NotJudged,
}

/// Judges; `false` where some case ended otherwise than expected.
///
/// # Errors
/// Nothing was judged.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool, ConformanceError> {
    let server = build(root, Program::Debug("payout-server"))?;
    let suite = build(root, Program::Debug("payout-conformance"))?;
    let stage = Stage::open(&server, "conformance")?;
    let scene = stage.scene("judged", &[])?;
    let reports = options.reports.clone();
    let reports = reports.unwrap_or_else(|| root.join("target/conformance"));
    fs::create_dir_all(&reports).map_err(failed("make the folder of the reports"))?;
    let mut command = scene.suite(&suite);
    for (flag, file) in [
        ("--html", "report.html"),
        ("--json", "report.json"),
        ("--junit", "report.junit.xml"),
    ] {
        command.arg(flag).arg(reports.join(file));
    }
    command.args(&options.arguments);
    let status = command.status().map_err(ConformanceError::Start)?;
    eprintln!("reports: {}", reports.join("report.html").display());
    match status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => Err(ConformanceError::NotJudged),
    }
}
