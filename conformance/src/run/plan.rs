//! The plan: which cases run, and for each of the others what is missing.

use std::{fmt, time::Duration};

use clap::{Args, ValueEnum};

use crate::{
    case::{Case, Changes},
    deployment::{Deployment, deadline},
    probes::generated::REDUCTIONS,
    target::{Feature, Role},
};

/// Requests per minute that suffice to use up a minute's allowance of 20, with some to spare.
const REQUESTS_TO_MEET_A_MINUTE: u32 = 40;

/// The time of a request, where eight are sent side by side.
const REQUEST: Duration = Duration::from_millis(20);
const MINUTE: Duration = Duration::from_secs(60);
/// The factor by which a run may take longer than estimated.
const PATIENCE: u32 = 10;
/// Requests per minute of a deployment that sends no limit, or a smaller one.
const SLOWEST: u64 = 20;

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
    /// Leave out cases that use up a minute's allowance, after which the next run has to wait, and
    /// those that wait for a link to expire
    #[arg(skip)]
    pub(crate) is_brief: bool,
    /// Also send this many random requests to each operation
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) generate: u32,
    /// What decides the random requests
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    pub(crate) seed: u64,
    /// Run only this case; may be given several times
    #[arg(long = "case", value_name = "ID")]
    pub(crate) cases: Vec<String>,
}

/// The texts that a deployment is tested against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Decisions {
    /// Specification and decisions
    #[default]
    On,
    /// The specification alone
    Off,
}

/// The consent of a deployment's owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Consent {
    /// Changes that no request undoes
    Irreversible,
}

#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) case: &'static Case,
    /// The missing things; a case without any runs.
    pub(crate) missing: Vec<String>,
}

impl Planned {
    /// Returns true if the case runs and changes data, if only for a while.
    pub(crate) fn changes_data(&self) -> bool {
        self.missing.is_empty() && self.case.changes >= Changes::Restored
    }
}

/// The cost of a run, estimated before its first request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Estimate {
    pub(crate) cases: u32,
    pub(crate) skipped: u32,
    /// The most requests; each may cost a credit.
    pub(crate) requests: u64,
    pub(crate) irreversible: u32,
    /// Cases that wait for the end of a minute.
    pub(crate) minutes: u32,
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
            estimate.minutes += u32::from(planned.case.waits_for_minute);
        }
        estimate
    }

    /// Returns the estimated time: 20 ms for each request, a minute for each that is filled by the
    /// smaller of the target file's and the deployment's requests per minute, and a minute for each
    /// case that waits for one to end.
    pub(crate) fn time(&self, deployment: &Deployment) -> Duration {
        let pace = deployment.pace.requests_per_minute.map(u64::from);
        let limit = deployment.pace.smallest_limit().map(|limit| limit.max(SLOWEST));
        let filled = pace.into_iter().chain(limit).min().map_or(0, |max| self.requests / max);
        let count = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        REQUEST.saturating_mul(count(self.requests))
            + MINUTE.saturating_mul(count(filled).saturating_add(self.minutes))
    }

    /// The deadline of a run that has no other: ten times the estimate, at least five minutes.
    pub(crate) fn deadline(&self, deployment: &Deployment) -> Duration {
        self.time(deployment).saturating_mul(PATIENCE).max(deadline::MIN)
    }

    /// Returns what the target's limits mean for it, each as a sentence.
    pub(crate) fn warnings(&self, deployment: &Deployment) -> Vec<String> {
        let mut warnings = Vec::new();
        let sent = deployment.budget.sent();
        let max = deployment.budget.max_requests;
        if sent + self.requests > max {
            warnings.push(format!(
                "That may be more than budget.max_requests ({max}, of which {sent} were used to \
                 find fixtures): cases that no longer fit are skipped."
            ));
        }
        if let Some(pace) = deployment.pace.requests_per_minute {
            warnings.push(format!(
                "At pace.requests_per_minute = {pace} that takes up to {} minutes.",
                self.requests.div_ceil(u64::from(pace))
            ));
        }
        let (time, deadline) = (self.time(deployment), deployment.budget.deadline.time());
        if time > deadline {
            warnings.push(format!(
                "It takes about {} seconds, more than --deadline {}: cases that do not start in \
                 time are skipped.",
                time.as_secs(),
                deadline.as_secs()
            ));
        }
        warnings
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cases, skipped, requests, irreversible, .. } = self;
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
    // Random requests are an option, and no requirement is open without them.
    let chosen = |case: &&&'static Case| match choice.cases.as_slice() {
        [] => !case.is_generated || choice.generate > 0,
        cases => cases.iter().any(|id| id == case.id),
    };
    cases
        .iter()
        .filter(chosen)
        .map(|case| Planned {
            case: with_requests(case, choice),
            missing: missing(case, choice, deployment),
        })
        .collect()
}

