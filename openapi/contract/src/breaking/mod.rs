//! `contract breaking`: compares two documents and reports whom each change breaks.
//!
//! A [`graph`] has a node for each pair of corresponding objects; [`rules`] find what changes in a
//! node; [`collect`] lists the changes with the operations that reach them.

mod accepted;
mod alternatives;
mod change;
mod changelog;
mod collect;
mod equality;
mod graph;
mod lifecycle;
mod object;
mod parameters;
mod print;
mod properties;
mod rule;
mod rules;
mod step;
mod walk;

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use openapi_document::{Document, released_documents};

pub use self::{
    change::{Change, Direction, Level},
    collect::changes,
};
use crate::{codegen::configuration, output::Format, skeleton::folder};

/// The arguments of the command.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The document that clients know; by default the newest released one.
    old: Option<PathBuf>,
    /// The document to publish; by default `document` of the configuration.
    new: Option<PathBuf>,
    /// Where documents are; its entries have defaults.
    #[arg(long, value_name = "FILE", default_value = "contract.toml")]
    config: PathBuf,
    /// The accepted changes; by default openapi/accepted.toml where it exists.
    #[arg(long, value_name = "FILE")]
    accepted: Option<PathBuf>,
    /// For whom the changes are printed.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Print the changelog instead.
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "format")]
    changelog: Option<Changelog>,
    /// Also print changes of descriptions, examples and unknown extensions.
    #[arg(long)]
    all: bool,
    /// From which level on a change is a finding.
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "breaking")]
    fail_on: Level,
}

/// The formats of a changelog.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Changelog {
    Markdown,
}

/// What a comparison found.
#[derive(Debug)]
struct Report {
    old: String,
    new: String,
    old_version: String,
    new_version: String,
    changes: Vec<Change>,
    accepted_file: PathBuf,
    /// Accepted fingerprints without a change.
    unmatched: Vec<String>,
}

/// Runs the command; `false` where it has findings.
///
/// # Errors
/// It could not run.
pub fn run(options: &Options) -> Result<bool, Box<dyn Error + Send + Sync>> {
    let report = report(options)?;
    let text = match options.changelog {
        Some(Changelog::Markdown) => changelog::markdown(&report)?,
        None => print::print(&report, options.format)?,
    };
    print!("{text}");
    Ok(!report.changes.iter().any(|change| change.is_finding(options.fail_on)))
}

fn report(options: &Options) -> Result<Report, Box<dyn Error + Send + Sync>> {
    let config = configuration(&options.config)?;
    let root = folder(&options.config);
    let old_path = match &options.old {
        Some(path) => path.clone(),
        None => newest(&root.join(&config.released))?,
    };
    let new_path = options.new.clone().unwrap_or_else(|| root.join(&config.document));
    let (old, new) = (Document::load(&old_path)?, Document::load(&new_path)?);
    let mut changes = changes(&old, &new);
    let accepted_file = options.accepted.clone().unwrap_or_else(|| root.join(&config.accepted));
    let unmatched = if options.accepted.is_some() || accepted_file.exists() {
        accepted::apply(&accepted_file, &mut changes)?
    } else {
        Vec::new()
    };
    changes.retain(|change| options.all || !change.hidden);
    Ok(Report {
        old: old_path.display().to_string(),
        new: new_path.display().to_string(),
        old_version: old.version().to_owned(),
        new_version: new.version().to_owned(),
        changes,
        accepted_file,
        unmatched,
    })
}

fn newest(folder: &Path) -> Result<PathBuf, Box<dyn Error + Send + Sync>> {
    let newest = released_documents(folder)?.pop().map(|(_, path)| path);
    newest.ok_or_else(|| {
        let folder = folder.display();
        format!("{folder} has no released document; write one with `contract freeze`").into()
    })
}

/// A rule as its users see it.
#[derive(Debug)]
pub struct RuleText {
    /// Its id, as in `response-property-removed`.
    pub id: String,
    /// The level, where a change gives no reason for another.
    pub level: Level,
    /// Why it has this level.
    pub why: &'static str,
}

/// Every rule, by id; those of schemas once for each direction.
#[must_use]
pub fn rule_texts() -> Vec<RuleText> {
    let mut texts = Vec::new();
    for rule in rules::all() {
        for direction in [Direction::Request, Direction::Response] {
            let (id, level) = (rule.id(direction), rule.level(direction));
            texts.push(RuleText { id, level, why: rule.why });
        }
    }
    texts.sort_by(|one, other| one.id.cmp(&other.id));
    texts.dedup_by(|one, other| one.id == other.id);
    texts
}
