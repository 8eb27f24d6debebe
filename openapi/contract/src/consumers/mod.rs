//! `contract consumers`: lists the changes of a document, and compiles each registered consumer
//! with the client of the changed document.
//!
//! `client` copies the client's package with another generated file, and `check` runs cargo with
//! that copy. Errors that the client without the change gives too are not the change's.

mod check;
mod client;
mod report;
#[cfg(test)]
mod tests;

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use crate::codegen::{Config, generate};
use openapi_document::{Document, released_versions};

use self::{
    check::{CompileError, Compiled, Consumer, check},
    client::Client,
};
use crate::{
    Result,
    breaking::{Documents, Level, compare},
    output::{Format, write, write_error},
    project::Project,
};

#[derive(Debug, clap::Args)]
#[command(after_help = "Exit status: 0 every consumer compiles, 1 a consumer breaks, 2 could not \
                        run, or a consumer could not be judged.")]
pub struct Options {
    /// The document to publish; by default `document` of the configuration
    #[arg(long, value_name = "FILE")]
    document: Option<PathBuf>,
    /// The document that clients know; by default the newest released one
    #[arg(long, value_name = "FILE")]
    old: Option<PathBuf>,
    /// For whom the errors are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The folder of copies and builds, below the folder of the configuration.
const SCRATCH: &str = "target/contract/consumers";

const NO_CLIENT: &str = "the configuration has no client; name its generated file: \
                         `[client]` `file = \"client/src/generated.rs\"`";
const NO_CONSUMER: &str = "the configuration has no consumer; register a package that uses the \
                           client: `[[consumers]]` `manifest = \"client/Cargo.toml\"` \
                           `arguments = [\"--examples\"]`";
const UNKNOWN: &str = "the client without the change cannot be compiled to compare";

/// Runs the command, and returns `false` if a consumer breaks.
pub(crate) fn run(options: &Options, project: &Project) -> Result<bool> {
    let (old, new) = (options.old.clone(), options.document.clone());
    let mut comparison = compare(&Documents { old, new, ..Documents::default() }, project)?;
    comparison.changes.retain(|change| change.level <= Level::Warning && !change.hidden);
    let root = Path::new(".").join(&project.root).canonicalize()?;
    let config = &project.config;
    let workshop = Workshop::new(root.clone(), config)?;
    let new = client_text(&comparison.new, &root, config)?;
    // The client on disk is the one without the change, unless it was generated again already.
    let without_change = match fs::read_to_string(&workshop.client.generated) {
        Ok(text) if text != new => Some(text),
        _ => client_text(&comparison.old, &root, config).ok(),
    };
    // Two runs at once would change each other's copies.
    fs::create_dir_all(&workshop.scratch)?;
    let lock = File::create(workshop.scratch.join("lock"))?;
    lock.lock()?;
    let judged = workshop.judge(&new, without_change.as_deref())?;
    write(report::print(&comparison, &judged, options.format)?);
    let count = |effect| judged.iter().filter(|one| one.verdict == effect).count();
    match count(Effect::BrokenBefore) + count(Effect::NotJudged) {
        _ if count(Effect::Breaks) > 0 => Ok(false),
        0 => Ok(true),
        unknown => Err(format!("{unknown} of {} could not be judged", judged.len()).into()),
    }
}

fn client_text(document: &Document, root: &Path, config: &Config) -> Result<String> {
    let file = &config.client.as_ref().ok_or(NO_CLIENT)?.file;
    let released = released_versions(&root.join(&config.released))?;
    let alone = Config { server: None, index: None, ..config.clone() };
    let mut artifacts = generate(document, &released, &alone)?.into_iter();
    Ok(artifacts.find(|artifact| artifact.path == *file).ok_or(NO_CLIENT)?.text)
}

/// The packages to compile; `root` is the folder of the configuration.
struct Workshop {
    root: PathBuf,
    client: Client,
    consumers: Vec<Consumer>,
    scratch: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
enum Effect {
    Compiles,
    Breaks,
    BrokenBefore,
    NotJudged,
}

/// A consumer with its errors, and the number of those that it has without the change too.
#[derive(Debug, serde::Serialize)]
struct Judged {
    consumer: String,
    verdict: Effect,
    errors: Vec<CompileError>,
    before: usize,
    note: Option<String>,
}

impl Workshop {
    fn new(root: PathBuf, config: &Config) -> Result<Self> {
        let file = &config.client.as_ref().ok_or(NO_CLIENT)?.file;
        if config.consumers.is_empty() {
            return Err(NO_CONSUMER.into());
        }
        let consumers = config.consumers.iter().map(|registered| {
            let (name, arguments) = (&registered.manifest, registered.arguments.clone());
            let manifest = root.join(name).canonicalize();
            let manifest = manifest.map_err(|error| format!("the consumer {name}: {error}"))?;
            let name = [&[name.clone()][..], &arguments].concat().join(" ");
            Ok(Consumer { name, manifest, arguments })
        });
        let consumers = consumers.collect::<Result<_>>()?;
        let (client, scratch) = (Client::find(&root.join(file))?, root.join(SCRATCH));
        Ok(Self { root, client, consumers, scratch })
    }

    fn judge(&self, new: &str, old: Option<&str>) -> Result<Vec<Judged>> {
        let found = self.compile("new", new)?;
        let fails = |one: &Compiled| one.as_ref().is_ok_and(|errors| !errors.is_empty());
        let old = old.filter(|_| found.iter().any(fails));
        let mut known = old.map(|old| self.compile("old", old)).transpose()?.into_iter().flatten();
        let judged = self.consumers.iter().zip(found);
        Ok(judged.map(|(consumer, found)| self.judged(consumer, found, known.next())).collect())
    }

    fn judged(&self, consumer: &Consumer, found: Compiled, known: Option<Compiled>) -> Judged {
        let mut note = found.as_ref().err().cloned();
        let mut errors = found.unwrap_or_default();
        let count = errors.len();
        match known {
            _ if count == 0 => {}
            Some(Ok(known)) if known.iter().all(|error| !error.is_in_client) => {
                errors.retain(|error| !known.iter().any(|one| one.is_same(error)));
            }
            _ => note = Some(UNKNOWN.to_owned()),
        }
        for error in &mut errors {
            error.file = error.file.strip_prefix(&self.root).unwrap_or(&error.file).to_owned();
        }
        let verdict = match (count, errors.len()) {
            (0, _) if note.is_some() => Effect::NotJudged,
            (0, _) => Effect::Compiles,
            (_, 0) => Effect::BrokenBefore,
            _ => Effect::Breaks,
        };
        let (consumer, before) = (consumer.name.clone(), count - errors.len());
        Judged { consumer, verdict, errors, before, note }
    }

    /// Compiles every consumer with one copy of the client, which is thus compiled once.
    fn compile(&self, name: &str, generated: &str) -> Result<Vec<Compiled>> {
        let copy = self.client.copy(&self.scratch.join(name), generated)?;
        let compiled = self.consumers.iter().map(|consumer| {
            write_error(format_args!("checking {} with the {name} client", consumer.name));
            check(consumer, &self.client, &copy, &self.scratch.join("builds"))
        });
        compiled.collect()
    }
}
