//! The commands of the program `contract`.

use std::path::{Path, PathBuf};

use crate::{
    Result, breaking, bundle, consumers, coverage, freeze, lint, mock,
    project::{self, Project, or_finding},
    skeleton,
};

/// The arguments of the program, and of `cargo xtask contract`.
#[derive(Debug, clap::Args)]
pub struct Command {
    /// The configuration, which names the documents; its entries have defaults [default:
    /// contract.toml, if it is there]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Change the document by an overlay (OpenAPI Overlay 1.0) before it is read; repeatable
    #[arg(long, global = true, value_name = "FILE")]
    overlay: Vec<PathBuf>,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Write the first files of a server: it compiles, and no handler is implemented yet
    Skeleton(skeleton::Options),
    /// Generate the server's contract, the client and the index of operations from the document
    Codegen(project::Options),
    /// List the operations that cannot be generated, with the reasons
    Coverage(coverage::Options),
    /// Report what makes a document hard to generate from, or promises what it does not keep
    Lint(lint::Options),
    /// Report whom the changes from one document to another break, or write the changelog
    Breaking(breaking::Options),
    /// List the changes, and compile the registered consumers with the changed document's client
    Consumers(consumers::Options),
    /// Write the document with the files that it refers to, and overlays, as one file
    Bundle(bundle::Options),
    /// Serve the document without code: its examples, and what its schemas describe
    Mock(mock::Options),
    /// Copy the document to the released ones, which never change; or check them
    Freeze(freeze::Options),
    /// Lint the document, check the released ones, and report breaking changes and an
    /// `info.version` that does not say them: what a pull request must pass
    Check,
}

/// Runs a command, and returns `false` if it has findings.
pub fn run(Command { config, overlay, action }: &Command) -> Result<bool> {
    let project = || {
        let project = match config {
            Some(file) => Project::load(file),
            None => Project::of_folder(Path::new("")),
        };
        project.map(|project| project.with_overlays(overlay))
    };
    match action {
        Action::Skeleton(options) => or_finding(|| skeleton::run(options, &project()?)),
        Action::Codegen(options) => or_finding(|| project::run(options, &project()?)),
        Action::Coverage(options) => or_finding(|| coverage::run(options, &project()?)),
        Action::Lint(options) => lint::run(options, &project()?),
        Action::Breaking(options) => breaking::run(options, &project()?),
        Action::Consumers(options) => consumers::run(options, &project()?),
        Action::Bundle(options) => or_finding(|| bundle::run(options, &project()?)),
        Action::Mock(options) => mock::run(options, &project()?),
        Action::Freeze(options) => freeze::run(options, &project()?),
        Action::Check => {
            let project = project()?;
            let linted = lint::run(&lint::Options::default(), &project)?;
            let frozen = freeze::check(&project)?;
            let mut changes = breaking::Options::default();
            changes.documents.check_version = true;
            Ok(linted & frozen & breaking::run(&changes, &project)?)
        }
    }
}

/// Tools for those who evolve an OpenAPI document.
///
/// From an empty folder: write `openapi/api.yaml`, run `contract lint`, then `contract skeleton`
/// and `cargo run`. After a change of the document run `contract codegen`, and fix what the
/// compiler reports. Before clients depend on it, run `contract freeze`; from then on
/// `contract breaking` reports whom a change breaks, and `contract consumers` where, by compiling
/// the packages that use the client. `contract.toml` names the files; every entry has a default.
#[derive(Debug, clap::Parser)]
#[command(
    name = "contract",
    version,
    after_help = "Exit status: 0 success, 1 findings, 2 could not run."
)]
pub struct Program {
    #[command(flatten)]
    pub command: Command,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Program::command().debug_assert();
    }
}
