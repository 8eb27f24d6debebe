//! The faults of a detach that one conditional statement makes impossible: the line is read before, and written after.
//!
//! It refuses to touch what the active mutant does not break.

use std::time::Duration;

use super::{Mutant, is};
use crate::{
    app::App,
    commission_lines::{model::CommissionLine, store},
    failure::Failure,
    gate::Caller,
    tenant::TenantTransaction,
};

/// Between reading and writing: two requests that come together have both read by then.
const PAUSE: Duration = Duration::from_millis(100);

/// The line before it is detached, where the active mutant asks for it.
pub(crate) async fn before(
    app: &App,
    caller: &Caller,
    id: &str,
) -> Result<Option<CommissionLine>, Failure> {
    let is_raced = is(Mutant::ConcurrentDetachesSucceed);
    if !is_raced && !is(Mutant::PayoutIdKept) && !is(Mutant::PayoutAmountKept) {
        return Ok(None);
    }
    let mut transaction = app.tenants.read(&caller.organization).await?;
    let line = store::get_commission_line(&mut transaction, id).await?;
    drop(transaction);
    if is_raced {
        tokio::time::sleep(PAUSE).await;
    }
    Ok(line)
}

/// Whether a line that was found in no payout is answered 200.
pub(crate) fn is_detached_again(before: Option<&CommissionLine>) -> bool {
    let was_attached = before.is_some_and(|line| line.payout_id.is_some());
    is(Mutant::DetachOfUnattached200) || is(Mutant::ConcurrentDetachesSucceed) && was_attached
}

/// The line to answer, where the server has `detached` this one.
pub(crate) async fn after(
    transaction: &mut TenantTransaction,
    before: Option<CommissionLine>,
    mut detached: CommissionLine,
) -> Result<CommissionLine, Failure> {
    let former = before.and_then(|line| line.payout_id);
    if is(Mutant::PayoutIdKept) {
        detached.payout_id = former;
    } else if is(Mutant::PayoutAmountKept)
        && let Some(payout_id) = former
    {
        store::raise_payout_amount(transaction, &payout_id, detached.amount).await?;
    }
    Ok(detached)
}
