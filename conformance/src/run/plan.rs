//! The plan: which cases run, and for each of the others what is missing.

use std::fmt;

use clap::{Args, ValueEnum};

use crate::{
    case::{Case, Changes},
    deployment::Deployment,
    target::Role,
};

/// Requests per minute that suffice to use up a minute's allowance of 20, with some to spare.
const REQUESTS_TO_MEET_A_MINUTE: u32 = 40;

/// Which cases may run.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Choice {
    /// Test against the decisions of this project too, or against the specification alone
    #[arg(long, value_enum, default_value = "on", value_name = "ON_OR_OFF")]
    pub(crate) decisions: Decisions,
    /// Run no case that changes data
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Allow changes that cannot be undone, such as a detach
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) consent: Option<Consent>,
    /// Also run cases that wait for the end of a minute: up to a minute longer
    #[arg(long)]
    pub(crate) patient: bool,
    /// Run only this case; may be given several times
    #[arg(long = "case", value_name = "ID")]
    pub(crate) cases: Vec<String>,
}

/// What a deployment is tested against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Decisions {
    /// Specification and decisions
    #[default]
    On,
    /// The specification alone
    Off,
}

/// What the owner of a deployment allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Consent {
    /// Changes that no request undoes
    Irreversible,
}

#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) case: &'static Case,
    /// What is missing; nothing: it runs.
    pub(crate) missing: Vec<String>,
}

impl Planned {
    /// Whether the case runs and changes data, if only for a while.
    pub(crate) fn changes_data(&self) -> bool {
        self.missing.is_empty() && self.case.changes >= Changes::Restored
    }
}

/// What a run may cost, before its first request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Estimate {
    pub(crate) cases: u32,
    pub(crate) skipped: u32,
    /// Requests at most, without those repeated because another run disturbed a case. Each may cost
    /// a credit.
    pub(crate) requests: u64,
    pub(crate) irreversible: u32,
}

impl Estimate {
    pub(crate) fn of(planned: &[Planned]) -> Self {
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

    /// What the target's limits mean for it, each as a sentence.
    pub(crate) fn warnings(&self, deployment: &Deployment) -> Vec<String> {
        let mut warnings = Vec::new();
        let sent = deployment.budget.sent();
        let max = deployment.budget.max_requests();
        if sent + self.requests > max {
            warnings.push(format!(
                "That may be more than budget.max_requests ({max}, of which {sent} were used to \
                 find fixtures): cases that no longer fit are skipped."
            ));
        }
        if let Some(pace) = deployment.pace.requests_per_minute() {
            warnings.push(format!(
                "At pace.requests_per_minute = {pace} that takes up to {} minutes.",
                self.requests.div_ceil(u64::from(pace))
            ));
        }
        warnings
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cases, skipped, requests, irreversible } = self;
        write!(
            formatter,
            "{cases} will run, with at most {requests} requests and as many credits; \
             {irreversible} cannot be undone; {skipped} will be skipped"
        )
    }
}

pub(crate) fn plan(
    cases: &[&'static Case],
    choice: &Choice,
    deployment: &Deployment,
) -> Vec<Planned> {
    let chosen = |case: &&&'static Case| {
        choice.cases.is_empty() || choice.cases.iter().any(|id| id == case.id)
    };
    cases
        .iter()
        .filter(chosen)
        .map(|case| Planned { case, missing: missing(case, choice, deployment) })
        .collect()
}

