//! The text on the terminal at the end of a run: failures first, the summary last. Cases that
//! passed are listed in the other reports only.
//!
//! The text is always coloured; `anstream` removes the colours where the terminal or `NO_COLOR`
//! does not want them. No meaning depends on a colour.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

use super::{
    compare::{self, Side},
    gap,
    model::{CaseReport, Report},
    words,
};
use crate::{
    verdict::Verdict,
    visible::{visible, visible_line},
};

/// Cases printed in full for each verdict; the other reports hold all.
const CASE_LIMIT: usize = 40;
const COMPARISON_LIMIT: usize = 24;
const LIST_LIMIT: usize = 60;

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const BAD: Style = AnsiColor::Red.on_default();
const GOOD: Style = AnsiColor::Green.on_default();

pub(crate) fn text(report: &Report) -> String {
    let mut text = Text { out: String::new(), report };
    for verdict in [Verdict::Fail, Verdict::Error, Verdict::Inconclusive] {
        text.cases(verdict);
    }
    text.surprises();
    text.gaps();
    text.unproved();
    text.remains();
    text.cost();
    text.summary();
    text.out
}

pub(super) fn verdict(verdict: Verdict, text: &str) -> String {
    let style = match verdict {
        Verdict::Fail => AnsiColor::Red.on_default().bold(),
        Verdict::Error => AnsiColor::Magenta.on_default().bold(),
        Verdict::Inconclusive => AnsiColor::Yellow.on_default().bold(),
        Verdict::Skipped => AnsiColor::Cyan.on_default(),
        Verdict::Pass => AnsiColor::Green.on_default(),
    };
    styled(style, text)
}

fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

struct Text<'a> {
    out: String,
    report: &'a Report,
}

