//! Runs cases: read-only ones in parallel, then changing ones one after the other, then exclusive
//! ones alone; beside all but the last, those that use up a minute. A case that fails or panics
//! does not stop the run.

use std::{cell::RefCell, pin::pin, sync::Arc, time::Instant};

use futures_util::{FutureExt as _, StreamExt as _, stream};
use hyper::Method;

use super::{
    case_report::{self, Ended},
    coverage::Coverage,
    plan::Planned,
};
use crate::{
    case::{Case, CaseContext, CaseOutcome, CaseResult, Changes, context::Exchange, ended},
    deployment::{Deployment, budget::Share},
    expectations::Expectations,
    isolation,
    journal::Undo,
    report::model::{CaseReport, Remains},
    target::{Feature, Fixture, Role},
    verdict::Verdict,
};

const PARALLEL: usize = 8;

pub(crate) enum Event<'a> {
    Began(&'a str),
    Ended(&'a CaseReport),
}

pub(crate) struct Outcome {
    pub(crate) cases: Vec<CaseReport>,
    pub(crate) remains: Vec<Remains>,
}

struct Run<'run> {
    deployment: &'run Arc<Deployment>,
    expectations: &'run Expectations,
    coverage: &'run Coverage,
    on_event: RefCell<&'run mut dyn FnMut(Event<'_>)>,
}

/// Runs the planned cases. May be called many times in one process, each with a deployment of its
/// own ([`Deployment::again`]) and any cases.
pub(crate) async fn run_cases(
    deployment: &Arc<Deployment>,
    planned: &[Planned],
    expectations: &Expectations,
    coverage: &Coverage,
    on_event: &mut dyn FnMut(Event<'_>),
) -> Outcome {
    let run = Run { deployment, expectations, coverage, on_event: RefCell::new(on_event) };
    let run = &run;
    let queues = Queues::of(planned, deployment.with_decisions);
    let in_parallel = |indices: Vec<usize>, width| {
        stream::iter(indices)
            .map(move |index| async move { (index, run.case(&planned[index]).await) })
            .buffer_unordered(width)
    };
    let changing = in_parallel(queues.changing, 1);
    let working = in_parallel(queues.read_only, PARALLEL).chain(changing);
    let waiting = stream::select(
        in_parallel(queues.waiting, PARALLEL),
        in_parallel(queues.using_up_a_minute, 1),
    );
    let exclusive = in_parallel(queues.exclusive, 1);
    let mut running = pin!(stream::select(waiting, working).chain(exclusive));
    let mut reports: Vec<Option<CaseReport>> = planned.iter().map(|_| None).collect();
    let mut remains = Vec::new();
    while let Some((index, (report, changes))) = running.next().await {
        (run.on_event.borrow_mut())(Event::Ended(&report));
        let case = &report.id;
        remains.extend(changes.into_iter().map(|what| Remains { case: case.clone(), what }));
        reports[index] = Some(report);
    }
    let changed = isolation::end_run(deployment).await.into_iter();
    remains.extend(changed.map(|(case, what)| Remains { case: case.to_owned(), what }));
    Outcome { cases: reports.into_iter().flatten().collect(), remains }
}

/// Indices of the planned cases, by what may run at the same time.
#[derive(Default)]
struct Queues {
    /// They wait for a link or a minute to end: in parallel with all but exclusive ones.
    waiting: Vec<usize>,
    /// They change nothing: in parallel, before anything is changed. That an update with equal
    /// values changes nothing is a decision; without decisions such cases are `changing`.
    read_only: Vec<usize>,
    /// They use up a minute of `tight`, an organisation of their own: one after the other, those by
    /// hand first, because one of them needs a minute in which nothing was sent yet.
    using_up_a_minute: Vec<usize>,
    /// They change something: one after the other, so that no case sees another one's changes.
    changing: Vec<usize>,
    /// They count what is spent, or give credits that others must not see: alone, after all others.
    exclusive: Vec<usize>,
}

impl Queues {
    fn of(planned: &[Planned], with_decisions: bool) -> Self {
        let mut queues = Self::default();
        for (index, Planned { case, .. }) in planned.iter().enumerate() {
            let waits = case.waits_for_minute || case.features.contains(&Feature::ShortLinks);
            let queue = if case.exclusive {
                &mut queues.exclusive
            } else if case.keys.contains(&Role::Tight) {
                &mut queues.using_up_a_minute
            } else if waits {
                &mut queues.waiting
            } else if case.changes == Changes::Nothing && (with_decisions || case.only_reads()) {
                &mut queues.read_only
            } else {
                &mut queues.changing
            };
            queue.push(index);
        }
        queues.using_up_a_minute.sort_by_key(|index| planned[*index].case.is_derived);
        queues
    }
}

impl Run<'_> {
    /// Runs a case; returns its report and the changes that it did not undo.
    async fn case(&self, planned: &Planned) -> (CaseReport, Vec<String>) {
        let case = planned.case;
        let missing = planned.missing.clone();
        let reserved = if missing.is_empty() {
            // Cases about used-up allowances spend credits of organisations that exist for that.
            let payers = if case.changes == Changes::Allowance { &[] } else { case.keys };
            let share = self.deployment.budget.begin(case.requests, payers).await;
            share.map_err(|used_up| vec![used_up])
        } else {
            Err(missing)
        };
        match reserved {
            Ok(share) => self.start(case, share).await,
            Err(missing) => {
                let ended = Ended::not_started(CaseOutcome::skipped(missing));
                (case_report::of(self.deployment, self.expectations, case, ended), Vec::new())
            }
        }
    }

    async fn start(&self, case: &'static Case, share: Share) -> (CaseReport, Vec<String>) {
        let deployment = self.deployment;
        let report = |ended| case_report::of(deployment, self.expectations, case, ended);
        let intent = intent(case, deployment);
        let changes_data = case.changes >= Changes::Restored;
        let entry = changes_data.then(|| deployment.intents.begin(case.id, &intent, undo(case)));
        let not_started = |outcome| (report(Ended::not_started(outcome)), Vec::new());
        let entry = match entry.transpose() {
            Ok(Some(None)) => {
                let what = "a journal, without which nothing is changed";
                return not_started(CaseOutcome::missing(what));
            }
            Ok(entry) => entry.flatten(),
            Err(error) => return not_started(CaseOutcome::error(error)),
        };
        (self.on_event.borrow_mut())(Event::Began(case.id));
        let begun = Instant::now();
        let mut context = CaseContext::new(deployment, case, share);
        let outcome = play(case, &mut context).await;
        let outcome = context.end_snapshots(outcome);
        let outcome = isolation::beside_others(&context, outcome).await;
        let outcome = outcome.and(context.undo().await);
        let elapsed = begun.elapsed();
        let is_late = deployment.budget.deadline.stop().is_some();
        let has_stopped =
            ended(&outcome, Verdict::Error) || is_late && ended(&outcome, Verdict::Skipped);
        let stopped = outcome.as_ref().err().filter(|_| has_stopped);
        let stopped = stopped.map(|ended| ended.because.short());
        let outcome = within_its_requests(case, context.share.excess(), outcome);
        let CaseContext { exchanges, mut remains, has_operated, has_announced, .. } = context;
        if let Some(entry) = entry {
            let has_changed = has_operated || exchanges.iter().any(may_have_changed);
            // What irreversible cases report is meant to stay.
            let mut is_undone = remains.is_empty() || case.changes == Changes::Irreversible;
            // What the engine restores is reported at the end of the run, if it remains.
            let is_unknown = has_changed && !has_announced;
            if let Some(what) = stopped.filter(|_| is_unknown) {
                is_undone = false;
                remains.push(format!(
                    "the case stopped ({what}) and may not have undone its change: {intent}"
                ));
            }
            let result = result(&outcome, &remains);
            deployment.intents.end(entry, &result, is_undone);
        }
        for exchange in &exchanges {
            self.note(exchange);
        }
        let ended = Ended { outcome, exchanges, elapsed };
        (report(ended), remains)
    }

    fn note(&self, exchange: &Exchange) {
        if let (Ok(response), None) = (&exchange.response, &exchange.address)
            && let Some(operation) = self.deployment.invariants.operation(&exchange.request)
        {
            self.coverage.note(operation, response);
        }
    }
}