fn missing(case: &Case, choice: &Choice, deployment: &Deployment) -> Vec<String> {
    let mut missing = Vec::new();
    if case.proves_decision() && choice.decisions == Decisions::Off {
        missing.push(format!("decisions (not run: --decisions off, and {} is one)", case.clause));
    }
    if choice.read_only && case.changes > Changes::Allowance {
        missing.push("permission to change data (not run: --read-only)".to_owned());
    }
    if case.changes == Changes::Irreversible && choice.consent.is_none() && !choice.read_only {
        missing.push("consent (not run without --consent irreversible)".to_owned());
    }
    if case.waits_for_minute && !choice.patient && choice.cases.is_empty() {
        missing.push("time to wait for the end of a minute (not run without --patient)".to_owned());
    }
    let pace = deployment.pace.requests_per_minute();
    if case.changes == Changes::Allowance
        && case.keys.contains(&Role::Tight)
        && pace.is_some_and(|pace| pace < REQUESTS_TO_MEET_A_MINUTE)
    {
        missing.push(format!(
            "pace.requests_per_minute of {REQUESTS_TO_MEET_A_MINUTE} or more, to use up a \
             minute's allowance"
        ));
    }
    let keys = case.keys.iter().filter(|role| deployment.keys.get(**role).is_none());
    missing.extend(keys.map(|role| format!("key {}", role.name())));
    let fixtures = case.fixtures.iter();
    let fixtures = fixtures.filter(|fixture| deployment.fixture(**fixture).is_none());
    missing.extend(fixtures.map(|fixture| format!("fixture {}", fixture.name())));
    let hooks = case.hooks.iter().filter(|hook| !deployment.hooks.has(**hook));
    missing.extend(hooks.map(|hook| format!("hook {}", hook.name())));
    let features = case.features.iter();
    let features = features.filter(|feature| !deployment.features.contains(feature));
    missing.extend(features.map(|feature| format!("feature {}", feature.name())));
    missing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cases, deployment::stub};

    /// What is missing for each case of the suite, on a deployment with keys alone and these lines
    /// in its target file.
    fn planned(more: &str, choice: &Choice) -> Vec<Planned> {
        plan(&cases::all(), choice, &stub::deployment("http://127.0.0.1:1", more))
    }

    fn with_consent() -> Choice {
        Choice { consent: Some(Consent::Irreversible), ..Choice::default() }
    }

    #[test]
    fn estimate_counts_what_runs_and_names_the_rest() {
        let planned = planned("[keys]\nall = \"ALL\"\n", &with_consent());
        let estimate = Estimate::of(&planned);
        let (run, rest): (Vec<_>, Vec<_>) =
            planned.iter().partition(|planned| planned.missing.is_empty());
        assert_eq!(estimate.cases as usize, run.len());
        assert_eq!(estimate.skipped as usize, rest.len());
        assert!(estimate.cases > 0 && estimate.skipped > 0);
        let requests: u32 = run.iter().map(|planned| planned.case.requests).sum();
        assert_eq!(estimate.requests, u64::from(requests));
        assert_eq!(estimate.irreversible, 0, "no line may be detached");
    }

    #[test]
    fn limits_that_the_run_will_reach_are_reported_before_it() {
        let limits = "[budget]\nmax_requests = 99\n[pace]\nrequests_per_minute = 10\n";
        let deployment = stub::deployment("http://127.0.0.1:1", limits);
        let estimate = |requests| Estimate { requests, ..Estimate::default() };
        let warnings = estimate(100).warnings(&deployment);
        assert_eq!(warnings.len(), 2);
        assert!(warnings[0].contains("budget.max_requests (99"), "{warnings:?}");
        assert!(warnings[1].contains("up to 10 minutes"), "{warnings:?}");
        assert_eq!(estimate(99).warnings(&deployment).len(), 1);
        let deployment = stub::deployment("http://127.0.0.1:1", "");
        assert!(estimate(99).warnings(&deployment).is_empty());
    }

    #[test]
    fn pace_too_slow_to_use_up_a_minute_skips_the_case_that_needs_it() {
        let missing = |pace: u32| {
            let more = format!("[keys]\ntight = \"TIGHT\"\n[pace]\nrequests_per_minute = {pace}\n");
            let planned = planned(&more, &with_consent());
            let case = planned.iter().find(|planned| planned.case.id == "meters.ends.minute-ends");
            case.unwrap().missing.clone()
        };
        assert_eq!(missing(40), Vec::<String>::new());
        assert!(missing(39)[0].contains("of 40 or more"), "{:?}", missing(39));
    }
}
