//! What others may disturb: a case that compares several responses is tried again where it failed, for someone else may have changed
//! the same thing in between. A fault of the deployment fails each try.
//!
//! It refuses to try again what is no failure, or without an end.

use std::time::{Duration, Instant};

use crate::case::{CaseContext, CaseOutcome, Running};

/// Tries of a comparison at most.
const TRIES: u32 = 3;
/// The longest rest between two tries.
const REST_LIMIT: Duration = Duration::from_secs(10);

/// Part of a case that may be done again.
pub(super) type Check = for<'context> fn(&'context mut CaseContext<'_>) -> Running<'context>;

/// Does it until it does not fail, a few times at most.
pub(super) async fn steadily(
    context: &mut CaseContext<'_>,
    check: Check,
) -> Result<(), CaseOutcome> {
    let mut attempt = 0;
    loop {
        let begun = Instant::now();
        context.begin_snapshots();
        let outcome = check(context).await;
        let outcome = outcome.and_then(|()| context.judge_snapshots());
        attempt += 1;
        if attempt >= TRIES || !matches!(outcome, Err(CaseOutcome::Failed(_))) {
            return outcome;
        }
        rest(begun.elapsed(), attempt).await;
    }
}

/// Rests for a random part of the time that a try took, longer after each one: two runs in step fall out of it.
pub(super) async fn rest(took: Duration, attempt: u32) {
    let longest = took.saturating_mul(1 << attempt.min(16)).min(REST_LIMIT);
    // Without randomness the rest is whole: it is only there to differ.
    let part = getrandom::u32().unwrap_or(u32::MAX) >> 16;
    let part = longest.saturating_mul(part) / (u32::from(u16::MAX) + 1);
    tokio::time::sleep(part).await;
}

/// `steady!(name)`: the async function `name(&mut CaseContext)` as a case's `run`, tried again where it fails.
macro_rules! steady {
    ($name:ident) => {
        |context| {
            Box::pin($crate::cases::steady::steadily(context, |context| {
                Box::pin($name(context))
            }))
        }
    };
    ($name:ident, $list:expr) => {
        |context| {
            Box::pin($crate::cases::steady::steadily(context, |context| {
                Box::pin($name(context, $list))
            }))
        }
    };
}
pub(super) use steady;
