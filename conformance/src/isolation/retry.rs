//! Retries of comparisons that another client may disturb: a change between two responses can make
//! a correct deployment fail once, while a fault of the deployment fails every try.

use std::time::{Duration, Instant};

use crate::{
    case::{CaseContext, CaseResult, ended},
    verdict::Verdict,
};

const TRIES: u32 = 3;
/// The longest rest between two tries.
const REST_LIMIT: Duration = Duration::from_secs(10);

/// Runs it again while it fails, a few times at most.
pub(crate) async fn retry(
    context: &mut CaseContext<'_>,
    check: impl AsyncFn(&mut CaseContext<'_>) -> CaseResult,
) -> CaseResult {
    let attempt = async |context: &mut CaseContext<'_>| attempted(context, &check).await;
    repeat(context, TRIES, Verdict::Fail, attempt).await
}

/// Runs it again while it ends with this verdict, each time after a rest.
pub(crate) async fn repeat<T>(
    context: &mut CaseContext<'_>,
    tries: u32,
    verdict: Verdict,
    attempt: impl AsyncFn(&mut CaseContext<'_>) -> CaseResult<T>,
) -> CaseResult<T> {
    let mut number = 1;
    loop {
        let begun = Instant::now();
        let outcome = attempt(context).await;
        if number == tries || !ended(&outcome, verdict) {
            return outcome;
        }
        rest(begun.elapsed(), number).await;
        number += 1;
    }
}

/// One try, with its snapshots.
pub(super) async fn attempted(
    context: &mut CaseContext<'_>,
    check: &impl AsyncFn(&mut CaseContext<'_>) -> CaseResult,
) -> CaseResult {
    context.begin_try();
    let outcome = check(context).await;
    outcome.and_then(|()| context.judge_snapshots())
}

/// Rests for a random part of the time that a try took, longer after each one, so that two runs in
/// step fall out of it.
pub(super) async fn rest(took: Duration, attempt: u32) {
    let longest = took.saturating_mul(1 << attempt.min(16)).min(REST_LIMIT);
    // Without randomness the rest is whole: it is only there to differ.
    let part = getrandom::u32().unwrap_or(u32::MAX) >> 16;
    let part = longest.saturating_mul(part) / (u32::from(u16::MAX) + 1);
    tokio::time::sleep(part).await;
}
