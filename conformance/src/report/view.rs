//! Shared parts of the templates of the terminal's text and of the HTML page: their environment,
//! and the report with what a template cannot compute.

use minijinja::{AutoEscape, Environment, Error, Output, State, Value, context};
use strum::IntoEnumIterator as _;

use super::{
    compare, gap,
    model::{CaseReport, Report},
    words,
};
use crate::{
    baseline::{ComparisonReport, DifferenceGroup},
    verdict::Verdict,
    visible::visible_line,
};

const TEMPLATES: [(&str, &str); 8] = [
    ("titles.txt", include_str!("page/titles.txt")),
    ("headline.txt", include_str!("page/headline.txt")),
    ("terminal.txt", include_str!("page/terminal.txt")),
    ("page.html", include_str!("page/page.html")),
    ("comparison.html", include_str!("page/comparison.html")),
    ("cases.html", include_str!("page/cases.html")),
    ("proof.html", include_str!("page/proof.html")),
    ("junit.xml", include_str!("page/junit.xml")),
];

/// An environment in which every value is written by this function, unless it is safe.
pub(super) fn environment(
    escape: fn(&mut Output<'_>, &str) -> Result<(), Error>,
) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.set_keep_trailing_newline(true);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_formatter(move |out: &mut Output<'_>, _: &State<'_, '_>, value: &Value| {
        match value.to_string() {
            _ if value.is_undefined() || value.is_none() => Ok(()),
            text if value.is_safe() => Ok(out.write_str(&text)?),
            text => escape(out, &text),
        }
    });
    environment.add_filter("line", |text: String| visible_line(&text));
    environment.add_filter("seconds", words::seconds);
    environment.add_filter("counted", |count: usize, one: &str, many: &str| {
        words::counted(count, one, many)
    });
    environment
}

pub(super) fn render(mut environment: Environment<'static>, name: &str, context: Value) -> String {
    let added =
        TEMPLATES.into_iter().try_for_each(|(name, text)| environment.add_template(name, text));
    let rendered = added.and_then(|()| environment.get_template(name)?.render(context));
    rendered.expect("the templates are part of the program, and tests render each branch")
}

/// The report, its cases in the order in which people read results, and what follows from it.
pub(super) fn context(report: &Report) -> Value {
    let ranked = words::ranked(report);
    let cases: Vec<Value> = ranked.iter().map(|case| view(report, case)).collect();
    let group = |verdict| {
        let cases = ranked.iter().zip(&cases).filter(|(case, _)| case.verdict == verdict);
        let cases: Vec<&Value> = cases.map(|(_, view)| view).collect();
        context! { verdict, count => cases.len(), cases }
    };
    let coverage = report.coverage.iter().map(|documented| {
        context! { lack => words::lack(documented), ..Value::from_serialize(documented) }
    });
    let is_other = report.comparison.as_ref().is_some_and(|comparison| !comparison.holds());
    let worst = match ranked.first() {
        Some(case) if !is_other => case.verdict,
        // A run without cases proves nothing.
        None if !is_other => Verdict::Inconclusive,
        _ => Verdict::Fail,
    };
    context! {
        report,
        comparison => report.comparison.as_ref().map(|found| comparison(report, found)),
        groups => Verdict::iter().map(group).collect::<Vec<_>>(),
        gaps => gap::gaps(report),
        unproved => gap::unproved_otherwise(report),
        coverage => coverage.collect::<Vec<_>>(),
        worst,
        cases,
    }
}

/// A comparison, with the texts of each place side by side.
fn comparison(report: &Report, comparison: &ComparisonReport) -> Value {
    let groups = |groups: &[DifferenceGroup]| {
        let groups = groups.iter().map(|group| {
            let places = group.places.iter().map(|place| {
                let (baseline, response) = (place.baseline.as_deref(), place.response.as_deref());
                let lines = compare::lines(baseline, response);
                context! {
                    difference => compare::short(&lines),
                    rows => compare::rows(&lines),
                    ..Value::from_serialize(place)
                }
            });
            context! {
                places => places.collect::<Vec<_>>(),
                says => group.stance.words(),
                ..Value::from_serialize(group)
            }
        });
        groups.collect::<Vec<_>>()
    };
    context! {
        sentence => words::comparison(&report.target.name, comparison),
        differences => groups(&comparison.differences),
        additions => groups(&comparison.additions),
        holds => comparison.holds(),
        ..Value::from_serialize(comparison)
    }
}

fn view(report: &Report, case: &CaseReport) -> Value {
    let because = case.because.as_ref();
    let comparison = compare::lines(
        because.and_then(|because| because.expected.as_deref()),
        because.and_then(|because| because.actual.as_deref()),
    );
    let tag = match (case.expected, case.verdict) {
        (true, Verdict::Pass) => "",
        (true, _) => "skipped",
        (false, Verdict::Error | Verdict::Inconclusive) => "error",
        (false, _) => "failure",
    };
    context! {
        is_surprise => words::is_surprise(case),
        note => words::expectation(case),
        source => words::said_by(case.clause.source),
        violations => words::violations(case),
        // Without lines far from differences.
        difference => compare::short(&comparison),
        comparison,
        curl => words::telling_exchange(case).map(|exchange| &exchange.curl),
        run_alone => words::run_alone(report, case),
        // The element of JUnit.
        tag,
        // The operation, or the subject that the id begins with.
        suite => case.operation.as_deref().or(case.id.split('.').next()),
        ..Value::from_serialize(case)
    }
}
