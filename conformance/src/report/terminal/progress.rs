//! What is told while the run goes: on a terminal one line that is written anew, elsewhere a line now and then.
//!
//! It refuses to stop a run: a line that cannot be written is lost, the report is not.

use std::io::Write;

use super::Paint;
use crate::report::{
    model::{CaseReport, Summary, Verdict},
    visible::visible_line,
};

/// Elsewhere than on a terminal, a line is told for so many cases.
const CASES_PER_LINE: usize = 25;

/// A line that is written anew must not break, and the narrowest common terminal has 80 columns.
const WIDTH_LIMIT: usize = 79;

/// Tells of cases as they begin and end, in whatever order they do. Dropped, it leaves no half line behind.
#[derive(Debug)]
pub struct Progress<W: Write> {
    out: W,
    is_terminal: bool,
    paint: Paint,
    total: usize,
    ended: usize,
    summary: Summary,
    /// Ids of the cases under way, the oldest in front: it is the one that holds up.
    running: Vec<String>,
    has_line: bool,
}

impl<W: Write> Progress<W> {
    /// Of a run of so many cases.
    pub fn new(out: W, is_terminal: bool, paint: Paint, total: usize) -> Self {
        Self {
            out,
            is_terminal,
            paint,
            total,
            ended: 0,
            summary: Summary::default(),
            running: Vec::new(),
            has_line: false,
        }
    }

    /// A case began.
    pub fn began(&mut self, id: &str) {
        self.running.push(id.to_owned());
        self.draw();
    }

    /// A case ended. One that ended otherwise than foreseen is told at once.
    pub fn ended(&mut self, case: &CaseReport) {
        self.running.retain(|id| *id != case.id);
        self.ended += 1;
        self.summary.count(case.verdict, case.expected);
        if !case.expected {
            self.tell(case);
        } else if !self.is_terminal
            && (self.ended.is_multiple_of(CASES_PER_LINE) || self.ended == self.total)
        {
            let line = self.count();
            self.write(&format!("{line}\n"));
        }
        self.draw();
    }

    fn tell(&mut self, case: &CaseReport) {
        self.erase();
        let verdict = self.paint.verdict(case.verdict, case.verdict.name());
        let what = match &case.because {
            Some(because) => visible_line(&because.what),
            None => "otherwise than the expectations file foresees".to_owned(),
        };
        let count = format!("{}/{}", self.ended, self.total);
        self.write(&format!(
            "{count}  {verdict}  {}: {what}\n",
            visible_line(&case.id)
        ));
    }

    /// `37/120  2 failed, 1 inconclusive`.
    fn count(&self) -> String {
        let mut line = format!("{}/{}", self.ended, self.total);
        let told = [
            (self.summary.fail, Verdict::Fail, "failed"),
            (self.summary.error, Verdict::Error, "error"),
            (
                self.summary.inconclusive,
                Verdict::Inconclusive,
                "inconclusive",
            ),
        ];
        for (count, verdict, word) in told.into_iter().filter(|(count, _, _)| *count > 0) {
            line.push_str("  ");
            line.push_str(&self.paint.verdict(verdict, &format!("{count} {word}")));
        }
        line
    }

    fn draw(&mut self) {
        if !self.is_terminal || self.ended == self.total {
            self.erase();
            return;
        }
        let count = self.count();
        // Escape sequences take no room, so that this may cut too early, never too late.
        let room = WIDTH_LIMIT.saturating_sub(count.chars().count() + 2);
        let oldest = self
            .running
            .first()
            .map(|id| visible_line(id))
            .unwrap_or_default();
        let oldest: String = oldest.chars().take(room).collect();
        self.write(&format!("\r\x1b[2K{count}  {oldest}"));
        self.has_line = true;
    }

    fn erase(&mut self) {
        if std::mem::take(&mut self.has_line) {
            self.write("\r\x1b[2K");
        }
    }

    fn write(&mut self, text: &str) {
        // A closed pipe shall not end a run whose report is still to be written.
        let _ = self.out.write_all(text.as_bytes());
        let _ = self.out.flush();
    }
}

impl<W: Write> Drop for Progress<W> {
    fn drop(&mut self) {
        self.erase();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    fn told(is_terminal: bool, cases: &[CaseReport]) -> String {
        let mut out = Vec::new();
        let mut progress = Progress::new(&mut out, is_terminal, Paint::plain(), cases.len());
        for case in cases {
            progress.began(&case.id);
            progress.ended(case);
        }
        drop(progress);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn without_a_terminal_each_25_cases_and_each_surprise_give_a_line() {
        let mut cases: Vec<CaseReport> = (0..60)
            .map(|n| sample::passed(&format!("case-{n}"), "R9", None))
            .collect();
        cases[30] = sample::report().cases.remove(1);
        assert_eq!(
            told(false, &cases),
            "25/60\n31/60  fail  commission-lines.detach.unattached: The response was 200 instead of 422.\n\
             50/60  1 failed\n60/60  1 failed\n"
        );
    }

    #[test]
    fn foreseen_failure_is_counted_but_not_told() {
        let report = sample::report();
        let foreseen = report
            .cases
            .iter()
            .find(|case| case.expected && case.verdict == Verdict::Fail);
        assert_eq!(told(false, &[foreseen.unwrap().clone()]), "1/1  1 failed\n");
    }

    #[test]
    fn terminal_shows_one_line_within_its_width_and_leaves_none() {
        let long = sample::passed(&"long.".repeat(40), "R9", None);
        let text = told(true, &[sample::passed("short", "R9", None), long]);
        let lines: Vec<&str> = text.split("\r\x1b[2K").collect();
        assert!(
            lines.iter().all(|line| line.chars().count() <= WIDTH_LIMIT),
            "{lines:?}"
        );
        assert!(lines[1].ends_with("short"), "{lines:?}");
        assert_eq!(lines.last(), Some(&""));
        assert!(!text.contains('\n'));
    }

    #[test]
    fn oldest_case_under_way_is_the_one_shown() {
        let mut out = Vec::new();
        let mut progress = Progress::new(&mut out, true, Paint::plain(), 3);
        progress.began("slow");
        progress.began("quick");
        progress.ended(&sample::passed("quick", "R9", None));
        drop(progress);
        let text = String::from_utf8(out).unwrap();
        assert!(text.ends_with("1/3  slow\r\x1b[2K"), "{text:?}");
    }

    #[test]
    fn lost_line_stops_nothing() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
        }
        let mut progress = Progress::new(Closed, false, Paint::plain(), 1);
        progress.began("case");
        progress.ended(&sample::passed("case", "R9", None));
        assert_eq!(progress.ended, 1);
    }
}
