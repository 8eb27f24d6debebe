//! `contract skeleton`: the first files of a server, which `contract codegen` never touches.

use std::path::{Path, PathBuf};

use crate::codegen::Mode;

use crate::{Result, project};

/// The runtime's folder in the checkout that this program is built from.
pub(crate) const RUNTIME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime");

/// The arguments of the command.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The configuration; without the file every name has its default
    #[arg(long, value_name = "FILE", default_value = "contract.toml")]
    config: PathBuf,
    /// The folder of the package openapi-runtime
    #[arg(long, value_name = "FOLDER", default_value = RUNTIME, hide_default_value = true)]
    runtime: PathBuf,
}

/// Runs the command, and returns `false` if it has findings.
pub fn run(options: &Options) -> Result<bool> {
    let files = project::Options { config: options.config.clone(), document: None, check: false };
    project::or_finding(|| {
        let project = project::Project::load(&files)?;
        let runtime = options.runtime.canonicalize()?;
        for artifact in project.skeleton(&runtime)? {
            let path = project.root.join(&artifact.path);
            if path.exists() {
                anstream::println!("kept {}: it is there already", path.display());
                continue;
            }
            crate::codegen::ensure(&project.root, &artifact, Mode::Write)?;
            anstream::println!("wrote {}", artifact.path);
        }
        let changed = project.ensure_files(Mode::Write)?;
        let done = project::report(&changed, Mode::Write, "contract codegen");
        anstream::println!("next: cargo run");
        Ok(done)
    })
}

/// Returns the folder of a configuration, which its paths are relative to.
pub(crate) fn folder(config: &Path) -> PathBuf {
    config.parent().unwrap_or(Path::new("")).to_owned()
}
