//! Compiles the generated server in `target/contract/round-trip`, and asks the framework for the
//! document of its routes.

use std::{
    env, fs, io,
    path::Path,
    process::{Command, Stdio},
};

use openapi_codegen::{Mode, ensure};
use openapi_document::Document;

use crate::codegen::{Failure, Project, found};

/// In the folder of the configuration.
const FOLDER: &str = "target/contract/round-trip";

/// Variables that `cargo run` sets. Build scripts watch them: passed on, they would make cargo
/// build everything again.
const CARGO_RUN_VARIABLES: [&str; 3] =
    ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CARGO_PKG_NAME"];

/// The document that the framework emits for the routes generated from the project's document.
pub(super) fn emitted(project: &Project, runtime: &Path) -> Result<Document, Failure> {
    let folder = project.root.join(FOLDER);
    fs::create_dir_all(&folder)?;
    for file in project.emitting_crate(&runtime.canonicalize()?)? {
        ensure(&folder, &file, Mode::Write)?;
    }
    pin_versions(&project.root, &folder)?;
    anstream::eprintln!("compiling the generated server in {}", folder.display());
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for variable in CARGO_RUN_VARIABLES {
        cargo.env_remove(variable);
    }
    // Its own folder, also where the variable names that of the project.
    cargo.env("CARGO_TARGET_DIR", "target").arg("run").current_dir(&folder);
    let output = cargo.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| {
        io::Error::new(error.kind(), format!("cargo cannot be started: {error}"))
    })?;
    if !output.status.success() {
        let message = "the generated server cannot be compiled, or prints no document, for the \
                       reason above; `--emitted FILE` takes a document of another build";
        return Err(io::Error::other(message).into());
    }
    let path = folder.join("emitted.json");
    fs::write(&path, &output.stdout)?;
    found(Document::load(&path))
}

/// The versions of the project's own build, where it has one: cargo drops what is not used.
fn pin_versions(root: &Path, folder: &Path) -> io::Result<()> {
    let (known, own) = (root.join("Cargo.lock"), folder.join("Cargo.lock"));
    if known.exists() && !own.exists() {
        fs::copy(known, own)?;
    }
    Ok(())
}
