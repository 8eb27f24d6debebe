//! The run itself: cases that change nothing side by side, the others one after the other.
//!
//! It refuses to let one case end another: whatever happens in it is its own verdict.

use std::{sync::Arc, time::Instant};

use futures_util::{FutureExt as _, StreamExt as _, stream};

use super::{deployment::Deployment, plan::Planned, tell};
use crate::{
    case::{Changes, Scene, Stop},
    report::model::CaseReport,
    target::Feature,
};

/// Cases that run side by side.
const SIDE_BY_SIDE: usize = 8;

/// Who is told how the run goes on.
pub trait Progress {
    /// A case has ended.
    fn ended(&mut self, report: &CaseReport);
}

/// Runs the planned cases; reports in their order.
pub async fn conduct(
    deployment: &Arc<Deployment>,
    planned: &[Planned],
    progress: &mut dyn Progress,
) -> (Vec<CaseReport>, Vec<(String, String)>) {
    let mut reports: Vec<Option<CaseReport>> = planned.iter().map(|_| None).collect();
    let mut remains = Vec::new();
    let (mut quiet, changing): (Vec<usize>, Vec<usize>) =
        (0..planned.len()).partition(|index| planned[*index].case.changes == Changes::Nothing);
    // Those that wait for a link's end begin first: they wait while others work.
    quiet.sort_by_key(|index| !planned[*index].case.features.contains(&Feature::ShortLinks));
    for (indices, width) in [(quiet, SIDE_BY_SIDE), (changing, 1)] {
        let mut running = stream::iter(indices)
            .map(|index| async move { (index, run_case(deployment, &planned[index]).await) })
            .buffer_unordered(width);
        while let Some((index, (report, stays))) = running.next().await {
            progress.ended(&report);
            remains.extend(stays.into_iter().map(|what| (report.id.clone(), what)));
            reports[index] = Some(report);
        }
    }
    (reports.into_iter().flatten().collect(), remains)
}

async fn run_case(deployment: &Arc<Deployment>, planned: &Planned) -> (CaseReport, Vec<String>) {
    let begun = Instant::now();
    let case = planned.case;
    let mut scene = Scene::new(deployment);
    let outcome = if planned.missing.is_empty() {
        let running = std::panic::AssertUnwindSafe((case.run)(&mut scene)).catch_unwind();
        running
            .await
            .unwrap_or_else(|_| Err(Stop::Error("the case itself panicked".to_owned())))
    } else {
        Err(Stop::Skipped(planned.missing.clone()))
    };
    let (exchanges, remains) = scene.end();
    let report = tell::case(deployment, case, outcome, exchanges, begun.elapsed());
    (report, remains)
}