async fn play(case: &Case, context: &mut CaseContext<'_>) -> CaseResult {
    let running = std::panic::AssertUnwindSafe((case.run)(context)).catch_unwind();
    let outcome = running.await;
    outcome.unwrap_or_else(|_| Err(CaseOutcome::error("the case panicked")))
}

/// More requests than a case declares are a bug of the suite: the plan's estimate was wrong.
fn within_its_requests(case: &Case, excess: Option<u32>, outcome: CaseResult) -> CaseResult {
    match (excess, outcome) {
        (None, outcome) => outcome,
        (_, Err(ended)) if matches!(ended.verdict, Verdict::Fail | Verdict::Error) => Err(ended),
        (Some(sent), _) => Err(CaseOutcome::error(format!(
            "the case wanted {sent} requests and declares {}: a bug of the suite",
            case.requests
        ))),
    }
}

/// Returns true if a request may have changed something: it is no read, and was not rejected.
fn may_have_changed(exchange: &Exchange) -> bool {
    let is_read = [Method::GET, Method::HEAD].contains(&exchange.request.method);
    let is_rejected =
        exchange.response.as_ref().is_ok_and(|response| response.status.is_client_error());
    !is_read && !is_rejected
}

/// Describes what a case may change, as far as it is known before.
fn intent(case: &Case, deployment: &Deployment) -> String {
    let fixtures = case.fixtures.iter().map(|fixture| match fixture {
        Fixture::LinesToDetach => {
            format!("{fixture} (some of {})", deployment.fixtures.lines().join(" "))
        }
        _ => format!("{fixture} {}", deployment.fixtures.id(*fixture).unwrap_or_default()),
    });
    let hooks = case.hooks.iter().map(|hook| format!("hook {hook}"));
    let with: Vec<String> = fixtures.chain(hooks).collect();
    let with = with.join(", ");
    if case.changes == Changes::Irreversible {
        format!("changes irreversibly: {with}")
    } else {
        format!("changes and restores: {with}")
    }
}

fn undo(case: &Case) -> Undo {
    if case.changes == Changes::Restored && isolation::is_undone_by_originals(case) {
        Undo::ByOriginals
    } else {
        Undo::ByHand
    }
}

fn result(outcome: &CaseResult, remains: &[String]) -> String {
    let ended = match outcome {
        Ok(()) => "pass",
        Err(CaseOutcome { verdict: Verdict::Error, because }) => &because.what,
        Err(ended) => ended.verdict.name(),
    };
    if remains.is_empty() {
        ended.to_owned()
    } else {
        format!("{ended}; remains: {}", remains.join("; "))
    }
}

#[cfg(test)]
mod tests;
