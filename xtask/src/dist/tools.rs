//! Cargo's commands for packages, installed once into `target/tools`.

use std::{env, ffi::OsString, path::Path};

use super::progress;
use crate::{Result, cargo, program::output};

/// A command of cargo, and its version.
pub(super) type Tool = (&'static str, &'static str);

pub(super) const DEB: Tool = ("cargo-deb", "3.8.0");
pub(super) const SBOM: Tool = ("cargo-sbom", "0.10.0");

/// Installs a tool unless it is there, and returns the search path that has it.
pub(super) fn ensure(root: &Path, (name, version): Tool) -> Result<OsString> {
    let folder = root.join("target/tools");
    let programs = folder.join("bin");
    if !programs.join(name).exists() {
        progress(&format!("installing {name} {version} into target/tools (once)"));
        let tool = format!("{name}@{version}");
        let mut install =
            cargo::command(root, &["install", "--locked", "--quiet", &tool, "--root"]);
        output(install.arg(&folder)).map_err(|error| {
            format!(
                "{error}\n{name} is needed; where there is no network, copy it to {}",
                programs.display()
            )
        })?;
    }
    let known = env::var_os("PATH").unwrap_or_default();
    let folders = [programs].into_iter().chain(env::split_paths(&known));
    Ok(env::join_paths(folders)?)
}
