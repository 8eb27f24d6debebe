//! `contract skeleton`: the first files of a server, which `contract codegen` never touches.

use std::path::PathBuf;

use crate::{
    codegen::{Mode, ensure},
    project::{Loaded, Project, report},
};

/// The runtime's folder in the checkout that this program is built from.
const RUNTIME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime");

#[derive(Debug, clap::Args)]
pub struct Options {
    /// The folder of the package openapi-runtime
    #[arg(long, value_name = "FOLDER", default_value = RUNTIME, hide_default_value = true)]
    runtime: PathBuf,
}

/// Runs the command, and returns `false` if it has findings.
pub(crate) fn run(options: &Options, project: &Project) -> Loaded<bool> {
    let source = project.source(None)?;
    for artifact in source.skeleton(&options.runtime.canonicalize()?)? {
        let path = project.root.join(&artifact.path);
        if path.exists() {
            anstream::println!("kept {}: it is there already", path.display());
            continue;
        }
        ensure(&project.root, &artifact, Mode::Write)?;
        anstream::println!("wrote {}", artifact.path);
    }
    let changed = source.ensure_files(Mode::Write)?;
    let done = report(&changed, Mode::Write, "contract codegen");
    anstream::println!("next: cargo run");
    Ok(done)
}
