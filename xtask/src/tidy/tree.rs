//! The project's files, as the rules see them.
//!
//! It refuses to follow links, and to look into folders that hold no source.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use super::source::Source;

/// What the rules look at.
const EXTENSIONS: [&str; 6] = ["md", "rs", "sql", "toml", "txt", "yaml"];

/// Why the files could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TreeError {
    /// The operating system refused.
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    /// A `.rs` file that cannot be read as Rust.
    #[error("{path} is no Rust: {reason}; `cargo fmt --all --check` shows the place")]
    NotRust { path: String, reason: String },
}

/// The project's files.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// Every `.rs` file, in the order of its path.
    pub(crate) sources: Vec<Source>,
    /// The text of every other file, by path.
    pub(crate) texts: BTreeMap<String, String>,
}

impl Tree {
    /// Reads the project below `root`.
    ///
    /// # Errors
    /// A file that cannot be read, or is no Rust.
    pub(crate) fn read(root: &Path) -> Result<Self, TreeError> {
        let mut tree = Self::default();
        tree.add_folder(root, root)?;
        Ok(tree)
    }

    /// A tree of planted files, for the tests of rules.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            tree.add((*path).to_owned(), (*text).to_owned()).unwrap();
        }
        tree
    }

    fn add_folder(&mut self, root: &Path, folder: &Path) -> Result<(), TreeError> {
        let failed = |source| TreeError::Io {
            path: folder.to_owned(),
            source,
        };
        let mut entries: Vec<_> = fs::read_dir(folder)
            .map_err(failed)?
            .collect::<Result<_, _>>()
            .map_err(failed)?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let kind = entry.file_type().map_err(failed)?;
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let left_out = name.starts_with('.') || name.starts_with("target");
            let known = path
                .extension()
                .is_some_and(|extension| EXTENSIONS.iter().any(|known| extension == *known));
            if kind.is_dir() && !left_out {
                self.add_folder(root, &path)?;
            } else if kind.is_file() && (known || name == ".gitattributes") {
                self.add_file(root, &path)?;
            }
        }
        Ok(())
    }

    fn add_file(&mut self, root: &Path, file: &Path) -> Result<(), TreeError> {
        let text = fs::read_to_string(file).map_err(|source| TreeError::Io {
            path: file.to_owned(),
            source,
        })?;
        let path = file.strip_prefix(root).unwrap_or(file);
        let path = path.to_string_lossy().replace('\\', "/");
        self.add(path, text)
    }

    fn add(&mut self, path: String, text: String) -> Result<(), TreeError> {
        if !path.ends_with(".rs") {
            self.texts.insert(path, text);
            return Ok(());
        }
        match Source::parse(&path, &text) {
            Ok(source) => self.sources.push(source),
            Err(error) => {
                let reason = error.to_string();
                return Err(TreeError::NotRust { path, reason });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_output_hidden_folders_and_unknown_files_are_left_out() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["target", "server/.sqlx"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        for file in [
            "target/a.rs",
            "server/.sqlx/b.rs",
            "server/c.rs",
            "server/d.png",
            "e.md",
            ".gitattributes",
        ] {
            fs::write(root.path().join(file), "").unwrap();
        }
        let tree = Tree::read(root.path()).unwrap();
        let sources: Vec<_> = tree
            .sources
            .iter()
            .map(|source| source.path.as_str())
            .collect();
        assert_eq!(sources, ["server/c.rs"]);
        let texts: Vec<_> = tree.texts.keys().map(String::as_str).collect();
        assert_eq!(texts, [".gitattributes", "e.md"]);
    }

    #[test]
    fn missing_folder_is_named() {
        let root = tempfile::tempdir().unwrap();
        let missing = root.path().join("nowhere");
        let error = Tree::read(&missing).unwrap_err().to_string();
        assert!(error.contains("nowhere"), "{error}");
    }
}
