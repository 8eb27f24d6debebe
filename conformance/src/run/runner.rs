//! The run itself: cases that change nothing side by side, then the others in two lanes, one after the other in each, then one by
//! one those that count.
//!
//! It refuses to let one case end another: whatever happens in it is its own verdict. And it begins none that the budget does
//! not hold, or whose changes the journal does not.

use std::{cell::RefCell, pin::pin, sync::Arc, time::Instant};

use futures_util::{FutureExt as _, StreamExt as _, stream};

use super::{case_report, deployment::Deployment, plan::Planned};
use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes},
    report::model::CaseReport,
    target::Feature,
};

/// Cases that run side by side.
const SIDE_BY_SIDE: usize = 8;

/// Who is told how the run goes on.
pub trait Progress {
    /// A case begins.
    fn began(&mut self, id: &str);
    /// A case has ended.
    fn ended(&mut self, report: &CaseReport);
}

/// Runs the planned cases; reports in their order.
pub async fn run_cases(
    deployment: &Arc<Deployment>,
    planned: &[Planned],
    progress: &mut dyn Progress,
) -> (Vec<CaseReport>, Vec<(String, String)>) {
    let mut reports: Vec<Option<CaseReport>> = planned.iter().map(|_| None).collect();
    let mut remains = Vec::new();
    // Many cases begin side by side; each tells it between two waits.
    let progress = &RefCell::new(progress);
    let lanes = Lanes::of(planned);
    let side_by_side = |indices: Vec<usize>, width| {
        stream::iter(indices)
            .map(move |index| async move {
                (index, run_case(deployment, &planned[index], progress).await)
            })
            .buffer_unordered(width)
    };
    let changing = stream::select(
        side_by_side(lanes.by_owner, 1),
        side_by_side(lanes.by_calls, 1),
    );
    let working = side_by_side(lanes.quiet, SIDE_BY_SIDE).chain(changing);
    let waiting = side_by_side(lanes.waiting, SIDE_BY_SIDE);
    let counting = side_by_side(lanes.counting, 1);
    let mut running = pin!(stream::select(waiting, working).chain(counting));
    while let Some((index, (report, stays))) = running.next().await {
        progress.borrow_mut().ended(&report);
        remains.extend(stays.into_iter().map(|what| (report.id.clone(), what)));
        reports[index] = Some(report);
    }
    deployment.intents.end_run();
    (reports.into_iter().flatten().collect(), remains)
}

/// The planned cases, by what may go on beside them.
#[derive(Default)]
struct Lanes {
    /// They wait for a link's or a minute's end, and others work meanwhile.
    waiting: Vec<usize>,
    /// They change nothing: side by side, before anything is changed.
    quiet: Vec<usize>,
    /// They have the deployment's owner change something, and wait for its programs: one after the other.
    by_owner: Vec<usize>,
    /// They change something by requests: one after the other, beside those.
    by_calls: Vec<usize>,
    /// They count what is spent: alone, when all others have ended.
    counting: Vec<usize>,
}

impl Lanes {
    fn of(planned: &[Planned]) -> Self {
        let mut lanes = Self::default();
        for (index, Planned { case, .. }) in planned.iter().enumerate() {
            let waits = case.waits_for_minute || case.features.contains(&Feature::ShortLinks);
            let lane = if case.exclusive {
                &mut lanes.counting
            } else if waits {
                &mut lanes.waiting
            } else if case.changes == Changes::Nothing {
                &mut lanes.quiet
            } else if case.hooks.is_empty() {
                &mut lanes.by_calls
            } else {
                &mut lanes.by_owner
            };
            lane.push(index);
        }
        lanes
    }
}

async fn run_case(
    deployment: &Arc<Deployment>,
    planned: &Planned,
    progress: &RefCell<&mut dyn Progress>,
) -> (CaseReport, Vec<String>) {
    let case = planned.case;
    let mut context = CaseContext::new(deployment, case);
    let share = if planned.missing.is_empty() {
        let sent = || deployment.client.requests();
        let share = deployment.budget.begin(case, sent).await;
        share.map_err(|used_up| vec![used_up])
    } else {
        Err(planned.missing.clone())
    };
    let begun = Instant::now();
    let (outcome, entry) = match &share {
        Err(missing) => (Err(CaseOutcome::Skipped(missing.clone())), None),
        Ok(_) => match deployment.intents.begin(case, deployment) {
            Err(stop) => (Err(stop), None),
            Ok(entry) => {
                progress.borrow_mut().began(case.id);
                (play(case, &mut context).await, entry)
            }
        },
    };
    let elapsed = begun.elapsed();
    let outcome = outcome.and_then(|()| context.judge_snapshots());
    let (exchanges, remains) = context.end();
    deployment.intents.end(entry, &outcome, &remains);
    drop(share);
    let report = case_report::of(deployment, case, outcome, exchanges, elapsed);
    (report, remains)
}

async fn play(case: &Case, context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let running = std::panic::AssertUnwindSafe((case.run)(context)).catch_unwind();
    let outcome = running.await;
    outcome.unwrap_or_else(|_| Err(CaseOutcome::Error("the case itself panicked".to_owned())))
}

#[cfg(test)]
mod tests;
