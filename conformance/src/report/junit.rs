//! The report as JUnit XML, for build servers: one suite per operation, or per subject where a case is about none.
//!
//! It refuses to be red for what was foreseen: a case that ended as the expectations file says is `skipped` with its
//! comment, one that ended otherwise is a failure, also where it passed. So the file is red exactly when the run is.
//! An inconclusive case is an error: a build server that shows it green would claim what is not proved.

use std::{collections::BTreeMap, fmt::Write as _};

use super::{
    model::{CaseReport, Report, Verdict},
    words,
    xml::{attribute, text as escaped},
};

/// How JUnit names an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failure,
    Error,
    Skipped,
}

impl Outcome {
    fn of(case: &CaseReport) -> Self {
        match (case.expected, case.verdict) {
            (true, Verdict::Pass) => Self::Passed,
            (true, _) => Self::Skipped,
            (false, Verdict::Error | Verdict::Inconclusive) => Self::Error,
            (false, _) => Self::Failure,
        }
    }

    fn element(self) -> Option<&'static str> {
        match self {
            Self::Passed => None,
            Self::Failure => Some("failure"),
            Self::Error => Some("error"),
            Self::Skipped => Some("skipped"),
        }
    }
}

/// The whole file.
#[must_use]
pub fn text(report: &Report) -> String {
    let all: Vec<&CaseReport> = report.cases.iter().collect();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let name = attribute(&format!("payout-conformance of {}", report.target.name));
    let time = words::decimal_seconds(report.elapsed_milliseconds);
    line(
        &mut out,
        0,
        &format!(
            "<testsuites name=\"{name}\" {} time=\"{time}\">",
            counts(&all)
        ),
    );
    // Readers want whole seconds without a zone; it is UTC.
    let began = report.began_at.get(..19).unwrap_or(&report.began_at);
    for (name, cases) in suites(report) {
        let name = attribute(name);
        let time = words::decimal_seconds(cases.iter().map(|case| case.elapsed_milliseconds).sum());
        let head = format!(
            "<testsuite name=\"{name}\" {} time=\"{time}\" timestamp=\"{}\">",
            counts(&cases),
            attribute(began)
        );
        line(&mut out, 1, &head);
        for case in cases {
            write_case(&mut out, report, case);
        }
        line(&mut out, 1, "</testsuite>");
    }
    line(&mut out, 0, "</testsuites>");
    out
}

/// The cases by suite, the suite of what to look at first in front.
fn suites(report: &Report) -> Vec<(&str, Vec<&CaseReport>)> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut suites: Vec<(&str, Vec<&CaseReport>)> = Vec::new();
    for case in words::ranked(report) {
        let name = suite_of(case);
        let place = *places.entry(name).or_insert(suites.len());
        match suites.get_mut(place) {
            Some((_, cases)) => cases.push(case),
            None => suites.push((name, vec![case])),
        }
    }
    suites
}

/// The operation, else the subject that the id begins with.
fn suite_of(case: &CaseReport) -> &str {
    let subject = case.id.split('.').next().unwrap_or(&case.id);
    case.operation.as_deref().unwrap_or(subject)
}

fn counts(cases: &[&CaseReport]) -> String {
    let count = |outcome| {
        cases
            .iter()
            .filter(|case| Outcome::of(case) == outcome)
            .count()
    };
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        cases.len(),
        count(Outcome::Failure),
        count(Outcome::Error),
        count(Outcome::Skipped)
    )
}

