//! `contract consumers`: compiles the registered consumers with the client of a changed document,
//! and reports where they break, and by which change.
//!
//! [`packages`] finds what takes part, [`mirror`] copies it with another client, [`check`] compiles
//! a consumer there, [`judge`] compares that with a client without the change, and [`attribution`]
//! finds the change that an error belongs to.

mod attribution;
mod check;
mod judge;
mod mirror;
mod packages;
mod report;
#[cfg(test)]
mod tests;

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
};

use openapi_codegen::{ClientConfig, Config, ConsumerConfig, generate};
use openapi_document::{Document, released_versions};

use self::{
    check::Consumer,
    judge::{Baseline, Bench, Verdict},
    packages::Packages,
    report::Report,
};
use crate::{
    Result,
    breaking::{Documents, compare},
    codegen::configuration,
    output::Format,
    skeleton::folder,
};

/// The arguments of the command.
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
    /// Where client and consumers are: [client] and [[consumers]]
    #[arg(long, value_name = "FILE", default_value = "contract.toml")]
    config: PathBuf,
    /// For whom the errors are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// For mirrors, below the folder of the configuration.
const SCRATCH: &str = "target/contract/consumers";

/// Runs the command; `false` where a consumer breaks.
///
/// # Errors
/// It could not run, or a consumer could not be judged.
pub fn run(options: &Options) -> Result<bool> {
    let comparison = compare(&Documents {
        config: options.config.clone(),
        old: options.old.clone(),
        new: options.document.clone(),
        accepted: None,
    })?;
    let config = configuration(&options.config)?;
    let shown = folder(&options.config);
    let root = Path::new(".").join(&shown).canonicalize()?;
    let client = config.client.as_ref().ok_or(NO_CLIENT)?;
    let released = released_versions(&root.join(&config.released))?;
    let client_of = |document: &Document| client_text(document, &released, &config);
    let new = client_of(&comparison.new.document)?;
    let current = fs::read_to_string(root.join(&client.file)).map_err(|error| error.to_string());
    let mut baselines = vec![Baseline {
        name: "released",
        label: format!("the client of {}", comparison.old.path),
        text: client_of(&comparison.old.document).map_err(|error| error.to_string()),
    }];
    // The client in the project tells something unless it is the new one already.
    if current.as_ref().is_ok_and(|text| *text != new) {
        let label = format!("the client in {}", shown.join(&client.file).display());
        baselines.insert(0, Baseline { name: "current", label, text: current });
    }
    let bench = bench(&root, &shown, client, &config.consumers)?;
    let _lock = lock(&bench.scratch)?;
    let judged = bench.judge(&new, &baselines)?;
    let report = Report::new(&comparison, judged, &bench, (&root, &shown));
    anstream::print!("{}", report.print(options.format)?);
    match (report.count(Verdict::Breaks), report.unjudged()) {
        (1.., _) => Ok(false),
        (0, 0) => Ok(true),
        (0, count) => Err(format!("{count} of {} could not be judged", report.total()).into()),
    }
}

const NO_CLIENT: &str = "the configuration has no client; name its generated file: \
                         `[client]` `file = \"client/src/generated.rs\"`";
const NO_CONSUMER: &str = "the configuration has no consumer; register a package that uses the \
                           client: `[[consumers]]` `manifest = \"client/Cargo.toml\"` \
                           `arguments = [\"--examples\"]`";

fn client_text(document: &Document, released: &[String], config: &Config) -> Result<String> {
    let alone = Config { server: None, index: None, ..config.clone() };
    let client = config.client.as_ref().ok_or(NO_CLIENT)?;
    let mut artifacts = generate(document, released, &alone)?.into_iter();
    Ok(artifacts.find(|artifact| artifact.path == client.file).ok_or(NO_CLIENT)?.text)
}

fn bench(
    root: &Path,
    shown: &Path,
    client: &ClientConfig,
    registered: &[ConsumerConfig],
) -> Result<Bench> {
    if registered.is_empty() {
        return Err(NO_CONSUMER.into());
    }
    let folder = root.join(&client.file).parent().map(Path::canonicalize).transpose()?;
    let folder = folder.ok_or(NO_CLIENT)?;
    let client_file = folder.join(Path::new(&client.file).file_name().ok_or(NO_CLIENT)?);
    let mut manifests = folder.ancestors().map(|folder| folder.join("Cargo.toml"));
    let manifest = manifests.find(|manifest| manifest.exists());
    let manifest = manifest.ok_or_else(|| format!("{} is in no package", client.file))?;
    let name = manifest.strip_prefix(root).map_or(manifest.clone(), |inside| shown.join(inside));
    let name = format!("the client itself, {}", name.display());
    let client = Consumer { name, manifest, arguments: Vec::new() };
    let consumers = registered.iter().map(|consumer| {
        let name = shown.join(&consumer.manifest).display().to_string();
        let manifest = root.join(&consumer.manifest).canonicalize();
        let manifest = manifest.map_err(|error| format!("the consumer {name}: {error}"))?;
        let words = [&[name][..], &consumer.arguments].concat();
        Ok(Consumer { name: words.join(" "), manifest, arguments: consumer.arguments.clone() })
    });
    let consumers = consumers.collect::<Result<Vec<_>>>()?;
    let manifests = [&client].into_iter().chain(&consumers).map(|one| one.manifest.clone());
    let packages = Packages::find(&manifests.collect::<Vec<_>>())?;
    let scratch = root.join(SCRATCH);
    Ok(Bench { client_file, client, consumers, packages, scratch })
}

/// Two runs at once would change each other's mirrors.
fn lock(scratch: &Path) -> Result<File> {
    fs::create_dir_all(scratch)?;
    let file = File::create(scratch.join("lock"))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            anstream::eprintln!("waiting for another `contract consumers` to end");
            file.lock()?;
        }
        Err(TryLockError::Error(error)) => return Err(error.into()),
    }
    Ok(file)
}
