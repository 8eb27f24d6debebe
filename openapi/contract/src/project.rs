//! A project: its configuration, and the files that are generated from its document.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use openapi_document::{Document, DocumentError, released_versions};

use crate::{
    Result,
    codegen::{
        Artifact, CodegenError, Config, Coverage, Mode, Stale, coverage, ensure, generate,
        skeleton, with_tables,
    },
    output::{print_line, write_error},
};

const CONFIG: &str = "contract.toml";

/// The arguments of `contract codegen`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Use another document than the configuration's
    #[arg(long, value_name = "FILE")]
    document: Option<PathBuf>,
    /// Write nothing; fail if a generated file is stale
    #[arg(long)]
    check: bool,
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

pub(crate) type Loaded<T> = std::result::Result<T, Failure>;

/// A configuration, whose paths are relative to `root`, the folder of its file.
#[derive(Debug)]
pub struct Project {
    file: PathBuf,
    pub(crate) root: PathBuf,
    pub(crate) config: Config,
    /// The overlays of every document but the released ones.
    pub(crate) overlays: Vec<PathBuf>,
}

impl Project {
    /// Reads `contract.toml` of a folder; without the file every entry has its default.
    pub fn of_folder(folder: &Path) -> Loaded<Self> {
        let file = folder.join(CONFIG);
        if file.exists() { Self::load(&file) } else { Ok(Self::of(&file, Config::default())) }
    }

    /// Reads the configuration.
    pub fn load(file: &Path) -> Loaded<Self> {
        let text = fs::read_to_string(file).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", file.display()))
        })?;
        let config = Config::parse(&text)
            .map_err(|error| Failure::Finding(format!("{}: {error}", file.display())))?;
        Ok(Self::of(file, config))
    }

    fn of(file: &Path, config: Config) -> Self {
        let root = file.parent().unwrap_or(Path::new("")).to_owned();
        let overlays = config.overlays.iter().map(|overlay| root.join(overlay)).collect();
        Self { file: file.to_owned(), root, config, overlays }
    }

    /// Adds overlays to those of the configuration.
    pub(crate) fn with_overlays(mut self, overlays: &[PathBuf]) -> Self {
        self.overlays.extend_from_slice(overlays);
        self
    }

    /// The overlays of a document; a released one was written with them.
    pub(crate) fn overlays(&self, document: &Path) -> &[PathBuf] {
        let folder =
            document.canonicalize().ok().and_then(|file| file.parent().map(Path::to_owned));
        let is_released = folder.is_some() && folder == self.released().canonicalize().ok();
        if is_released { &[] } else { &self.overlays }
    }

    /// Loads a document with its overlays.
    pub(crate) fn load_document(
        &self,
        path: &Path,
    ) -> std::result::Result<Document, DocumentError> {
        Document::load_with(path, self.overlays(path))
    }

    /// Returns the path of the document that a command names, or else of the configuration's.
    pub(crate) fn document(&self, named: Option<&PathBuf>) -> PathBuf {
        named.cloned().unwrap_or_else(|| self.root.join(&self.config.document))
    }

    pub(crate) fn released(&self) -> PathBuf {
        self.root.join(&self.config.released)
    }

    /// Reads the document for the generator.
    pub fn source(&self, document: Option<&PathBuf>) -> Loaded<Source<'_>> {
        let path = self.document(document);
        let mut read = found(self.load_document(&path))?;
        let mut tables = None;
        if document.is_none() {
            let text = with_tables(&read, &fs::read_to_string(&path)?);
            read = found(Document::load_text(&path, &text, self.overlays(&path)))?;
            tables = Some(Artifact { path: self.config.document.clone(), text });
        }
        let released = found(released_versions(&self.released()))?;
        Ok(Source { project: self, document: read, tables, released })
    }
}

/// The document of a project.
#[derive(Debug)]
pub struct Source<'p> {
    project: &'p Project,
    pub(crate) document: Document,
    /// The file of the document, with the tables in its descriptions.
    tables: Option<Artifact>,
    released: Vec<String>,
}

impl Source<'_> {
    /// Writes or compares every generated file, and returns the stale ones.
    pub fn ensure_files(&self, mode: Mode) -> Loaded<Vec<Stale>> {
        let artifacts = generate(&self.document, &self.released, &self.project.config);
        let mut changed = Vec::new();
        for artifact in self.generated(artifacts)?.iter().chain(&self.tables) {
            changed.extend(ensure(&self.project.root, artifact, mode)?);
        }
        Ok(changed)
    }

    pub(crate) fn skeleton(&self, runtime: Option<&Path>) -> Loaded<Vec<Artifact>> {
        let config = &self.project.config;
        self.generated(skeleton(&self.document, &self.released, config, runtime))
    }

    /// Finds the operations that can be generated; fails if something is not supported that belongs
    /// to no operation.
    pub(crate) fn coverage(&self) -> Loaded<Coverage> {
        let coverage = coverage(&self.document, &self.project.config);
        self.generated(coverage.map_err(CodegenError::Rejected))
    }

    fn generated<T>(&self, result: std::result::Result<T, CodegenError>) -> Loaded<T> {
        result.map_err(|error| match error {
            CodegenError::Format(error) => error.into(),
            finding => Failure::Finding(format!(
                "{finding}. Change the document there, or let `leave-out` name the operations that \
                 `contract coverage` lists; then run `{}`.",
                self.project.config.command
            )),
        })
    }
}

/// Runs the command; `false` where it has findings.
pub(crate) fn run(options: &Options, project: &Project) -> Loaded<bool> {
    let mode = if options.check { Mode::Check } else { Mode::Write };
    let changed = project.source(options.document.as_ref())?.ensure_files(mode)?;
    let is_default = project.file == Path::new(CONFIG);
    let config =
        if is_default { String::new() } else { format!(" --config {}", project.file.display()) };
    Ok(report(&changed, mode, &format!("contract codegen{config}")))
}

/// Prints a finding, and returns `false` if there is one.
pub(crate) fn or_finding(run: impl FnOnce() -> Loaded<bool>) -> Result<bool> {
    match run() {
        Err(Failure::Finding(finding)) => {
            write_error(finding);
            Ok(false)
        }
        ended => Ok(ended?),
    }
}

/// Prints the names of written or stale files, and returns `false` if a check found a stale one.
pub fn report(changed: &[Stale], mode: Mode, command: &str) -> bool {
    if mode == Mode::Check && !changed.is_empty() {
        for stale in changed {
            write_error(format_args!("{}\n{}\n", stale.path, stale.diff));
        }
        let count = changed.len();
        write_error(format_args!(
            "{count} generated files are stale. Run `{command}` and commit the result."
        ));
        return false;
    }
    for stale in changed {
        print_line!("wrote {}", stale.path);
    }
    print_line!("the generated files are fresh");
    true
}

/// Makes an invalid document a finding.
pub(crate) fn found<T>(loaded: std::result::Result<T, DocumentError>) -> Loaded<T> {
    loaded.map_err(|error| match error {
        invalid @ DocumentError::Invalid(_) => Failure::Finding(invalid.to_string()),
        unreadable => Failure::Document(unreadable),
    })
}
