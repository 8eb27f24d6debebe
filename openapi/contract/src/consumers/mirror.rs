//! A copy of the packages in which only the generated client is another: folders with links to the
//! real files, so that nothing is copied and no file of the project can be written.
//!
//! Below its folder every package has the path that it has on this machine. So paths between
//! packages, and what a manifest inherits of its workspace, are as they are.
//!
//! Mirrors share one folder of builds, apart from the project's: to cargo a package is the same in
//! each of them, and in the project, because it has the same place in its workspace.

use std::{
    collections::BTreeSet,
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use super::packages::Packages;
use crate::Result;

#[derive(Debug)]
pub(super) struct Mirror {
    folder: PathBuf,
    builds: PathBuf,
    /// The real file of the generated client.
    client: PathBuf,
}

impl Mirror {
    /// Makes the mirror `name` in `scratch`, or brings an older one up to date.
    pub(super) fn create(
        scratch: &Path,
        name: &str,
        packages: &Packages,
        client: &Path,
        text: &str,
    ) -> Result<Self> {
        let folder = scratch.join(name);
        fs::create_dir_all(&folder)?;
        let builds = scratch.join("builds");
        let mirror = Self { folder, builds, client: client.to_owned() };
        let plan = Plan::new(packages, scratch, client);
        for workspace in &packages.0 {
            mirror.fill(&workspace.workspace_root, &plan)?;
        }
        // Always written, so that its time changes: cargo has to compile it again after the client
        // of another mirror. No link: cargo would look for it in the mirror that it compiled last.
        fs::write(mirror.inside(client), text)?;
        Ok(mirror)
    }

    /// Where cargo builds.
    pub(super) fn builds(&self) -> &Path {
        &self.builds
    }

    /// Where a real file is mirrored.
    pub(super) fn inside(&self, real: &Path) -> PathBuf {
        self.folder.join(real.strip_prefix("/").unwrap_or(real))
    }

    /// The file that a path in the mirror stands for. Of the generated client it is the one that
    /// was compiled.
    pub(super) fn real(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.folder) {
            Ok(inside) if *path != self.inside(&self.client) => Path::new("/").join(inside),
            _ => path.to_owned(),
        }
    }

    fn fill(&self, real: &Path, plan: &Plan) -> Result<()> {
        let mirrored = self.inside(real);
        fs::create_dir_all(&mirrored)?;
        let mut names = BTreeSet::new();
        for entry in fs::read_dir(real)? {
            let path = entry?.path();
            let Some(name) = path.file_name().filter(|_| !plan.skipped.contains(&path)) else {
                continue;
            };
            names.insert(name.to_owned());
            let place = mirrored.join(name);
            if plan.folders.contains(&path) {
                remove_link(&place)?;
                self.fill(&path, plan)?;
            } else if name == "Cargo.lock" {
                // cargo may write it.
                write_if_changed(&place, &fs::read_to_string(&path)?)?;
            } else if name == "Cargo.toml" && plan.lone.contains(&path) {
                let text = fs::read_to_string(&path)?;
                write_if_changed(&place, &with_workspace(&text)?)?;
            } else if path == self.client {
                remove_link(&place)?;
            } else {
                link(&path, &place)?;
            }
        }
        for entry in fs::read_dir(&mirrored)? {
            let entry = entry?;
            let is_folder = plan.folders.contains(&real.join(entry.file_name()));
            if !is_folder && !names.contains(&entry.file_name()) {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }
}

/// What becomes a folder of its own, instead of a link.
struct Plan {
    /// The folders of packages and of the generated client, and those that they are in.
    folders: BTreeSet<PathBuf>,
    /// The output of builds, and repositories: cargo lists the files of a package with those.
    skipped: BTreeSet<PathBuf>,
    /// The manifests of roots: one without `[workspace]` would belong to a workspace that the
    /// mirror is in.
    lone: BTreeSet<PathBuf>,
}

impl Plan {
    fn new(packages: &Packages, scratch: &Path, client: &Path) -> Self {
        let roots = || packages.0.iter().map(|workspace| workspace.workspace_root.as_path());
        let folders = packages.folders().chain(roots()).chain(client.parent());
        let targets = packages.0.iter().map(|workspace| workspace.target_directory.clone());
        let above = scratch.ancestors().map(Path::to_owned);
        let outside = |path: &PathBuf| !roots().any(|root| root.starts_with(path));
        let repositories = packages.folders().chain(roots()).map(|folder| folder.join(".git"));
        Self {
            folders: folders.flat_map(Path::ancestors).map(Path::to_owned).collect(),
            skipped: targets.chain(above).filter(outside).chain(repositories).collect(),
            lone: roots().map(|root| root.join("Cargo.toml")).collect(),
        }
    }
}

/// The manifest of a package that is the root of its workspace.
fn with_workspace(manifest: &str) -> Result<String> {
    let table: toml::Table = manifest.parse()?;
    if table.contains_key("workspace") {
        return Ok(manifest.to_owned());
    }
    Ok(format!("{manifest}\n[workspace]\n"))
}

fn write_if_changed(path: &Path, text: &str) -> io::Result<()> {
    remove_link(path)?;
    if fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    fs::write(path, text)
}

fn link(target: &Path, place: &Path) -> io::Result<()> {
    if fs::read_link(place).is_ok_and(|known| known == target) {
        return Ok(());
    }
    if place.symlink_metadata().is_ok() {
        remove(place)?;
    }
    symlink(target, place)
}

/// Removes a link, so that nothing is written through it.
fn remove_link(place: &Path) -> io::Result<()> {
    if place.is_symlink() { fs::remove_file(place) } else { Ok(()) }
}

fn remove(place: &Path) -> io::Result<()> {
    if place.symlink_metadata()?.is_dir() {
        fs::remove_dir_all(place)
    } else {
        fs::remove_file(place)
    }
}
