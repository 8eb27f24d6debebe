//! The flags of statements.
//!
//! It refuses a statement without an end: how many are rendered at once, and how long one may take, is bounded.

use std::{path::PathBuf, thread::available_parallelism};

use clap::{Args, value_parser};

use super::links::LinkOptions;

/// How statements are rendered and linked. `serve` alone has these.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Statements")]
pub struct StatementOptions {
    /// How many statements are made at once, from reading their lines to storing their PDF; others wait [default: as many as the machine has cores]
    #[arg(long, env = "PAYOUT_CONCURRENT_RENDERS",
          value_parser = value_parser!(u16).range(1..=256), value_name = "STATEMENTS")]
    pub concurrent_renders: Option<u16>,

    /// How long a request waits for its statement; after it: 503, and the next request finds it done
    #[arg(long, env = "PAYOUT_STATEMENT_SECONDS", default_value_t = 30,
          value_parser = value_parser!(u64).range(1..=300), value_name = "SECONDS")]
    pub statement_seconds: u64,

    /// Folder of fonts for scripts that the server brings no font for, such as Chinese [default: the system's font folders]
    #[arg(long, env = "PAYOUT_FONT_FOLDER", value_name = "FOLDER")]
    pub font_folder: Option<PathBuf>,

    #[command(flatten)]
    pub links: LinkOptions,
}

impl StatementOptions {
    /// How many statements are rendered at once.
    #[must_use]
    pub fn renders(&self) -> usize {
        match self.concurrent_renders {
            Some(renders) => renders.into(),
            None => available_parallelism().map_or(1, usize::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        options: StatementOptions,
    }

    fn read(flags: &[&str]) -> Result<StatementOptions, clap::Error> {
        Line::try_parse_from([&["payout-server"], flags].concat()).map(|line| line.options)
    }

    #[test]
    fn defaults_are_those_of_the_table() {
        let options = read(&[]).unwrap();
        assert_eq!(options.statement_seconds, 30);
        assert_eq!(options.renders(), available_parallelism().unwrap().get());
        assert_eq!(options.font_folder, None);
    }

    #[test]
    fn value_at_its_bound_is_taken_and_one_beyond_is_refused() {
        for (flag, least, most) in [
            ("--statement-seconds", 1, 300),
            ("--concurrent-renders", 1, 256),
        ] {
            for (value, taken) in [
                (least - 1, false),
                (least, true),
                (most, true),
                (most + 1, false),
            ] {
                assert_eq!(
                    read(&[flag, &value.to_string()]).is_ok(),
                    taken,
                    "{flag} {value}"
                );
            }
        }
    }
}
