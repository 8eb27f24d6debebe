//! `contract breaking`: compares two documents and reports whom each change breaks.
//!
//! A [`graph`] has a node for each pair of corresponding objects; [`rules`] find what changes in a
//! node; [`collect`] lists the changes with the operations that reach them.

mod accepted;
mod change;
mod changelog;
mod client;
mod collect;
mod equality;
mod graph;
mod lifecycle;
mod matched;
mod object;
mod print;
mod rule;
mod rules;
mod source;
mod step;
mod version;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use openapi_document::{Document, released_documents};

pub(crate) use self::print::{entries, json, print};
use self::version::Versions;
pub use self::{
    change::{Change, Direction, Level},
    collect::changes,
    rule::{RULES, Rule},
};
use crate::{
    Result,
    output::{Format, write},
    project::Project,
};

#[derive(Debug, Default, clap::Args)]
pub struct Options {
    #[command(flatten)]
    pub(crate) documents: Documents,
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
    /// The document that clients know: a file, or one of a revision in git, such as
    /// `main:openapi/api.yaml`; by default the newest released one
    pub(crate) old: Option<PathBuf>,
    /// The document to publish; by default `document` of the configuration.
    pub(crate) new: Option<PathBuf>,
    /// Also report an `info.version` that says less than the changes
    #[arg(long)]
    pub(crate) check_version: bool,
    /// The accepted changes; by default openapi/accepted.toml where it exists.
    #[arg(long, value_name = "FILE")]
    pub(crate) accepted: Option<PathBuf>,
}

#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) old: Document,
    pub(crate) new: Document,
    pub(crate) changes: Vec<Change>,
    versions: Versions,
    accepted_file: PathBuf,
    /// Acceptances without a change.
    unmatched: Vec<String>,
    /// Acceptances that have ended, and whose changes are findings again.
    ended: Vec<String>,
}

/// Runs the command, and returns `false` if it has findings.
pub(crate) fn run(options: &Options, project: &Project) -> Result<bool> {
    let mut comparison = compare(&options.documents, project)?;
    comparison.changes.retain(|change| options.all || !change.hidden);
    let text = match options.changelog {
        Some(Changelog::Markdown) => changelog::markdown(&comparison)?,
        None => print(&comparison, options.format, options.fail_on)?,
    };
    write(text);
    Ok(!comparison.changes.iter().any(|change| change.is_finding(options.fail_on)))
}

pub(crate) fn compare(documents: &Documents, project: &Project) -> Result<Comparison> {
    let old = match &documents.old {
        Some(path) => path.clone(),
        None => newest(&project.released())?,
    };
    let new = project.document(documents.new.as_ref());
    let (old, new) = (source::load(project, &old)?, source::load(project, &new)?);
    let levels = levels(&project.config.breaking)?;
    let found = changes(&old, &new);
    // A rule that is off does not keep a type.
    let client = client::size(&old, &new, &found);
    let mut changes = with_levels(&levels, found);
    let accepted_file = documents.accepted.clone();
    let accepted_file =
        accepted_file.unwrap_or_else(|| project.root.join(&project.config.accepted));
    let accepted = match documents.accepted.is_some() || accepted_file.exists() {
        true => accepted::read(&accepted_file)?,
        false => Vec::new(),
    };
    accepted::apply(&accepted, &mut changes);
    let versions = Versions::of(&old, &new, &changes, client);
    if documents.check_version && !versions.is_enough {
        changes.splice(0..0, with_levels(&levels, vec![versions.too_low(&new)]));
        accepted::apply(&accepted, &mut changes);
    }
    let (unmatched, ended) = accepted::without_effect(&accepted, &changes);
    Ok(Comparison { old, new, changes, versions, accepted_file, unmatched, ended })
}

/// The levels that the configuration sets; `None` for a rule that is off.
type Levels = BTreeMap<&'static str, Option<Level>>;

/// Reads the section `[breaking]` of a configuration.
fn levels(configured: &BTreeMap<String, String>) -> Result<Levels> {
    let read = |(id, level): (&String, &String)| {
        let rule = RULES.get(id.as_str());
        let rule = rule.ok_or_else(|| {
            format!(
                "[breaking] there is no rule `{id}`; openapi/contract/breaking/rules.md has all"
            )
        })?;
        let level = match level.as_str() {
            "error" => Some(Level::Breaking),
            "warning" => Some(Level::Warning),
            "off" => None,
            _ => {
                let help = "write \"error\", \"warning\" or \"off\"";
                return Err(format!("[breaking] {id} = \"{level}\": {help}").into());
            }
        };
        Ok((rule.id, level))
    };
    configured.iter().map(read).collect()
}

fn with_levels(levels: &Levels, mut changes: Vec<Change>) -> Vec<Change> {
    changes.retain(|change| levels.get(change.rule) != Some(&None));
    for change in &mut changes {
        if let Some(Some(level)) = levels.get(change.rule) {
            change.level = *level;
        }
    }
    changes.sort_by_key(|change| change.level);
    changes
}

fn newest(folder: &Path) -> Result<PathBuf> {
    let newest = released_documents(folder)?.pop().map(|(_, path)| path);
    newest.ok_or_else(|| {
        let folder = folder.display();
        format!("{folder} has no released document; write one with `contract freeze`").into()
    })
}
