//! The suite's proof of itself: which seeded faults it would notice at one deployment. A proxy
//! shows one fault after the other to the cases, those that noticed it last time first.

mod kills;

use std::{
    collections::BTreeSet,
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    case::Case,
    deployment::Deployment,
    expectations::Expectations,
    faults,
    proxy::{Fault, Proxy},
    report::{
        model::CaseReport,
        proof::{FaultReport, Noticed},
    },
    run::{coverage::Coverage, plan::Planned, runner::run_cases},
    verdict::Verdict,
};

#[derive(Debug)]
pub(crate) struct Prover {
    deployment: Deployment,
    planned: Vec<Planned>,
    coverage: Coverage,
    /// Whether all cases of a fault are tried, or those recorded for it, and all others only where
    /// none of them fails.
    every_case: bool,
    failing: BTreeSet<String>,
}

impl Prover {
    pub(crate) fn new(
        deployment: Deployment,
        planned: Vec<Planned>,
        coverage: Coverage,
        every_case: bool,
    ) -> Self {
        Self { deployment, planned, coverage, every_case, failing: BTreeSet::new() }
    }

    pub(crate) fn deployment(&self) -> &Deployment {
        &self.deployment
    }

    /// Runs the cases recorded for these faults without a fault, except those that wait for a
    /// minute to end: each would take two more. Those that fail notice nothing from now on.
    ///
    /// # Errors
    /// There is no proxy.
    pub(crate) async fn run_without_fault(
        &mut self,
        faults: &[&'static Fault],
    ) -> Result<Vec<CaseReport>, io::Error> {
        let needed: BTreeSet<&str> = faults.iter().flat_map(|fault| kills::of(fault)).collect();
        let planned = self.runnable(|case| needed.contains(case.id) && !case.waits_for_minute);
        let reports = self.run(None, &planned).await?;
        self.failing.extend(failed(&reports));
        Ok(reports)
    }

    pub(crate) async fn attempt(&self, fault: &'static Fault) -> Result<FaultReport, io::Error> {
        let begun = Instant::now();
        let missing = self.missing(fault);
        if !missing.is_empty() {
            return Ok(self.report(fault, &[], missing, begun.elapsed()));
        }
        let recorded = kills::of(fault);
        // Those that wait for a minute to end come last, and only where no other case notices.
        let stages: [&dyn Fn(&Case) -> bool; 3] = [
            &|case| !self.every_case && recorded.contains(&case.id),
            &|case| !case.waits_for_minute,
            &|_| true,
        ];
        let mut reports: Vec<CaseReport> = Vec::new();
        for stage in stages {
            if reports.iter().any(|report| self.notices(report)) {
                break;
            }
            let tried: BTreeSet<String> = reports.iter().map(|report| report.id.clone()).collect();
            let planned = self.runnable(|case| stage(case) && !tried.contains(case.id));
            reports.extend(self.run(Some(fault), &planned).await?);
        }
        // A race is not lost each time: a recorded case that noticed nothing is run once more.
        let silent: Vec<String> = self.silent(&recorded, &reports).map(str::to_owned).collect();
        let again = self.runnable(|case| silent.iter().any(|id| id == case.id));
        reports.retain(|report| !silent.contains(&report.id));
        reports.extend(self.run(Some(fault), &again).await?);
        let mut missing = self.unrun(&recorded);
        missing.extend(self.deployment.budget.deadline.stop());
        Ok(self.report(fault, &reports, missing, begun.elapsed()))
    }

    fn missing(&self, fault: &Fault) -> Vec<String> {
        let roles = fault.roles.iter().filter(|role| self.deployment.keys.get(**role).is_none());
        let mut missing: Vec<String> = roles.map(|role| format!("key {}", role.name())).collect();
        if !fault.clause.starts_with('§') && !self.deployment.with_decisions {
            missing.push(format!("judging by decisions (clause {} is one)", fault.clause));
        }
        missing.extend(self.deployment.budget.stops());
        missing
    }

    /// Names what the recorded cases that do not run here lack.
    fn unrun(&self, recorded: &[&str]) -> Vec<String> {
        let cases = self.planned.iter().filter(|planned| recorded.contains(&planned.case.id));
        let missing: BTreeSet<String> =
            cases.flat_map(|planned| planned.missing.iter().cloned()).collect();
        missing.into_iter().collect()
    }

    fn runnable(&self, chosen: impl Fn(&Case) -> bool) -> Vec<Planned> {
        let planned = self.planned.iter().filter(|planned| planned.missing.is_empty());
        planned.filter(|planned| chosen(planned.case)).cloned().collect()
    }

    async fn run(
        &self,
        fault: Option<&'static Fault>,
        planned: &[Planned],
    ) -> Result<Vec<CaseReport>, io::Error> {
        if planned.is_empty() {
            return Ok(Vec::new());
        }
        let (deployment, _proxy) = behind_proxy(&self.deployment, fault).await?;
        let deployment = Arc::new(deployment);
        let nothing_expected = Expectations::default();
        let outcome =
            run_cases(&deployment, planned, &nothing_expected, &self.coverage, &mut |_| ()).await;
        Ok(outcome.cases)
    }

    /// The recorded cases that ran and noticed nothing.
    fn silent<'a>(
        &'a self,
        recorded: &'a [&str],
        reports: &'a [CaseReport],
    ) -> impl Iterator<Item = &'a str> {
        let ran = reports.iter().filter(|report| report.verdict != Verdict::Skipped);
        ran.filter(|report| recorded.contains(&report.id.as_str()) && !self.notices(report))
            .map(|report| report.id.as_str())
    }

    fn notices(&self, report: &CaseReport) -> bool {
        report.verdict == Verdict::Fail && !self.failing.contains(&report.id)
    }

    fn report(
        &self,
        fault: &Fault,
        reports: &[CaseReport],
        missing: Vec<String>,
        elapsed: Duration,
    ) -> FaultReport {
        let noticing = reports.iter().filter(|report| self.notices(report));
        let cases: Vec<String> = noticing.clone().map(|report| report.id.clone()).collect();
        let about = noticing.filter(|report| is_about(fault, report));
        let recorded = kills::of(fault);
        let noticed = if !cases.is_empty() {
            Noticed::Yes
        } else if missing.is_empty() {
            Noticed::Missed
        } else {
            Noticed::NotTried
        };
        FaultReport {
            id: fault.id.to_owned(),
            clause: fault.clause.to_owned(),
            sentence: fault.sentence.to_owned(),
            noticed,
            cases_about_the_clause: about.map(|report| report.id.clone()).collect(),
            recorded_and_silent: self.silent(&recorded, reports).map(str::to_owned).collect(),
            cases,
            missing: if noticed == Noticed::Yes { Vec::new() } else { missing },
            elapsed_milliseconds: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// The deployment behind a proxy that shows this fault of it, until the proxy is dropped.
pub(crate) async fn behind_proxy(
    deployment: &Deployment,
    fault: Option<&'static Fault>,
) -> Result<(Deployment, Proxy), io::Error> {
    let client = &deployment.client;
    let (origin, keys, pool) = (&client.base_url, deployment.keys.clone(), client.pool.clone());
    let proxy = Proxy::start(origin, fault, keys, pool).await?;
    let is_variation = |fault: &Fault| faults::find(fault.id).is_none();
    let client = client.through(proxy.address(), fault.is_some_and(is_variation));
    Ok((deployment.again(client), proxy))
}

pub(crate) fn failed(reports: &[CaseReport]) -> Vec<String> {
    let failed = reports.iter().filter(|report| {
        matches!(report.verdict, Verdict::Fail | Verdict::Error | Verdict::Inconclusive)
    });
    failed.map(|report| report.id.clone()).collect()
}

/// Whether a case failed for the clause that the fault breaks, or one within it: its own, or that
/// of an invariant.
fn is_about(fault: &Fault, report: &CaseReport) -> bool {
    let is_within = |clause: &str| {
        let rest = clause.strip_prefix(fault.clause);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ':']))
    };
    let exchanges = report.exchanges.iter();
    let mut violations = exchanges.flat_map(|exchange| &exchange.violations);
    fault.case == Some(&*report.id)
        || is_within(&report.clause.id)
        || violations.any(|violation| is_within(violation))
}
