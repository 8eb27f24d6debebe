//! The plan: which cases run, and for each of the others what is missing.
//!
//! It refuses to leave a case out in silence.

use std::fmt;

use super::deployment::Deployment;
use crate::{
    case::{Case, Changes},
    target::Role,
};

/// Requests that must leave in one minute for a minute's allowance of 20 to be met, with some to spare.
const REQUESTS_TO_MEET_A_MINUTE: u32 = 40;

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
    /// Whether cases may wait for a minute's end. Who names one by its id agrees to that.
    pub patient: bool,
}

/// A case, and what is missing for it.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The case.
    pub case: &'static Case,
    /// What is missing; nothing: it runs.
    pub missing: Vec<String>,
}

/// What a run may cost, before its first request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Cases that run.
    pub cases: u32,
    /// Cases that do not.
    pub skipped: u32,
    /// Requests at most, but for those that a case makes again where others disturbed it; each may cost a credit.
    pub requests: u64,
    /// Cases that change what no request changes back.
    pub irreversible: u32,
}

impl Estimate {
    /// Of these cases.
    #[must_use]
    pub fn of(planned: &[Planned]) -> Self {
        let mut estimate = Self::default();
        for planned in planned {
            if !planned.missing.is_empty() {
                estimate.skipped += 1;
                continue;
            }
            estimate.cases += 1;
            estimate.requests += u64::from(planned.case.requests);
            let is_irreversible = planned.case.changes == Changes::Irreversible;
            estimate.irreversible += u32::from(is_irreversible);
        }
        estimate
    }

    /// What the target's limits will make of it, each as a sentence.
    #[must_use]
    pub fn warnings(&self, deployment: &Deployment) -> Vec<String> {
        let mut warnings = Vec::new();
        let sent = deployment.client.requests();
        let most = deployment.budget.max_requests();
        if sent + self.requests > most {
            warnings.push(format!(
                "That may be more than budget.max_requests, {most}, of which {sent} went to find fixtures: cases that no longer fit are skipped."
            ));
        }
        if let Some(pace) = deployment.pace.requests_per_minute() {
            warnings.push(format!(
                "At pace.requests_per_minute, {pace}, that takes up to {} minutes.",
                self.requests.div_ceil(u64::from(pace))
            ));
        }
        warnings
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            cases,
            skipped,
            requests,
            irreversible,
        } = self;
        write!(
            formatter,
            "{cases} to be run, at most {requests} requests and as many credits, {irreversible} that cannot be undone; {skipped} to be skipped"
        )
    }
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
    if case.waits_for_minute && !choice.patient && choice.cases.is_empty() {
        missing.push("patience for the end of a minute (--patient)".to_owned());
    }
    let pace = deployment.pace.requests_per_minute();
    if case.changes == Changes::Allowance
        && case.keys.contains(&Role::Tight)
        && pace.is_some_and(|pace| pace < REQUESTS_TO_MEET_A_MINUTE)
    {
        missing.push(format!(
            "pace.requests_per_minute of {REQUESTS_TO_MEET_A_MINUTE} or more, so that a minute's end can be met"
        ));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cases, run::stub};

    /// What is missing for each case of the suite, on a deployment with keys alone and these lines in its target file.
    fn planned(more: &str, choice: &Choice) -> Vec<Planned> {
        plan(
            &cases::all(),
            choice,
            &stub::deployment("http://127.0.0.1:1", more),
        )
    }

    fn with_consent() -> Choice {
        Choice {
            with_decisions: true,
            consents: true,
            ..Choice::default()
        }
    }

    #[test]
    fn estimate_counts_what_runs_and_names_the_rest() {
        let planned = planned("[keys]\nall = \"ALL\"\n", &with_consent());
        let estimate = Estimate::of(&planned);
        let (run, rest): (Vec<_>, Vec<_>) = planned
            .iter()
            .partition(|planned| planned.missing.is_empty());
        assert_eq!(estimate.cases as usize, run.len());
        assert_eq!(estimate.skipped as usize, rest.len());
        assert!(estimate.cases > 0 && estimate.skipped > 0);
        let requests: u32 = run.iter().map(|planned| planned.case.requests).sum();
        assert_eq!(estimate.requests, u64::from(requests));
        assert_eq!(estimate.irreversible, 0, "no line may be detached");
    }

    #[test]
    fn limits_that_the_run_will_meet_are_told_before_it() {
        let limits = "[budget]\nmax_requests = 99\n[pace]\nrequests_per_minute = 10\n";
        let deployment = stub::deployment("http://127.0.0.1:1", limits);
        let estimate = |requests| Estimate {
            requests,
            ..Estimate::default()
        };
        let warnings = estimate(100).warnings(&deployment);
        assert_eq!(warnings.len(), 2);
        assert!(
            warnings[0].contains("budget.max_requests, 99"),
            "{warnings:?}"
        );
        assert!(warnings[1].contains("up to 10 minutes"), "{warnings:?}");
        assert_eq!(estimate(99).warnings(&deployment).len(), 1);
        let deployment = stub::deployment("http://127.0.0.1:1", "");
        assert!(estimate(99).warnings(&deployment).is_empty());
    }

    #[test]
    fn pace_below_what_meets_a_minute_skips_the_case_that_meets_one() {
        let missing = |pace: u32| {
            let more = format!("[keys]\ntight = \"TIGHT\"\n[pace]\nrequests_per_minute = {pace}\n");
            let planned = planned(&more, &with_consent());
            let case = planned
                .iter()
                .find(|planned| planned.case.id == "meters.minute-ends");
            case.unwrap().missing.clone()
        };
        assert_eq!(missing(40), Vec::<String>::new());
        assert!(
            missing(39)[0].contains("of 40 or more"),
            "{:?}",
            missing(39)
        );
    }
}
