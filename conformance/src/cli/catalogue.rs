//! `list` and `explain`: the cases of the suite. No deployment is needed.

use std::error::Error;

use super::arguments::ListOptions;
use crate::{
    case::{Case, Changes},
    clause::Source,
    expectations::unknown,
    probes,
};

pub(super) fn list(options: &ListOptions) -> Result<bool, Box<dyn Error>> {
    let ListOptions { operation, clause } = options;
    let mut cases = probes::all_cases();
    cases.retain(|case| {
        operation.as_deref().is_none_or(|operation| case.operation == Some(operation))
            && clause.as_deref().is_none_or(|clause| case.clause == clause)
    });
    if cases.is_empty() {
        let error = "no case matches; `payout-conformance list` lists all";
        return Err(error.into());
    }
    let width = cases.iter().map(|case| case.id.len()).max().unwrap_or(0);
    for case in &cases {
        anstream::println!("{:width$}  {:<24}  {}", case.id, case.clause, case.sentence);
    }
    anstream::eprintln!("{} cases", cases.len());
    Ok(true)
}

pub(super) fn explain(id: &str) -> Result<bool, Box<dyn Error>> {
    let case = find(id)?;
    let clause = case.clause();
    let source = match clause.source() {
        Source::Specification => "the specification",
        Source::Decision => "a decision of this project (--decisions off skips it)",
    };
    anstream::println!("{}\n  {}\n", case.id, case.sentence);
    anstream::println!("Requirement: {}, {source}:\n  {}\n", clause.id, clause.sentence);
    if let Some(operation) = case.operation {
        anstream::println!("Operation: {operation}");
    }
    let row = |title: &str, names: Vec<&str>| {
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        anstream::println!("{title}: {names}");
    };
    row("Keys", case.keys.iter().map(|role| role.name()).collect());
    row("Fixtures", case.fixtures.iter().map(|fixture| fixture.name()).collect());
    row("Hooks", case.hooks.iter().map(|hook| hook.name()).collect());
    row("Features", case.features.iter().map(|feature| feature.name()).collect());
    let changes = match case.changes {
        Changes::Nothing => "nothing",
        Changes::Allowance => {
            "uses up a minute's or a month's allowance of an organisation that exists for that"
        }
        Changes::Restored => "generates documents, or changes data and restores it",
        Changes::Irreversible => "cannot be undone; needs --consent irreversible",
    };
    anstream::println!("Changes: {changes}");
    anstream::println!("Requests: at most {}", case.requests);
    if let Some(evidence) = probes::evidence(case) {
        anstream::println!("Proved by: {evidence}");
    }
    Ok(true)
}

pub(super) fn find(id: &str) -> Result<&'static Case, String> {
    let all = probes::all_cases();
    let found = all.iter().find(|case| case.id == id);
    found.copied().ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|case| case.id).collect();
        unknown(id, &known)
    })
}
