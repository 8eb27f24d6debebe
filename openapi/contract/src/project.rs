//! `contract codegen`: the generated files of a project, written or checked.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::codegen::{
    Artifact, CodegenError, Config, Coverage, Mode, Stale, coverage, ensure, generate, skeleton,
    with_tables,
};
use openapi_document::{Document, DocumentError, released_versions};

use crate::{Result, skeleton::folder};

const CONFIG: &str = "contract.toml";

/// The arguments of the command.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The configuration; without the file every name has its default
    #[arg(long, value_name = "FILE", default_value = CONFIG)]
    pub config: PathBuf,
    /// Use another document than the configuration's
    #[arg(long, value_name = "FILE")]
    pub document: Option<PathBuf>,
    /// Write nothing; fail if a generated file is stale
    #[arg(long)]
    pub check: bool,
}

/// The reason why no file was written or compared.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The document or the configuration has to change.
    #[error("{0}")]
    Finding(String),
    /// A file cannot be read or written, or rustfmt cannot be run.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The document cannot be read.
    #[error(transparent)]
    Document(DocumentError),
}

impl Options {
    pub fn mode(&self) -> Mode {
        if self.check { Mode::Check } else { Mode::Write }
    }

    /// Returns the command that writes the files.
    fn command(&self) -> String {
        let config = self.config.display();
        let is_default = self.config == Path::new(CONFIG);
        let config = if is_default { String::new() } else { format!(" --config {config}") };
        format!("contract codegen{config}")
    }
}

/// The document of a project, with its configuration.
#[derive(Debug)]
pub struct Project {
    /// The folder of the configuration, which its paths are relative to.
    pub root: PathBuf,
    config: Config,
    document: Document,
    /// The file of the document, with the tables in its descriptions.
    tables: Option<Artifact>,
    released: Vec<String>,
}

type Loaded<T> = std::result::Result<T, Failure>;

impl Project {
    /// Reads the configuration and what it names.
    pub fn load(options: &Options) -> Loaded<Self> {
        let config = configuration(&options.config)?;
        let root = folder(&options.config);
        let path = options.document.clone().unwrap_or_else(|| root.join(&config.document));
        let mut document = found(Document::load(&path))?;
        let mut tables = None;
        if options.document.is_none() {
            let text = with_tables(&document, &fs::read_to_string(&path)?);
            document = found(Document::parse(&path.display().to_string(), &text))?;
            tables = Some(Artifact { path: config.document.clone(), text });
        }
        let released = found(released_versions(&root.join(&config.released)))?;
        Ok(Self { root, config, document, tables, released })
    }

    /// Writes or compares every generated file, and returns the stale ones.
    pub fn ensure_files(&self, mode: Mode) -> Loaded<Vec<Stale>> {
        let artifacts = generate(&self.document, &self.released, &self.config);
        let mut changed = Vec::new();
        for artifact in self.generated(artifacts)?.iter().chain(&self.tables) {
            changed.extend(ensure(&self.root, artifact, mode)?);
        }
        Ok(changed)
    }

    pub fn skeleton(&self, runtime: &Path) -> Loaded<Vec<Artifact>> {
        self.generated(skeleton(&self.document, &self.released, &self.config, runtime))
    }

    /// Finds the operations that can be generated; fails if something is not supported that belongs
    /// to no operation.
    pub fn coverage(&self) -> Loaded<Coverage> {
        self.generated(coverage(&self.document, &self.config).map_err(CodegenError::Rejected))
    }

    fn generated<T>(&self, result: std::result::Result<T, CodegenError>) -> Loaded<T> {
        result.map_err(|error| match error {
            CodegenError::Format(error) => error.into(),
            finding => {
                let mend = format!(
                    "Change the document there, or let `leave-out` name the operations that \
                     `contract coverage` lists; then run `{}`.",
                    self.config.command
                );
                Failure::Finding(format!("{finding}. {mend}"))
            }
        })
    }
}

/// Runs the command; `false` where it has findings.
pub fn run(options: &Options) -> Result<bool> {
    or_finding(|| {
        let changed = Project::load(options)?.ensure_files(options.mode())?;
        Ok(report(&changed, options.mode(), &options.command()))
    })
}

/// Prints a finding, and returns `false` if there is one.
pub(crate) fn or_finding(run: impl FnOnce() -> Loaded<bool>) -> Result<bool> {
    match run() {
        Err(Failure::Finding(finding)) => {
            anstream::eprintln!("{finding}");
            Ok(false)
        }
        ended => Ok(ended?),
    }
}

/// Prints the names of written or stale files, and returns `false` if a check found a stale one.
#[must_use]
pub fn report(changed: &[Stale], mode: Mode, command: &str) -> bool {
    if mode == Mode::Check && !changed.is_empty() {
        for stale in changed {
            anstream::eprintln!("{}\n{}\n", stale.path, stale.diff);
        }
        let count = changed.len();
        anstream::eprintln!(
            "{count} generated files are stale. Run `{command}` and commit the result."
        );
        return false;
    }
    for stale in changed {
        anstream::println!("wrote {}", stale.path);
    }
    anstream::println!("the generated files are fresh");
    true
}

/// Reads the configuration; without the file every entry has its default.
pub(crate) fn configuration(path: &Path) -> std::result::Result<Config, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Config::parse(&text)
            .map_err(|error| Failure::Finding(format!("{}: {error}", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Config::default()),
        Err(error) => Err(io::Error::new(error.kind(), format!("{}: {error}", path.display())))?,
    }
}

/// Makes an invalid document a finding.
pub(crate) fn found<T>(
    loaded: std::result::Result<T, DocumentError>,
) -> std::result::Result<T, Failure> {
    loaded.map_err(|error| match error {
        DocumentError::Invalid(what) => Failure::Finding(what.to_string()),
        unreadable => Failure::Document(unreadable),
    })
}
