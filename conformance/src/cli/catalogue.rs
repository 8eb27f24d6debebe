//! `list` and `explain`: what there is to run.
//!
//! It refuses to need a deployment.

use std::error::Error;

use super::arguments::ListOptions;
use crate::{
    case::{Case, Changes},
    cases,
    clause::Source,
};

/// Prints a line for each case.
pub(super) fn list(options: &ListOptions) -> Result<bool, Box<dyn Error>> {
    let wanted = |case: &&'static Case| {
        let operation = options.operation.as_deref();
        let clause = options.clause.as_deref();
        operation.is_none_or(|operation| case.operation == Some(operation))
            && clause.is_none_or(|clause| case.clause == clause)
    };
    let cases: Vec<_> = cases::all().into_iter().filter(wanted).collect();
    let width = cases.iter().map(|case| case.id.len()).max().unwrap_or(0);
    for case in &cases {
        println!("{:width$}  {:<24}  {}", case.id, case.clause, case.sentence);
    }
    if cases.is_empty() {
        return Err(
            "no case is of that operation and clause; `payout-conformance list` lists them all"
                .into(),
        );
    }
    eprintln!("{} cases", cases.len());
    Ok(true)
}

/// Prints all about one case.
pub(super) fn explain(id: &str) -> Result<bool, Box<dyn Error>> {
    let case = find(id)?;
    let clause = case.clause();
    let says = match clause.source() {
        Source::Specification => "the specification says",
        Source::Decision => {
            "this project decided, the specification being silent (--decisions off leaves it out)"
        }
    };
    println!("{}\n  {}\n", case.id, case.sentence);
    println!(
        "Why it matters: {} — {says}:\n  {}\n",
        clause.id, clause.sentence
    );
    if let Some(operation) = case.operation {
        println!("Operation: {operation}");
    }
    let names = |names: Vec<&str>| {
        if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        }
    };
    println!(
        "Keys: {}",
        names(case.keys.iter().map(|role| role.name()).collect())
    );
    println!(
        "Fixtures: {}",
        names(case.fixtures.iter().map(|fixture| fixture.name()).collect())
    );
    println!(
        "Hooks: {}",
        names(case.hooks.iter().map(|hook| hook.name()).collect())
    );
    println!(
        "Features: {}",
        names(case.features.iter().map(|feature| feature.name()).collect())
    );
    println!("Changes: {}", changes(case.changes));
    println!("Requests: {} at most", case.requests);
    Ok(true)
}

/// The case with this id.
pub(super) fn find(id: &str) -> Result<&'static Case, Box<dyn Error>> {
    let all = cases::all();
    if let Some(case) = all.iter().find(|case| case.id == id) {
        return Ok(case);
    }
    let subject = id.split('.').next().unwrap_or_default();
    let near: Vec<&str> = all
        .iter()
        .map(|case| case.id)
        .filter(|other| other.contains(id) || other.split('.').next() == Some(subject))
        .collect();
    let near = if near.is_empty() {
        "`payout-conformance list` lists them".to_owned()
    } else {
        format!("near: {}", near.join(", "))
    };
    Err(format!("there is no case {id}; {near}").into())
}

fn changes(changes: Changes) -> &'static str {
    match changes {
        Changes::Nothing => "nothing",
        Changes::Allowance => {
            "uses up what a minute or a month allows, in an organisation that is there for that"
        }
        Changes::Restored => "makes documents, or changes data and changes it back",
        Changes::Irreversible => {
            "changes what no request changes back; needs --consent irreversible"
        }
    }
}
