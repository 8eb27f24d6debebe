//! The plan: which cases run, and for each of the others what is missing.
//!
//! It refuses to leave a case out in silence.

use super::deployment::Deployment;
use crate::case::{Case, Changes};

/// What was asked for.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Only these cases; empty: all.
    pub cases: Vec<String>,
    /// Whether cases that prove a decision run.
    pub with_decisions: bool,
    /// Whether nothing may be changed.
    pub read_only: bool,
    /// Whether the owner agrees to what cannot be undone.
    pub consents: bool,
}

/// A case, and what is missing for it.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The case.
    pub case: &'static Case,
    /// What is missing; nothing: it runs.
    pub missing: Vec<String>,
}

/// What becomes of each case that was chosen.
#[must_use]
pub fn plan(cases: &[&'static Case], choice: &Choice, deployment: &Deployment) -> Vec<Planned> {
    let chosen = |case: &&&'static Case| {
        choice.cases.is_empty() || choice.cases.iter().any(|id| id == case.id)
    };
    cases
        .iter()
        .filter(chosen)
        .map(|case| Planned {
            case,
            missing: missing(case, choice, deployment),
        })
        .collect()
}

fn missing(case: &Case, choice: &Choice, deployment: &Deployment) -> Vec<String> {
    let mut missing = Vec::new();
    if case.proves_decision() && !choice.with_decisions {
        missing.push(format!(
            "judging by decisions (clause {} is one)",
            case.clause
        ));
    }
    if choice.read_only && case.changes > Changes::Allowance {
        missing.push("leave to change data (the run is read-only)".to_owned());
    }
    if case.changes == Changes::Irreversible && !choice.consents && !choice.read_only {
        missing.push("consent to what cannot be undone (--consent irreversible)".to_owned());
    }
    let keys = case
        .keys
        .iter()
        .filter(|role| deployment.keys.get(**role).is_none());
    missing.extend(keys.map(|role| format!("key {}", role.name())));
    let fixtures = case.fixtures.iter();
    let fixtures = fixtures.filter(|fixture| deployment.fixture(**fixture).is_none());
    missing.extend(fixtures.map(|fixture| format!("fixture {}", fixture.name())));
    let hooks = case
        .hooks
        .iter()
        .filter(|hook| !deployment.hooks.has(**hook));
    missing.extend(hooks.map(|hook| format!("hook {}", hook.name())));
    let features = case.features.iter();
    let features = features.filter(|feature| !deployment.features.contains(feature));
    missing.extend(features.map(|feature| format!("feature {}", feature.name())));
    missing
}
