//! Generated files on disk: written, or compared. Both modes share one function, so that `--check`
//! compares what would be written.

use std::{fs, io, path::Path};

use similar::TextDiff;

/// Says whether stale files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Write,
    /// Write nothing; report what is stale.
    Check,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Relative to the project's root.
    pub path: String,
    pub text: String,
}

/// A file that differs from what codegen makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    /// Relative to the project's root.
    pub path: String,
    /// A short diff, from the file to the new content.
    pub diff: String,
}

const DIFF_LINES: usize = 30;

/// Compares a file, and in `Mode::Write` writes it where it is stale.
pub fn ensure(root: &Path, artifact: &Artifact, mode: Mode) -> io::Result<Option<Stale>> {
    let path = root.join(&artifact.path);
    let found = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(named(error, &artifact.path)),
    };
    if found == artifact.text {
        return Ok(None);
    }
    if mode == Mode::Write {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| named(error, &artifact.path))?;
        }
        fs::write(&path, &artifact.text).map_err(|error| named(error, &artifact.path))?;
    }
    Ok(Some(Stale { path: artifact.path.clone(), diff: short_diff(&found, &artifact.text) }))
}

/// Compares a whole folder in the same way; other files in it are stale, and are removed.
pub fn ensure_folder(
    root: &Path,
    folder: &str,
    artifacts: &[Artifact],
    mode: Mode,
) -> io::Result<Vec<Stale>> {
    let mut changed = Vec::new();
    for artifact in artifacts {
        changed.extend(ensure(root, artifact, mode)?);
    }
    for path in left_over(root, folder, artifacts)? {
        if mode == Mode::Write {
            fs::remove_file(root.join(&path)).map_err(|error| named(error, &path))?;
        }
        changed.push(Stale { path, diff: "codegen does not make this file any more".to_owned() });
    }
    Ok(changed)
}

/// The files of a folder that are not artifacts, sorted.
fn left_over(root: &Path, folder: &str, artifacts: &[Artifact]) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(root.join(folder)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(named(error, folder)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let name = entry.map_err(|error| named(error, folder))?.file_name();
        let path = format!("{folder}/{}", name.to_string_lossy());
        if !artifacts.iter().any(|artifact| artifact.path == path) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn named(error: io::Error, path: &str) -> io::Error {
    io::Error::new(error.kind(), format!("{path}: {error}"))
}

fn short_diff(found: &str, expected: &str) -> String {
    let diff = TextDiff::from_lines(found, expected);
    let unified = diff.unified_diff().context_radius(1).to_string();
    let mut lines: Vec<&str> = unified.lines().take(DIFF_LINES + 1).collect();
    if lines.len() > DIFF_LINES {
        lines[DIFF_LINES] = "…";
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(text: &str) -> Artifact {
        Artifact { path: "folder/file.rs".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn check_reports_and_writes_nothing() {
        let root = tempfile::tempdir().unwrap();
        let stale = ensure(root.path(), &artifact("new\n"), Mode::Check).unwrap().unwrap();
        assert_eq!(stale.path, "folder/file.rs");
        assert!(stale.diff.contains("+new"), "{}", stale.diff);
        assert!(!root.path().join("folder").exists());
    }

    #[test]
    fn written_file_is_fresh() {
        let root = tempfile::tempdir().unwrap();
        assert!(ensure(root.path(), &artifact("new\n"), Mode::Write).unwrap().is_some());
        assert_eq!(ensure(root.path(), &artifact("new\n"), Mode::Check).unwrap(), None);
        let stale = ensure(root.path(), &artifact("newer\n"), Mode::Check).unwrap().unwrap();
        assert!(stale.diff.contains("-new\n+newer"), "{}", stale.diff);
    }

    #[test]
    fn other_files_are_stale_and_removed() {
        let root = tempfile::tempdir().unwrap();
        ensure(root.path(), &artifact("kept\n"), Mode::Write).unwrap();
        fs::write(root.path().join("folder/old.json"), "{}").unwrap();
        let ensured = |mode| {
            let changed =
                ensure_folder(root.path(), "folder", &[artifact("kept\n")], mode).unwrap();
            changed.into_iter().map(|stale| stale.path).collect::<Vec<_>>()
        };
        assert_eq!(ensured(Mode::Check), ["folder/old.json"]);
        assert_eq!(ensured(Mode::Write), ["folder/old.json"]);
        assert_eq!(ensured(Mode::Check), Vec::<String>::new());
        assert!(root.path().join("folder/file.rs").exists());
    }

    #[test]
    fn long_diff_is_cut() {
        let expected: String = (0..500).map(|line| format!("line {line}\n")).collect();
        let diff = short_diff("", &expected);
        assert_eq!(diff.lines().count(), DIFF_LINES + 1);
        assert!(diff.ends_with('…'));
    }
}
