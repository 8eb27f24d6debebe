//! Shared parts of the templates of the terminal's text and of the HTML page: their environment,
//! and the cases with what a template cannot compute.

use minijinja::{AutoEscape, Environment, Error, Output, State, Value, context};
use strum::IntoEnumIterator as _;

use super::{
    compare,
    model::{CaseReport, Report},
    words,
};
use crate::verdict::Verdict;

/// Groups with more cases than this do not show all of them at first.
const FIRST: usize = 3;

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
    environment.add_filter("seconds", words::seconds);
    environment.add_filter("counted", |count: usize, one: &str, many: &str| {
        words::counted(count, one, many)
    });
    environment
}

/// The cases by verdict, in the order in which people read results.
pub(super) fn groups(report: &Report) -> Vec<Value> {
    let ranked = words::ranked(report);
    let group = |verdict| {
        let (title, meaning) = words::group(verdict);
        let cases = ranked.iter().filter(|case| case.verdict == verdict).enumerate();
        let cases: Vec<Value> =
            cases.map(|(index, case)| view(report, case, index < FIRST)).collect();
        context! { verdict, count => cases.len(), title, meaning, cases }
    };
    Verdict::iter().map(group).collect()
}

/// A case, and whether it is one of the first of its group.
pub(super) fn view(report: &Report, case: &CaseReport, is_first: bool) -> Value {
    let because = case.because.as_ref();
    let comparison = compare::lines(
        because.and_then(|because| because.expected.as_deref()),
        because.and_then(|because| because.actual.as_deref()),
    );
    let telling = words::telling_exchange(case);
    context! {
        is_first,
        is_surprise => words::is_surprise(case),
        note => words::expectation(case),
        requirement => words::requirement(case),
        violations => words::violations(case),
        // Without lines far from differences.
        difference => compare::short(&comparison),
        comparison,
        telling => telling.map(|(index, _)| index),
        curl => telling.map(|(_, exchange)| &exchange.curl),
        run_alone => words::run_alone(report, case),
        ..Value::from_serialize(case)
    }
}

/// Returns the documented responses that lack something, with what they lack.
pub(super) fn lacks(report: &Report) -> Vec<Value> {
    let lack = |documented| {
        Some(context! { lack => words::lack(documented)?, ..Value::from_serialize(documented) })
    };
    report.coverage.iter().filter_map(lack).collect()
}