/// The case with as many requests as random ones are wanted.
fn with_requests(case: &'static Case, choice: &Choice) -> &'static Case {
    if !case.is_generated || choice.generate == 0 {
        return case;
    }
    // A run plans once; cases live as long as the program.
    Box::leak(Box::new(Case { requests: choice.generate + REDUCTIONS, ..*case }))
}

fn missing(case: &Case, choice: &Choice, deployment: &Deployment) -> Vec<String> {
    let mut missing = Vec::new();
    if case.proves_decision() && choice.decisions == Decisions::Off {
        missing.push("decisions (not run: --decisions off)".to_owned());
    }
    if case.is_generated && choice.generate == 0 {
        missing.push("random requests (not run without --generate N)".to_owned());
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
    let uses_up_minute = case.keys.contains(&Role::Tight);
    let waits = uses_up_minute || case.features.contains(&Feature::ShortLinks);
    if choice.is_brief && waits && !choice.patient {
        let what = "time for a used-up minute or a link to end (not run without --patient)";
        missing.push(what.to_owned());
    }
    let pace = deployment.pace.requests_per_minute;
    if case.changes == Changes::Allowance
        && uses_up_minute
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
    use crate::{deployment::stub, probes};

    /// Plans each case of the suite on a deployment with these lines in its target file.
    fn planned(more: &str, choice: &Choice) -> Vec<Planned> {
        plan(&probes::all_cases(), choice, &stub::deployment("http://127.0.0.1:1", more))
    }

    fn with_consent() -> Choice {
        Choice { consent: Some(Consent::Irreversible), ..Choice::default() }
    }

    #[test]
    fn random_requests_that_nobody_asked_for_are_not_skipped_cases() {
        let generated = |choice: &Choice| {
            let planned = planned("[keys]\nall = \"ALL\"\n", choice).into_iter();
            planned.filter(|planned| planned.case.is_generated).collect::<Vec<_>>()
        };
        assert!(generated(&Choice::default()).is_empty());
        let asked = generated(&Choice { generate: 5, ..Choice::default() });
        assert_eq!(asked[0].case.requests, 5 + REDUCTIONS);
        let chosen = Choice { cases: vec![asked[0].case.id.to_owned()], ..Choice::default() };
        assert!(generated(&chosen)[0].missing[0].contains("--generate N"));
    }

    #[test]
    fn limits_that_the_run_will_reach_are_reported_before_it() {
        let limits = "[budget]\nmax_requests = 99\n[pace]\nrequests_per_minute = 10\n";
        let deployment = stub::deployment("http://127.0.0.1:1", limits);
        deployment.budget.deadline.set(60 * MINUTE);
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
    fn deadline_is_ten_times_the_estimate_and_five_minutes_at_least() {
        let estimate = Estimate { requests: 2_500, minutes: 2, ..Estimate::default() };
        let fast = stub::deployment("http://127.0.0.1:1", "");
        assert_eq!(estimate.time(&fast).as_secs(), 50 + 120);
        assert_eq!(estimate.deadline(&fast).as_secs(), 1_700);
        let slow = stub::deployment("http://127.0.0.1:1", "[pace]\nrequests_per_minute = 100\n");
        assert_eq!(estimate.time(&slow).as_secs(), 50 + 120 + 25 * 60);
        let small = Estimate { requests: 8, ..Estimate::default() };
        assert_eq!(small.deadline(&fast), deadline::MIN);
        slow.budget.deadline.set(Duration::from_secs(60));
        let warnings = estimate.warnings(&slow);
        assert!(warnings.iter().any(|line| line.contains("--deadline 60")), "{warnings:?}");
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