fn write_case(out: &mut String, report: &Report, case: &CaseReport) {
    line(
        out,
        2,
        &format!(
            "<testcase classname=\"{}\" name=\"{}\" time=\"{}\">",
            attribute(suite_of(case)),
            attribute(&case.id),
            words::decimal_seconds(case.elapsed_milliseconds)
        ),
    );
    line(out, 3, "<properties>");
    let properties = [
        ("sentence", case.sentence.as_str()),
        ("clause", case.clause.id.as_str()),
        ("clause.source", words::said_by(case.clause.source)),
        ("clause.sentence", case.clause.sentence.as_str()),
        ("profile", case.profile.as_str()),
        ("verdict", case.verdict.name()),
    ];
    for (name, value) in properties {
        line(
            out,
            4,
            &format!("<property name=\"{name}\" value=\"{}\"/>", attribute(value)),
        );
    }
    line(out, 3, "</properties>");
    if let Some(element) = Outcome::of(case).element() {
        let message = attribute(&message(case));
        let verdict = case.verdict.name();
        // JUnit's `skipped` has a message alone; some readers refuse a type on it.
        let kind = if element == "skipped" {
            String::new()
        } else {
            format!(" type=\"{verdict}\"")
        };
        let body = escaped(&explanation(report, case));
        line(
            out,
            3,
            &format!("<{element} message=\"{message}\"{kind}>{body}</{element}>"),
        );
    }
    if case.verdict != Verdict::Pass && !case.exchanges.is_empty() {
        line(
            out,
            3,
            &format!("<system-out>{}</system-out>", escaped(&exchanges(case))),
        );
    }
    line(out, 2, "</testcase>");
}

/// One sentence.
fn message(case: &CaseReport) -> String {
    let what = case.because.as_ref().map(|because| {
        if because.missing.is_empty() {
            because.what.clone()
        } else {
            format!("{} Missing: {}.", because.what, because.missing.join(", "))
        }
    });
    let parts: Vec<String> = what.into_iter().chain(words::expectation(case)).collect();
    if parts.is_empty() {
        format!("{}: {}", case.verdict.name(), case.sentence)
    } else {
        parts.join(" ")
    }
}

fn explanation(report: &Report, case: &CaseReport) -> String {
    let clause = &case.clause;
    let mut out = format!(
        "{}\nWhy it matters: {}, {}: {}\n",
        case.sentence,
        clause.id,
        words::said_by(clause.source),
        clause.sentence
    );
    if let Some(because) = &case.because {
        for (name, side) in [("Expected", &because.expected), ("Actual", &because.actual)] {
            if let Some(text) = side {
                let _ = writeln!(out, "{name}:\n{text}");
            }
        }
    }
    for invariant in words::broken_laws(case) {
        let _ = writeln!(out, "Broken invariant: {invariant}");
    }
    if let Some((_, exchange)) = words::telling_exchange(case) {
        let _ = writeln!(out, "{}", exchange.curl);
    }
    let _ = writeln!(out, "Run it alone: {}", words::run_alone(report, case));
    out
}

/// One line for each exchange; the HTML and the JSON report hold headers and bodies.
fn exchanges(case: &CaseReport) -> String {
    let mut out = String::new();
    for (index, exchange) in case.exchanges.iter().enumerate() {
        let response = exchange
            .response
            .as_ref()
            .map_or("no response", |response| &response.line);
        let _ = writeln!(
            out,
            "{}. {} → {response}, {}",
            index + 1,
            exchange.request.line,
            words::seconds(exchange.elapsed_milliseconds)
        );
    }
    out
}

fn line(out: &mut String, depth: usize, text: &str) {
    let _ = writeln!(out, "{:width$}{text}", "", width = depth * 2);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn file_is_as_it_was_reviewed() {
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("junit", text(&sample::report())));
    }

    #[test]
    fn failures_stand_in_front() {
        let text = text(&sample::report());
        let failure = text.find("<failure").unwrap();
        assert!(failure < text.find("<skipped").unwrap());
        assert!(failure < text.find("verdict\" value=\"pass\"").unwrap());
    }

    #[test]
    fn file_is_red_exactly_for_what_was_not_foreseen() {
        let report = sample::report();
        let text = text(&report);
        let red = text.matches("</failure>").count() + text.matches("</error>").count();
        assert_eq!(red, report.summary.unexpected);
        let head = text.lines().nth(1).unwrap();
        assert!(
            head.contains("tests=\"11\" failures=\"3\" errors=\"2\" skipped=\"5\""),
            "{head}"
        );
        assert!(!super::text(&sample::conforming()).contains("<failure"));
    }

    #[test]
    fn answer_cannot_end_its_element() {
        let text = text(&sample::report());
        assert!(!text.contains("<script>"));
        assert!(!text.contains("]]>"));
        assert!(text.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
        assert!(
            text.chars()
                .all(|character| character == '\n' || !character.is_control())
        );
    }
}
