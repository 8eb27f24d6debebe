//! The folder of a baseline: read whole, and replaced whole, so that nobody sees half of one.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use super::model::{Baseline, CASES, FORMAT, File, Header, SNAPSHOT};
use crate::toml_file::{self, Fault};

/// Describes the baseline, and makes a folder one.
const HEADER: &str = "baseline.toml";
/// `cargo insta` looks for snapshots in packages alone.
const PACKAGE: &str = "Cargo.toml";
const PACKAGE_TEXT: &str = "\
# Lets `cargo insta` find the snapshots of this folder. There is nothing to build.

[workspace]

[package]
name = \"baseline\"
version = \"0.0.0\"

[lib]
path = \"baseline.toml\"
";
const NEW: &str = ".snap.new";
/// What insta shows as the origin of a file.
const SOURCE: &str = "payout-conformance record";
const PREFACE: &str = "\
# Written by `payout-conformance record`. The folders beside this file hold what the deployment
# answered, one file for each operation, status and error code, and one for each case that got
# something else; `cases.snap` names what each case got. Values in brackets stand for values that
# differ each time.

";

impl Baseline {
    /// Reads the baseline in this folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, String> {
        let path = folder.join(HEADER);
        let text = fs::read_to_string(&path).map_err(|error| {
            let folder = folder.display();
            format!("{folder} is no baseline, because its {HEADER} cannot be read: {error}")
        })?;
        let header: Header = toml_file::parse(&text)
            .map_err(|Fault { line, what }| format!("{}, line {line}: {what}", path.display()))?;
        if header.format != FORMAT {
            return Err(format!(
                "{} has the format {}, and this version of the suite reads {FORMAT}: record the \
                 baseline again",
                path.display(),
                header.format
            ));
        }
        let mut files = BTreeMap::new();
        let names = names(folder).map_err(failed(folder, "read"))?;
        for name in names.into_iter().chain([CASES.to_owned()]) {
            let path = folder.join(format!("{name}{SNAPSHOT}"));
            let text = fs::read_to_string(&path).map_err(failed(&path, "read"))?;
            files.insert(name, File::read(&text));
        }
        let baseline = Self::from_files(header, files);
        match baseline.missing() {
            None => Ok(baseline),
            Some((case, reference)) => Err(format!(
                "{} has no response {reference}, which {CASES}{SNAPSHOT} names for {case}: \
                 record the baseline again",
                folder.display()
            )),
        }
    }

    /// Writes the baseline in place of the one in this folder, if any.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), String> {
        check(folder)?;
        let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(failed(parent, "created"))?;
        let draft = tempfile::Builder::new().prefix(".baseline-").tempdir_in(parent);
        let draft = draft.map_err(failed(parent, "written to"))?;
        let (new, old) = (draft.path().join("new"), draft.path().join("old"));
        self.fill(&new).map_err(failed(&new, "written"))?;
        if folder.exists() {
            fs::rename(folder, &old).map_err(failed(folder, "replaced"))?;
        }
        fs::rename(&new, folder).map_err(|error| {
            // The earlier one stays.
            let _ = fs::rename(&old, folder);
            failed(folder, "written")(error)
        })
    }

    fn fill(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        self.write_head(folder)?;
        for (name, file) in self.all_files() {
            let path = folder.join(format!("{name}{SNAPSHOT}"));
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, file.write(SOURCE))?;
        }
        Ok(())
    }

    fn write_head(&self, folder: &Path) -> io::Result<()> {
        let header = toml::to_string_pretty(&self.header).map_err(io::Error::other)?;
        fs::write(folder.join(HEADER), format!("{PREFACE}{header}"))?;
        fs::write(folder.join(PACKAGE), PACKAGE_TEXT)
    }

    /// Writes what is new or changed beside the accepted files, for `cargo insta review`. Returns
    /// how many files were written, and the names of those that nothing takes any more.
    pub(crate) fn write_for_review(&self, folder: &Path) -> Result<(usize, Vec<String>), String> {
        let accepted = Self::read(folder)?;
        let (changed, gone) = self.changes(&accepted);
        write_new(folder, &changed, SOURCE)?;
        self.write_head(folder).map_err(failed(folder, "written"))?;
        Ok((changed.len(), gone.into_iter().map(str::to_owned).collect()))
    }
}

/// Requires that a baseline may be written to this folder: it is one, or empty, or not there.
pub(crate) fn check(folder: &Path) -> Result<(), String> {
    let is_free = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none() || folder.join(HEADER).is_file(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    if is_free {
        return Ok(());
    }
    Err(format!(
        "{} holds something else than a baseline: name an empty folder, or one with {HEADER}",
        folder.display()
    ))
}

/// Writes files beside the accepted ones, for `cargo insta review`.
pub(super) fn write_new(
    folder: &Path,
    files: &BTreeMap<&str, File>,
    source: &str,
) -> Result<(), String> {
    for (name, file) in files {
        let path = folder.join(format!("{name}{NEW}"));
        let parent = path.parent().map_or(Ok(()), fs::create_dir_all);
        let written = parent.and_then(|()| fs::write(&path, file.write(source)));
        written.map_err(failed(&path, "written"))?;
    }
    Ok(())
}

/// The names of the snapshots in a folder.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for operation in fs::read_dir(folder)? {
        let operation = operation?;
        if !operation.file_type()?.is_dir() {
            continue;
        }
        for file in fs::read_dir(operation.path())? {
            let file = file?.file_name();
            let folder = operation.file_name();
            let (folder, file) = (folder.to_string_lossy(), file.to_string_lossy());
            names.extend(file.strip_suffix(SNAPSHOT).map(|label| format!("{folder}/{label}")));
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn failed(path: &Path, action: &'static str) -> impl Fn(io::Error) -> String {
    let path: PathBuf = path.to_owned();
    move |error| format!("{} cannot be {action}: {error}", path.display())
}

#[cfg(test)]
mod tests;
