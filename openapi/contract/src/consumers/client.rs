//! Copies the client's package with another generated file. The copy is the only member of a
//! workspace of its own, so that what its manifest inherits stays the same.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use toml::{Table, Value};

use super::check::workspace_of;
use crate::Result;

pub(super) struct Client {
    pub(super) folder: PathBuf,
    pub(super) workspace: PathBuf,
    pub(super) generated: PathBuf,
}

impl Client {
    pub(super) fn find(generated: &Path) -> Result<Self> {
        let parent = generated.parent().unwrap_or(generated).canonicalize();
        let parent = parent.map_err(|error| format!("{}: {error}", generated.display()))?;
        let generated = parent.join(generated.file_name().unwrap_or_default());
        let folder = parent.ancestors().find(|folder| folder.join("Cargo.toml").exists());
        let folder = folder.ok_or_else(|| format!("{} is in no package", generated.display()))?;
        let workspace = workspace_of(&folder.join("Cargo.toml"))?;
        Ok(Self { folder: folder.to_owned(), workspace, generated })
    }

    /// Makes `to` a workspace with a copy of the package, and returns the folder of the package.
    pub(super) fn copy(&self, to: &Path, generated: &str) -> Result<PathBuf> {
        let member = self.folder.strip_prefix(&self.workspace)?;
        let folder = to.join(member);
        if to.exists() {
            fs::remove_dir_all(to)?;
        }
        copy_folder(&self.folder, &folder)?;
        fs::write(folder.join(self.generated.strip_prefix(&self.folder)?), generated)?;
        let mut package = self.manifest(&self.folder)?;
        if member.as_os_str().is_empty() {
            package.entry("workspace").or_insert_with(|| Table::new().into());
        } else {
            let mut root = self.manifest(&self.workspace)?;
            root.retain(|name, _| ["workspace", "profile", "patch"].contains(&name));
            if let Some(Value::Table(workspace)) = root.get_mut("workspace") {
                workspace.retain(|name, _| name != "default-members" && name != "exclude");
                workspace.insert("members".to_owned(), vec![member.display().to_string()].into());
            }
            fs::write(to.join("Cargo.toml"), root.to_string())?;
        }
        fs::write(folder.join("Cargo.toml"), package.to_string())?;
        let lock = self.workspace.join("Cargo.lock");
        if lock.exists() {
            fs::copy(lock, to.join("Cargo.lock"))?;
        }
        Ok(folder)
    }

    /// Reads a manifest; paths that leave the client's folder become absolute.
    fn manifest(&self, folder: &Path) -> Result<Table> {
        let mut manifest: Table = fs::read_to_string(folder.join("Cargo.toml"))?.parse()?;
        self.make_absolute(&mut manifest, folder);
        Ok(manifest)
    }

    fn make_absolute(&self, table: &mut Table, base: &Path) {
        for (name, value) in table {
            if let Some(path) = value.as_str().filter(|_| name == "path") {
                let path = base.join(path);
                let real = path.canonicalize().unwrap_or(path);
                if !real.starts_with(&self.folder) {
                    *value = real.display().to_string().into();
                }
            } else if let Value::Table(table) = value {
                self.make_absolute(table, base);
            }
        }
    }
}

/// Copies a folder without builds and repositories.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let copy = to.join(path.file_name().unwrap_or_default());
        let is_build = path.join("CACHEDIR.TAG").exists() || to.starts_with(&path);
        if path.is_dir() && !is_build && !path.ends_with(".git") {
            copy_folder(&path, &copy)?;
        } else if path.is_file() {
            fs::copy(&path, &copy)?;
        }
    }
    Ok(())
}
