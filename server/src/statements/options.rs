//! The flags of statements: how many are made at once, and how long one may take.

use std::{path::PathBuf, thread::available_parallelism};

use clap::{Args, value_parser};
use payout_statement::FontSource;

use super::{links::LinkOptions, render_queue::RenderLimits};

/// How statements are rendered and linked. Only `serve` has these flags.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Statements")]
pub struct StatementOptions {
    /// How many statements are made at once, from reading their lines to storing their PDF; others
    /// wait [default: as many as the machine has cores]
    #[arg(long, env = "PAYOUT_CONCURRENT_RENDERS",
          value_parser = value_parser!(u16).range(1..=256), value_name = "STATEMENTS")]
    pub concurrent_renders: Option<u16>,

    /// How many of them may be one organisation's [default: half of them]
    #[arg(long, env = "PAYOUT_CONCURRENT_RENDERS_PER_ORGANIZATION",
          value_parser = value_parser!(u16).range(1..=256), value_name = "STATEMENTS")]
    pub concurrent_renders_per_organization: Option<u16>,

    /// How many statements of one organisation may wait to be made; beyond it: 503 at once
    #[arg(long, env = "PAYOUT_QUEUED_RENDERS_PER_ORGANIZATION", default_value_t = 32,
          value_parser = value_parser!(u16).range(0..=10_000), value_name = "STATEMENTS")]
    pub queued_renders_per_organization: u16,

    /// How long a request waits for its statement; after it: 503. A statement that has begun is
    /// finished, and the next request finds it
    #[arg(long, env = "PAYOUT_STATEMENT_SECONDS", default_value_t = 30,
          value_parser = value_parser!(u64).range(1..=300), value_name = "SECONDS")]
    pub statement_seconds: u64,

    #[command(flatten)]
    pub fonts: FontOptions,

    #[command(flatten)]
    pub links: LinkOptions,
}

/// The fonts of statements.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Statements")]
pub struct FontOptions {
    /// Folder of fonts for scripts that the built-in fonts lack, such as Chinese
    /// [default: the system's font folders]
    #[arg(long, env = "PAYOUT_FONT_FOLDER", value_name = "FOLDER")]
    pub font_folder: Option<PathBuf>,
}

impl FontOptions {
    pub(super) fn source(&self) -> FontSource {
        match &self.font_folder {
            Some(folder) => FontSource::Folder(folder.clone()),
            None => FontSource::System,
        }
    }
}

impl StatementOptions {
    pub(crate) fn render_limits(&self) -> RenderLimits {
        let all = match self.concurrent_renders {
            Some(renders) => renders.into(),
            None => available_parallelism().map_or(1, usize::from),
        };
        let per_organization = match self.concurrent_renders_per_organization {
            Some(renders) => renders.into(),
            None => (all / 2).max(1),
        };
        RenderLimits {
            all,
            per_organization,
            queued_per_organization: self.queued_renders_per_organization.into(),
        }
    }
}
