//! Colours of a terminal, or none.
//!
//! It refuses to let colour carry meaning alone: each painted word says the same without it.

use std::ffi::OsStr;

use crate::report::model::Verdict;

/// Whether colours are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint {
    colours: bool,
}

impl Paint {
    /// No colours: for files and pipes.
    #[must_use]
    pub fn plain() -> Self {
        Self { colours: false }
    }

    /// Colours on a terminal, except where `NO_COLOR` is set to anything (<https://no-color.org>).
    #[must_use]
    pub fn of(is_terminal: bool) -> Self {
        Self::decide(is_terminal, std::env::var_os("NO_COLOR").as_deref())
    }

    fn decide(is_terminal: bool, no_color: Option<&OsStr>) -> Self {
        Self {
            colours: is_terminal && no_color.is_none_or(OsStr::is_empty),
        }
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    pub(super) fn faint(self, text: &str) -> String {
        self.with("2", text)
    }

    pub(super) fn bad(self, text: &str) -> String {
        self.with("31", text)
    }

    pub(super) fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    /// In the colour of the verdict.
    pub(super) fn verdict(self, verdict: Verdict, text: &str) -> String {
        let code = match verdict {
            Verdict::Fail => "1;31",
            Verdict::Error => "1;35",
            Verdict::Inconclusive => "1;33",
            Verdict::Skipped => "36",
            Verdict::Pass => "32",
        };
        self.with(code, text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.colours {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_need_a_terminal_and_no_objection() {
        assert!(Paint::decide(true, None).colours);
        assert!(Paint::decide(true, Some(OsStr::new(""))).colours);
        assert!(!Paint::decide(true, Some(OsStr::new("1"))).colours);
        assert!(!Paint::decide(false, None).colours);
    }
}
