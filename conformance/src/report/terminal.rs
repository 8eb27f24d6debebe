//! What is told on a terminal at the end of a run: what is broken first, the sum last, where the eye rests.
//!
//! It refuses to list what passed; the other reports do. What is told while the run goes is [`progress`].

mod paint;
pub mod progress;

use std::fmt::Write as _;

pub use paint::Paint;

use super::{
    compare::{self, Side},
    gap,
    model::{CaseReport, Report, Verdict},
    visible::{visible, visible_line},
    words,
};

/// Cases told in full for each verdict; the other reports hold all.
const CASE_LIMIT: usize = 40;

/// Lines of a comparison.
const COMPARISON_LIMIT: usize = 24;

/// Things in a list: what remains, clauses left unproved, irreversible actions.
const LIST_LIMIT: usize = 60;

/// The whole text, which ends with a line feed.
#[must_use]
pub fn text(report: &Report, paint: Paint) -> String {
    let mut text = Text {
        out: String::new(),
        report,
        paint,
    };
    for verdict in [Verdict::Fail, Verdict::Error, Verdict::Inconclusive] {
        text.cases(verdict);
    }
    text.surprises();
    text.gaps();
    text.remains();
    text.cost();
    text.sum();
    text.out
}

struct Text<'a> {
    out: String,
    report: &'a Report,
    paint: Paint,
}