impl Text<'_> {
    /// One line; texts from outside went through `visible` before.
    fn line(&mut self, line: impl AsRef<str>) {
        self.out.push_str(line.as_ref());
        self.out.push('\n');
    }

    fn title(&mut self, title: &str, meaning: &str) {
        self.line(format!("{}  {meaning}\n", styled(BOLD, title)));
    }

    /// Says how many items were left out, if any.
    fn rest(&mut self, count: usize, limit: usize) {
        if count > limit {
            let rest = count - limit;
            self.line(format!("… and {rest} more; the HTML and the JSON report list all.\n"));
        }
    }

    fn cases(&mut self, verdict: Verdict) {
        let report = self.report;
        let cases = words::ranked(report).into_iter().filter(|case| case.verdict == verdict);
        let cases: Vec<&CaseReport> = cases.collect();
        if cases.is_empty() {
            return;
        }
        let (title, meaning) = words::group(verdict);
        self.title(&format!("{title}: {}", cases.len()), meaning);
        for case in cases.iter().take(CASE_LIMIT) {
            self.case(case);
        }
        self.rest(cases.len(), CASE_LIMIT);
    }

    fn case(&mut self, case: &CaseReport) {
        let name = verdict(case.verdict, case.verdict.name());
        self.line(format!("{name}  {}", styled(BOLD, visible_line(&case.id))));
        self.part("proves", &case.sentence);
        self.part("requirement", &words::requirement(case));
        if let Some(because) = &case.because {
            self.part("result", &because.what);
            self.comparison(because.expected.as_deref(), because.actual.as_deref());
        }
        for violation in words::violations(case).into_iter().take(LIST_LIMIT) {
            self.part("violated", violation);
        }
        if let Some(expectation) = words::expectation(case) {
            self.part("expectation", &expectation);
        }
        if let Some((_, exchange)) = words::telling_exchange(case) {
            self.command("curl", &exchange.curl);
        }
        self.command("run it alone", &words::run_alone(self.report, case));
        self.line("");
    }

    /// A name and its text, whose further lines are indented below its first.
    fn part(&mut self, name: &str, text: &str) {
        let text = visible(text).replace('\n', &format!("\n{:16}", ""));
        self.line(format!("  {}  {text}", styled(FAINT, format_args!("{name:<12}"))));
    }

    /// A command: its further lines are not indented, as they may be within quotes.
    fn command(&mut self, name: &str, command: &str) {
        let name = styled(FAINT, format_args!("{name:<12}"));
        self.line(format!("  {name}  {}", visible(command)));
    }

    fn comparison(&mut self, expected: Option<&str>, actual: Option<&str>) {
        let lines = compare::short(expected, actual, COMPARISON_LIMIT);
        if lines.is_empty() {
            return;
        }
        self.line(format!("    {}  {}", styled(BAD, "- expected"), styled(GOOD, "+ actual")));
        for line in lines {
            let text = visible_line(&line.text);
            let shown = match line.side {
                Side::Both => format!("  {text}"),
                Side::Expected => styled(BAD, format_args!("- {text}")),
                Side::Actual => styled(GOOD, format_args!("+ {text}")),
                Side::LeftOut(count) => {
                    let lines = words::counted(count, "line", "lines");
                    styled(FAINT, format_args!("  … {lines} left out"))
                }
            };
            self.line(format!("    {shown}"));
        }
    }

    fn surprises(&mut self) {
        let report = self.report;
        let surprises: Vec<&CaseReport> =
            report.cases.iter().filter(|case| words::is_surprise(case)).collect();
        if surprises.is_empty() {
            return;
        }
        let title = format!("Unexpectedly passed or skipped: {}", surprises.len());
        self.title(&title, "Update the expectations file.");
        for case in surprises.iter().take(LIST_LIMIT) {
            let name = verdict(case.verdict, case.verdict.name());
            self.line(format!("{name}  {}", visible_line(&case.id)));
            self.part("expectation", &words::expectation(case).unwrap_or_default());
        }
        self.line("");
        self.rest(surprises.len(), LIST_LIMIT);
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
            let missing = styled(BOLD, visible_line(&gap.missing));
            let cases = words::counted(gap.cases.len(), "case", "cases");
            self.line(format!("missing: {missing}, for {cases}"));
            for clause in gap.unproved.iter().take(LIST_LIMIT) {
                self.part("not proved", &format!("{}: {}", clause.id, clause.sentence));
            }
            let in_part: Vec<&str> =
                gap.proved_in_part.iter().map(|clause| clause.id.as_str()).collect();
            if !in_part.is_empty() {
                self.part("in part", &in_part.join(", "));
            }
        }
        self.line("");
    }

    fn unproved(&mut self) {
        let unproved = gap::unproved_otherwise(self.report);
        if unproved.is_empty() {
            return;
        }
        let title = format!("Requirements that no case proved: {}", unproved.len());
        self.title(&title, "Another requirement covers it, or its cases have no verdict.");
        for unproved in unproved.iter().take(LIST_LIMIT) {
            let clause = &unproved.clause;
            let reason = unproved.without_case.as_deref().unwrap_or("see its cases");
            let line = format!("  {}: {} ({reason})", clause.id, clause.sentence);
            self.line(visible_line(&line));
        }
        self.line("");
        self.rest(unproved.len(), LIST_LIMIT);
    }

    fn remains(&mut self) {
        let report = self.report;
        if report.remains.is_empty() {
            return;
        }
        let title = format!("Remains changed: {}", report.remains.len());
        self.title(&title, "The run did not undo these changes.");
        for remains in report.remains.iter().take(LIST_LIMIT) {
            let (case, what) = (visible_line(&remains.case), visible_line(&remains.what));
            self.line(format!("  {case}: {what}"));
        }
        self.line("");
        self.rest(report.remains.len(), LIST_LIMIT);
    }

    fn cost(&mut self) {
        let cost = &self.report.cost;
        let requests = usize::try_from(cost.requests).unwrap_or(usize::MAX);
        let mut parts = vec![words::counted(requests, "request", "requests")];
        for (role, credits) in &cost.credits {
            let word = if *credits == 1 { "credit" } else { "credits" };
            parts.push(format!("{credits} {word} of {}", visible_line(role)));
        }
        if cost.paced_milliseconds > 0 {
            let waited = words::seconds(cost.paced_milliseconds);
            parts.push(format!("waited {waited} to stay within rate limits"));
        }
        self.line(format!("Cost: {}.", parts.join(", ")));
        let actions = cost.irreversible.iter().take(LIST_LIMIT);
        let actions: Vec<String> = actions.map(|action| visible_line(action)).collect();
        if !actions.is_empty() {
            self.line(format!("Cannot be undone: {}.", actions.join(", ")));
        }
        self.line("");
    }

    fn summary(&mut self) {
        let report = self.report;
        let target = &report.target;
        self.line(format!(
            "{} at {}, {} profile{}{}",
            visible_line(&target.name),
            visible_line(&target.base_url),
            visible_line(&target.profile),
            if target.with_decisions { "" } else { ", decisions off" },
            if target.read_only { ", read-only" } else { "" },
        ));
        if !target.left_out.is_empty() {
            let left_out = visible_line(&target.left_out.join(", "));
            self.line(format!("Not in this profile, and not judged: {left_out}."));
        }
        let required = report.coverage.iter().filter(|documented| documented.exempt.is_none());
        let (seen, unseen): (Vec<_>, Vec<_>) =
            required.partition(|documented| documented.responses > 0);
        if !seen.is_empty() {
            let total = seen.len() + unseen.len();
            self.line(format!("{} of {total} documented responses were seen.", seen.len()));
        }
        for documented in report.coverage.iter().filter(|documented| documented.exempt.is_some()) {
            if let Some(lack) = words::lack(documented) {
                let line = format!("{} {}: {lack}", documented.operation, documented.status);
                self.line(styled(BAD, visible_line(&line)));
            }
        }
        self.line(verdict(words::worst(report), &visible_line(&words::headline(report))));
        let mut summary = format!(
            "{}: {}",
            words::counted(report.cases.len(), "case", "cases"),
            words::tally(report)
        );
        if report.summary.unexpected > 0 {
            summary.push_str(&format!("; {} unexpected", report.summary.unexpected));
        }
        let elapsed = words::seconds(report.elapsed_milliseconds);
        self.line(format!("{}. {elapsed}", styled(BOLD, summary)));
    }
}

#[cfg(test)]
mod tests;
