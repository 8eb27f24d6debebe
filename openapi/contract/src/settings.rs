//! `contract.toml`: where the documents are. Every entry has a default, and so has the file.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::Deserialize;

/// The part of `contract.toml` that names files. The sections of other commands are theirs.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    pub(crate) document: PathBuf,
    pub(crate) released: Released,
    pub(crate) breaking: Breaking,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Released {
    pub(crate) folder: PathBuf,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Breaking {
    /// The accepted changes.
    pub(crate) accepted: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        let document = PathBuf::from("openapi/api.yaml");
        Self { document, released: Released::default(), breaking: Breaking::default() }
    }
}

impl Default for Released {
    fn default() -> Self {
        Self { folder: PathBuf::from("openapi/released") }
    }
}

impl Settings {
    /// Reads the file; the defaults where it is not there.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            text => text.map_err(|error| format!("{}: {error}", path.display()))?,
        };
        toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }
}
