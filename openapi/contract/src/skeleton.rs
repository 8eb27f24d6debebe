//! `contract skeleton`: the first files of a server and of a client, which `contract codegen` never
//! touches.

use std::{
    io,
    path::{Component, Path, PathBuf},
};

use crate::{
    codegen::{Mode, ensure},
    output::print_line,
    project::{Loaded, Project, report},
};

#[derive(Debug, clap::Args)]
pub struct Options {
    /// The folder of the package openapi-runtime, beside that of openapi-client; without it,
    /// Cargo.toml names their version
    #[arg(long, value_name = "FOLDER")]
    runtime: Option<PathBuf>,
}

/// Runs the command, and returns `false` if it has findings.
pub(crate) fn run(options: &Options, project: &Project) -> Loaded<bool> {
    let runtime = options.runtime.as_deref().map(|path| seen_from(&project.root, path));
    let source = project.source(None)?;
    for artifact in source.skeleton(runtime.transpose()?.as_deref())? {
        let path = project.root.join(&artifact.path);
        if path.exists() {
            print_line!("kept {}: it is there already", path.display());
            continue;
        }
        ensure(&project.root, &artifact, Mode::Write)?;
        print_line!("wrote {}", artifact.path);
    }
    let changed = source.ensure_files(Mode::Write)?;
    let done = report(&changed, Mode::Write, "contract codegen");
    print_line!("next: cargo run");
    Ok(done)
}

/// The path of the runtime as the manifest of the project names it: a relative one from there.
fn seen_from(root: &Path, runtime: &Path) -> Loaded<PathBuf> {
    let manifest = runtime.join("Cargo.toml");
    if !manifest.is_file() {
        let problem =
            format!("--runtime {}: there is no {}", runtime.display(), manifest.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, problem).into());
    }
    if runtime.is_absolute() || root == Path::new("") {
        return Ok(runtime.to_owned());
    }
    let here = |path: &Path| -> io::Result<PathBuf> {
        if path == Path::new("") { Path::new(".").canonicalize() } else { path.canonicalize() }
    };
    let (root, runtime) = (here(root)?, here(runtime)?);
    let shared = root.components().zip(runtime.components()).take_while(|(a, b)| a == b).count();
    let up = root.components().skip(shared).map(|_| Component::ParentDir);
    Ok(up.chain(runtime.components().skip(shared)).collect())
}
