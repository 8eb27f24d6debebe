//! `contract breaking`: compares two documents and reports whom each change breaks.
//!
//! A [`graph`] has a node for each pair of corresponding objects; [`rules`] find what changes in a
//! node; [`collect`] lists the changes with the operations that reach them.

mod accepted;
mod change;
mod changelog;
mod collect;
mod equality;
mod graph;
mod lifecycle;
mod matched;
mod object;
mod print;
mod rule;
mod rules;
mod step;

use std::path::{Path, PathBuf};

use openapi_document::{Document, released_documents};

pub(crate) use self::print::{entries, json, print};
pub use self::{
    change::{Change, Direction, Level},
    collect::changes,
    rule::{RULES, Rule},
};
use crate::{Result, output::Format, project::Project};

#[derive(Debug, Default, clap::Args)]
pub struct Options {
    #[command(flatten)]
    documents: Documents,
    /// For whom the changes are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Print the changelog instead.
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "format")]
    changelog: Option<Changelog>,
    /// Also print changes of descriptions, examples and unknown extensions.
    #[arg(long)]
    all: bool,
    /// The level from which on a change is a finding
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t)]
    fail_on: Level,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Changelog {
    Markdown,
}

/// The documents to compare, and the changes that were accepted.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Documents {
    /// The document that clients know; by default the newest released one
    pub(crate) old: Option<PathBuf>,
    /// The document to publish; by default `document` of the configuration.
    pub(crate) new: Option<PathBuf>,
    /// The accepted changes; by default openapi/accepted.toml where it exists.
    #[arg(long, value_name = "FILE")]
    pub(crate) accepted: Option<PathBuf>,
}

#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) old: Document,
    pub(crate) new: Document,
    pub(crate) changes: Vec<Change>,
    accepted_file: PathBuf,
    /// Accepted fingerprints without a change.
    unmatched: Vec<String>,
}

/// Runs the command, and returns `false` if it has findings.
pub(crate) fn run(options: &Options, project: &Project) -> Result<bool> {
    let mut comparison = compare(&options.documents, project)?;
    comparison.changes.retain(|change| options.all || !change.hidden);
    let text = match options.changelog {
        Some(Changelog::Markdown) => changelog::markdown(&comparison)?,
        None => print(&comparison, options.format, options.fail_on)?,
    };
    anstream::print!("{text}");
    Ok(!comparison.changes.iter().any(|change| change.is_finding(options.fail_on)))
}

pub(crate) fn compare(documents: &Documents, project: &Project) -> Result<Comparison> {
    let old = match &documents.old {
        Some(path) => path.clone(),
        None => newest(&project.released())?,
    };
    let new = project.document(documents.new.as_ref());
    let (old, new) = (Document::load(&old)?, Document::load(&new)?);
    let mut changes = changes(&old, &new);
    let accepted_file = documents.accepted.clone();
    let accepted_file =
        accepted_file.unwrap_or_else(|| project.root.join(&project.config.accepted));
    let unmatched = if documents.accepted.is_some() || accepted_file.exists() {
        accepted::apply(&accepted_file, &mut changes)?
    } else {
        Vec::new()
    };
    Ok(Comparison { old, new, changes, accepted_file, unmatched })
}

fn newest(folder: &Path) -> Result<PathBuf> {
    let newest = released_documents(folder)?.pop().map(|(_, path)| path);
    newest.ok_or_else(|| {
        let folder = folder.display();
        format!("{folder} has no released document; write one with `contract freeze`").into()
    })
}