impl Text<'_> {
    /// One line; what comes from outside went through `visible` before.
    fn line(&mut self, line: impl AsRef<str>) {
        self.out.push_str(line.as_ref());
        self.out.push('\n');
    }

    fn title(&mut self, title: &str, meaning: &str) {
        let title = self.paint.bold(title);
        self.line(format!("{title}  {meaning}"));
        self.line("");
    }

    fn cases(&mut self, verdict: Verdict) {
        let ended = words::ranked(self.report);
        let ended: Vec<&CaseReport> = ended
            .into_iter()
            .filter(|case| case.verdict == verdict)
            .collect();
        if ended.is_empty() {
            return;
        }
        let (title, meaning) = words::group(verdict);
        self.title(&format!("{title}: {}", ended.len()), meaning);
        for case in ended.iter().take(CASE_LIMIT) {
            self.case(case);
        }
        if ended.len() > CASE_LIMIT {
            self.line(format!(
                "… and {} more; the HTML and the JSON report hold them all.",
                ended.len() - CASE_LIMIT
            ));
            self.line("");
        }
    }

    fn case(&mut self, case: &CaseReport) {
        let verdict = self.paint.verdict(case.verdict, case.verdict.name());
        let id = self.paint.bold(&visible_line(&case.id));
        self.line(format!("{verdict}  {id}"));
        self.part("proves", &case.sentence);
        self.part(
            "why it matters",
            &format!(
                "{}, {}: {}",
                case.clause.id,
                words::said_by(case.clause.source),
                case.clause.sentence
            ),
        );
        if let Some(because) = &case.because {
            self.part("what came", &because.what);
            self.comparison(because.expected.as_deref(), because.actual.as_deref());
        }
        for invariant in words::broken_laws(case).into_iter().take(LIST_LIMIT) {
            self.part("broken invariant", invariant);
        }
        if let Some(expectation) = words::expectation(case) {
            self.part("foreseen", &expectation);
        }
        if let Some((_, exchange)) = words::telling_exchange(case) {
            self.command("curl", &exchange.curl);
        }
        self.command("run it alone", &words::run_alone(self.report, case));
        self.line("");
    }

    /// A name and its text, whose further lines stand below its first.
    fn part(&mut self, name: &str, text: &str) {
        let shown = visible(text).replace('\n', &format!("\n{:18}", ""));
        let name = self.paint.faint(&format!("{name:<14}"));
        self.line(format!("  {name}  {shown}"));
    }

    /// A command: its further lines are not indented, for they may stand within quotes.
    fn command(&mut self, name: &str, command: &str) {
        let name = self.paint.faint(&format!("{name:<14}"));
        self.line(format!("  {name}  {}", visible(command)));
    }

    fn comparison(&mut self, expected: Option<&str>, actual: Option<&str>) {
        let lines = compare::short(expected, actual, COMPARISON_LIMIT);
        if lines.is_empty() {
            return;
        }
        let (expected, actual) = (self.paint.bad("- expected"), self.paint.good("+ actual"));
        self.line(format!("    {expected}  {actual}"));
        for line in lines {
            let text = visible_line(&line.text);
            let shown = match line.side {
                Side::Both => format!("  {text}"),
                Side::Expected => self.paint.bad(&format!("- {text}")),
                Side::Actual => self.paint.good(&format!("+ {text}")),
                Side::LeftOut(count) => self.paint.faint(&format!(
                    "  … {} left out",
                    words::counted(count, "line", "lines")
                )),
            };
            self.line(format!("    {shown}"));
        }
    }

    fn surprises(&mut self) {
        let report = self.report;
        let surprises: Vec<&CaseReport> = report
            .cases
            .iter()
            .filter(|case| words::is_surprise(case))
            .collect();
        if surprises.is_empty() {
            return;
        }
        self.title(
            &format!(
                "Passed or skipped otherwise than foreseen: {}",
                surprises.len()
            ),
            "Mend the expectations file.",
        );
        for case in surprises.iter().take(LIST_LIMIT) {
            let verdict = self.paint.verdict(case.verdict, case.verdict.name());
            let comment = case.expectation.as_deref().unwrap_or("no comment");
            self.line(format!(
                "{verdict}  {}  ({})",
                visible_line(&case.id),
                visible_line(comment)
            ));
        }
        self.line("");
    }

    fn gaps(&mut self) {
        let report = self.report;
        let gaps = gap::gaps(report);
        if gaps.is_empty() {
            return;
        }
        let (title, meaning) = words::group(Verdict::Skipped);
        self.title(&format!("{title}: {}", report.summary.skipped), meaning);
        for gap in &gaps {
            let missing = self.paint.bold(&visible_line(&gap.missing));
            self.line(format!(
                "missing: {missing}, for {}",
                words::counted(gap.cases.len(), "case", "cases")
            ));
            for clause in gap.unproved.iter().take(LIST_LIMIT) {
                self.part(
                    "left unproved",
                    &format!("{}: {}", clause.id, clause.sentence),
                );
            }
            if !gap.proved_in_part.is_empty() {
                let ids: Vec<&str> = gap
                    .proved_in_part
                    .iter()
                    .map(|clause| clause.id.as_str())
                    .collect();
                self.part("proved in part", &ids.join(", "));
            }
        }
        self.line("");
    }

    fn remains(&mut self) {
        let report = self.report;
        if report.remains.is_empty() {
            return;
        }
        self.title(
            &format!("Remains changed: {}", report.remains.len()),
            "The run could not undo these.",
        );
        for remains in report.remains.iter().take(LIST_LIMIT) {
            self.line(format!(
                "  {}: {}",
                visible_line(&remains.case),
                visible_line(&remains.what)
            ));
        }
        if report.remains.len() > LIST_LIMIT {
            self.line(format!(
                "  … and {} more; the HTML and the JSON report hold them all.",
                report.remains.len() - LIST_LIMIT
            ));
        }
        self.line("");
    }

    fn cost(&mut self) {
        let cost = &self.report.cost;
        let mut told = words::counted(
            usize::try_from(cost.requests).unwrap_or(usize::MAX),
            "request",
            "requests",
        );
        for (role, credits) in &cost.credits {
            let word = if *credits == 1 { "credit" } else { "credits" };
            let _ = write!(told, ", {credits} {word} of {}", visible_line(role));
        }
        if cost.paced_milliseconds > 0 {
            let _ = write!(
                told,
                ", waited {} to keep within rate limits",
                words::seconds(cost.paced_milliseconds)
            );
        }
        let irreversible: Vec<String> = cost
            .irreversible
            .iter()
            .take(LIST_LIMIT)
            .map(|action| visible_line(action))
            .collect();
        self.line(format!("Cost: {told}."));
        if !irreversible.is_empty() {
            self.line(format!("Cannot be undone: {}.", irreversible.join(", ")));
        }
        self.line("");
    }

    fn sum(&mut self) {
        let report = self.report;
        let target = &report.target;
        self.line(format!(
            "{} at {}, {} profile{}{}",
            visible_line(&target.name),
            visible_line(&target.base_url),
            visible_line(&target.profile),
            if target.with_decisions {
                ""
            } else {
                ", decisions off"
            },
            if target.read_only { ", read-only" } else { "" },
        ));
        let required = report
            .coverage
            .iter()
            .filter(|documented| documented.exempt.is_none());
        let (seen, missed): (Vec<_>, Vec<_>) =
            required.partition(|documented| documented.responses > 0);
        if !seen.is_empty() {
            self.line(format!(
                "{} of {} documented responses were seen.",
                seen.len(),
                seen.len() + missed.len()
            ));
        }
        let came = report.coverage.iter();
        for documented in came.filter(|documented| documented.exempt.is_some()) {
            if let Some(lack) = words::lack(documented) {
                let line = format!("{} {}: {lack}", documented.operation, documented.status);
                self.line(self.paint.bad(&visible_line(&line)));
            }
        }
        let headline = visible_line(&words::headline(report));
        self.line(self.paint.verdict(words::worst(report), &headline));
        let mut sum = format!(
            "{}: {}",
            words::counted(report.cases.len(), "case", "cases"),
            words::tally(report)
        );
        if report.summary.unexpected > 0 {
            let _ = write!(
                sum,
                "; {} otherwise than foreseen",
                report.summary.unexpected
            );
        }
        let sum = self.paint.bold(&sum);
        self.line(format!(
            "{sum}. {}",
            words::seconds(report.elapsed_milliseconds)
        ));
    }
}

#[cfg(test)]
mod tests;
