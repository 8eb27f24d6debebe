//! Progress on standard error: a bar on a terminal, elsewhere a line now and then. Unexpected
//! verdicts are printed as they occur.

use std::io::{self, IsTerminal as _, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{model::CaseReport, model::Summary, terminal, words};
use crate::{verdict::Verdict, visible::visible_line};

/// Cases for which one line is printed where there is no terminal.
const CASES_PER_LINE: usize = 25;

pub(crate) struct Progress<W> {
    out: W,
    bar: ProgressBar,
    total: usize,
    ended: usize,
    summary: Summary,
    running: Vec<String>,
}

impl Progress<anstream::Stderr> {
    pub(crate) fn stderr(total: usize) -> Self {
        let target = if io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        Self::new(anstream::stderr(), target, total)
    }
}

impl<W: Write> Progress<W> {
    fn new(out: W, target: ProgressDrawTarget, total: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total as u64), target);
        let style = ProgressStyle::with_template("{wide_msg}").expect("a valid template");
        Self {
            out,
            bar: bar.with_style(style),
            total,
            ended: 0,
            summary: Summary::default(),
            running: Vec::new(),
        }
    }

    pub(crate) fn began(&mut self, id: &str) {
        self.running.push(id.to_owned());
        self.draw();
    }

    pub(crate) fn ended(&mut self, case: &CaseReport) {
        self.running.retain(|id| *id != case.id);
        self.ended += 1;
        self.summary.count(case.verdict, case.expected);
        let is_due = self.ended.is_multiple_of(CASES_PER_LINE) || self.ended == self.total;
        if !case.expected {
            let line = format!(
                "{}/{}  {}  {}: {}",
                self.ended,
                self.total,
                terminal::painted(case.verdict.name(), case.verdict.name()),
                visible_line(&case.id),
                visible_line(&reason(case))
            );
            self.print(&line);
        } else if self.bar.is_hidden() && is_due {
            self.print(&self.count());
        }
        self.draw();
    }

    /// `37/120  2 failed  1 inconclusive`.
    fn count(&self) -> String {
        let summary = &self.summary;
        let mut line = format!("{}/{}", self.ended, self.total);
        for (count, verdict, word) in [
            (summary.fail, Verdict::Fail, "failed"),
            (summary.error, Verdict::Error, "error"),
            (summary.inconclusive, Verdict::Inconclusive, "inconclusive"),
        ] {
            if count > 0 {
                line.push_str("  ");
                line.push_str(&terminal::painted(verdict.name(), &format!("{count} {word}")));
            }
        }
        line
    }

    fn draw(&self) {
        if self.ended == self.total {
            return self.bar.finish_and_clear();
        }
        let oldest = self.running.first().map_or(String::new(), |id| visible_line(id));
        self.bar.set_message(format!("{}  {oldest}", self.count()));
    }

    fn print(&mut self, line: &str) {
        let out = &mut self.out;
        // A closed pipe must not end a run whose report is still to be written.
        self.bar.suspend(|| drop(writeln!(out, "{line}")));
    }
}

/// Why a case ended otherwise than expected.
fn reason(case: &CaseReport) -> String {
    let expectation = words::expectation(case);
    match (&case.because, expectation) {
        (Some(because), None) => because.what.clone(),
        (Some(because), Some(expectation)) => format!("{} {expectation}", because.what),
        (None, expectation) => expectation.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    fn printed(cases: &[CaseReport]) -> String {
        let mut out = Vec::new();
        let mut progress = Progress::new(&mut out, ProgressDrawTarget::hidden(), cases.len());
        for case in cases {
            progress.began(&case.id);
            progress.ended(case);
        }
        let text = String::from_utf8(out).unwrap();
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn without_a_terminal_every_25_cases_and_every_unexpected_verdict_give_a_line() {
        let mut cases: Vec<CaseReport> =
            (0..60).map(|n| sample::passed(&format!("case-{n}"), "R9", None)).collect();
        cases[30] = sample::report().cases.remove(1);
        assert_eq!(
            printed(&cases),
            "25/60\n31/60  fail  commission-lines.detach.unattached: The response was 200 instead \
             of 422.\n50/60  1 failed\n60/60  1 failed\n"
        );
    }

    #[test]
    fn expected_failure_is_counted_but_not_printed_and_an_unexpected_pass_is() {
        let report = sample::report();
        let find = |expected: bool, verdict: Verdict| {
            let mut cases = report.cases.iter();
            cases.find(|case| case.expected == expected && case.verdict == verdict).unwrap().clone()
        };
        assert_eq!(printed(&[find(true, Verdict::Fail)]), "1/1  1 failed\n");
        let surprise = printed(&[find(false, Verdict::Pass)]);
        assert!(surprise.starts_with("1/1  pass  partners.list.default-limit: "), "{surprise}");
        assert!(surprise.contains("remove the entry (e.toml, line 3)"), "{surprise}");
    }
}
