//! The report of a walk: each answer, and how the caller's function handled it.

use std::fmt;

use super::{Answer, Surprise};
use crate::{ErrorCode, Operation};

/// The way in which a function handled one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It returned `Ok`.
    Handled,
    /// It returned an error, with this text.
    ReturnedError(String),
    /// It panicked, with this message.
    Panicked(String),
    /// It did not return within the limit.
    Hung,
    /// The answer was not sent: the function does not call the operation where every other one
    /// succeeds, or a script of the client's answered.
    NeverSent,
}

/// One answer, and what the function did with it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The operation that gave the answer.
    pub operation: Operation,
    /// The documented answer; none for a surprise.
    pub answer: Option<Answer>,
    /// The surprise; none for a documented answer.
    pub surprise: Option<Surprise>,
    /// The way in which the function handled it.
    pub verdict: Verdict,
}

/// The verdicts of a walk, one for each answer of each operation. `Display` prints a table.
#[derive(Clone, Debug)]
pub struct Report {
    pub(super) entries: Vec<Entry>,
}

impl Report {
    /// Every answer.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn with(&self, is_it: fn(&Verdict) -> bool) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| is_it(&entry.verdict))
    }

    /// The answers for which the function returned `Ok`.
    pub fn handled(&self) -> impl Iterator<Item = &Entry> {
        self.with(|verdict| matches!(verdict, Verdict::Handled))
    }

    /// The answers for which the function returned an error.
    pub fn returned_errors(&self) -> impl Iterator<Item = &Entry> {
        self.with(|verdict| matches!(verdict, Verdict::ReturnedError(_)))
    }

    /// The answers at which the function panicked.
    pub fn panicked(&self) -> impl Iterator<Item = &Entry> {
        self.with(|verdict| matches!(verdict, Verdict::Panicked(_)))
    }

    /// The answers after which the function did not return within the limit.
    pub fn hung(&self) -> impl Iterator<Item = &Entry> {
        self.with(|verdict| matches!(verdict, Verdict::Hung))
    }

    /// The answers that were not sent.
    pub fn never_sent(&self) -> impl Iterator<Item = &Entry> {
        self.with(|verdict| matches!(verdict, Verdict::NeverSent))
    }

    /// Requires that every answer of these operations was sent, but for those of links.
    ///
    /// # Panics
    /// One was not; the message lists them.
    #[track_caller]
    pub fn assert_walked(&self, operations: &[Operation]) -> &Self {
        let is_of_links = |entry: &Entry| entry.surprise.is_some_and(Surprise::is_of_links);
        let is_required =
            |entry: &&Entry| operations.contains(&entry.operation) && !is_of_links(entry);
        assert_none("answers were never sent", self.never_sent().filter(is_required));
        self
    }

    /// # Panics
    /// The function panicked at an answer; the message lists them.
    #[track_caller]
    pub fn assert_no_panics(&self) -> &Self {
        assert_none("the function panicked", self.panicked());
        self
    }

    /// # Panics
    /// The function did not return within the limit; the message lists the answers.
    #[track_caller]
    pub fn assert_no_hangs(&self) -> &Self {
        assert_none("the function did not return in time", self.hung());
        self
    }

    /// Requires that the function returns `Ok` for every answer but these, for which it may return
    /// an error: operation, status and code.
    ///
    /// # Panics
    /// It does not; the message lists the answers.
    #[track_caller]
    pub fn assert_handled_except(&self, allowed: &[(Operation, u16, ErrorCode)]) -> &Self {
        self.assert_handled_unless(|entry| {
            let answer = entry.answer.as_ref();
            let error = answer.and_then(|answer| Some((answer.status().as_u16(), answer.code()?)));
            error.is_some_and(|(status, code)| allowed.contains(&(entry.operation, status, code)))
        })
    }

    /// Requires that the function returns `Ok` for every answer but those that `is_allowed`
    /// accepts, for which it may return an error.
    ///
    /// # Panics
    /// It does not; the message lists the answers.
    #[track_caller]
    pub fn assert_handled_unless(&self, is_allowed: impl Fn(&Entry) -> bool) -> &Self {
        let unhandled = self.entries.iter().filter(|entry| match entry.verdict {
            Verdict::Handled | Verdict::NeverSent => false,
            Verdict::ReturnedError(_) => !is_allowed(entry),
            Verdict::Panicked(_) | Verdict::Hung => true,
        });
        assert_none("the function did not handle every answer", unhandled);
        self
    }
}

impl Entry {
    /// The answer or the surprise, in words.
    fn what(&self) -> String {
        let surprise = self.surprise.map(|surprise| format!("{surprise:?}"));
        self.answer.as_ref().map(Answer::name).or(surprise).unwrap_or_default()
    }
}

#[track_caller]
fn assert_none<'e>(problem: &str, entries: impl Iterator<Item = &'e Entry>) {
    let lines: Vec<String> = entries.map(|entry| format!("\n  {entry}")).collect();
    assert!(lines.is_empty(), "{problem} ({} answers):{}", lines.len(), lines.concat());
}

/// Operation, answer and verdict, in columns of this width where the formatter has one.
impl fmt::Display for Entry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = formatter.width().unwrap_or_default();
        write!(formatter, "{:22} {:width$} {}", self.operation.id(), self.what(), self.verdict)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Handled => formatter.write_str("handled"),
            Self::ReturnedError(error) => write!(formatter, "returned an error: {error}"),
            Self::Panicked(message) => write!(formatter, "panicked: {message}"),
            Self::Hung => formatter.write_str("did not return in time"),
            Self::NeverSent => formatter.write_str("never sent"),
        }
    }
}

/// A line for each answer that was sent, and one with the numbers.
impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sent = || self.entries.iter().filter(|entry| entry.verdict != Verdict::NeverSent);
        let width = sent().map(|entry| entry.what().chars().count()).max().unwrap_or_default();
        for entry in sent() {
            writeln!(formatter, "{entry:width$}")?;
        }
        write!(
            formatter,
            "{} answers: {} handled, {} returned as errors, {} panicked, {} hung, {} never sent",
            self.entries.len(),
            self.handled().count(),
            self.returned_errors().count(),
            self.panicked().count(),
            self.hung().count(),
            self.never_sent().count(),
        )
    }
}
