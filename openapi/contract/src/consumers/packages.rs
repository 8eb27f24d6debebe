//! The packages on this machine that a check reads: the client, the consumers, and what they depend
//! on by path. `cargo metadata --no-deps` names them, and writes no file.

use std::{
    collections::BTreeSet,
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde::Deserialize;

use crate::Result;

/// A workspace of cargo, or a package without one.
#[derive(Debug, Deserialize)]
pub(super) struct Workspace {
    pub(super) workspace_root: PathBuf,
    pub(super) target_directory: PathBuf,
    pub(super) packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    name: String,
    /// A registry or a repository, as in `registry+https://…`; none for a path.
    source: Option<String>,
    path: Option<PathBuf>,
}

/// The workspaces of all packages, that of the first manifest first.
#[derive(Debug)]
pub(super) struct Packages(pub(super) Vec<Workspace>);

impl Packages {
    /// The packages of these manifests, and all that they depend on by path.
    pub(super) fn find(manifests: &[PathBuf]) -> Result<Self> {
        let mut found = Self(Vec::new());
        let mut pending: Vec<PathBuf> = manifests.iter().rev().cloned().collect();
        while let Some(manifest) = pending.pop() {
            if found.workspace(&manifest).is_some() {
                continue;
            }
            let workspace = metadata(&manifest)?;
            let dependencies = workspace.packages.iter().flat_map(|one| &one.dependencies);
            let paths = dependencies.filter_map(|dependency| dependency.path.as_ref());
            pending.splice(0..0, paths.map(|path| path.join("Cargo.toml")));
            found.0.push(workspace);
        }
        Ok(found)
    }

    /// The workspace with this manifest.
    pub(super) fn workspace(&self, manifest: &Path) -> Option<&Workspace> {
        self.0.iter().find(|workspace| {
            let mut packages = workspace.packages.iter();
            packages.any(|package| package.manifest_path == manifest)
                || manifest.parent() == Some(&workspace.workspace_root)
        })
    }

    pub(super) fn package(&self, manifest: &Path) -> Option<&Package> {
        let mut packages = self.0.iter().flat_map(|workspace| &workspace.packages);
        packages.find(|package| package.manifest_path == manifest)
    }

    /// The folder of every package.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        let packages = self.0.iter().flat_map(|workspace| &workspace.packages);
        packages.filter_map(|package| package.manifest_path.parent())
    }
}

impl Workspace {
    /// The registries and repositories from which its packages get `name`, as `[patch]` names them.
    pub(super) fn sources(&self, name: &str) -> BTreeSet<&str> {
        let dependencies = self.packages.iter().flat_map(|package| &package.dependencies);
        let named = dependencies.filter(|dependency| dependency.name == name);
        named.filter_map(|dependency| dependency.source.as_deref()).map(patch_key).collect()
    }
}

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn patch_key(source: &str) -> &str {
    if source == CRATES_IO {
        return "crates-io";
    }
    // The branch of a repository is no part of its key.
    let source = source.split(['?', '#']).next().unwrap_or(source);
    let prefixes = ["registry+", "git+"];
    prefixes.iter().find_map(|prefix| source.strip_prefix(prefix)).unwrap_or(source)
}

fn metadata(manifest: &Path) -> Result<Workspace> {
    let folder = manifest.parent().unwrap_or(Path::new("."));
    let mut cargo = cargo();
    cargo.args(["metadata", "--format-version", "1", "--no-deps", "--manifest-path"]);
    let output = cargo.arg(manifest).current_dir(folder).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("cargo cannot be started: {error}"))?;
    if output.status.success() {
        return Ok(serde_json::from_slice(&output.stdout)?);
    }
    let problem = String::from_utf8_lossy(&output.stderr);
    Err(format!("{}: cargo cannot read it: {}", manifest.display(), problem.trim_end()).into())
}

/// Prefixes of variables that `cargo run` sets for a program, and build scripts watch.
const CARGO_RUN_VARIABLES: [&str; 2] = ["CARGO_MANIFEST_", "CARGO_PKG_"];

/// The cargo that runs this program, or the one on the path.
pub(super) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if CARGO_RUN_VARIABLES.iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_is_named_as_patch_names_it() {
        for (source, key) in [
            (CRATES_IO, "crates-io"),
            ("registry+https://crates.example/index", "https://crates.example/index"),
            ("sparse+https://crates.example/", "sparse+https://crates.example/"),
            ("git+https://git.example/client?branch=main#1f2e", "https://git.example/client"),
        ] {
            assert_eq!(patch_key(source), key);
        }
    }
}
