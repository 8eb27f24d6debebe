//! A payout whose last line is detached: its amount is 0.00, and it has no statement.

use super::{detached::compare, detaching, text};
use crate::cases::prelude::*;

/// A payout whose last line was detached has the amount 0.00 and no statement.
#[case("V4", on = detachCommissionLine, fixtures(PayoutToEmpty), changes = Irreversible,
       requests = 40)]
async fn amount_is_zero(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutToEmpty)?;
    let before = Account::of(context, &id).await?;
    let line = match before.lines.as_slice() {
        [] => return Err(emptied()),
        [line] => line.clone(),
        _ => return Err(CaseOutcome::missing("a payout_to_empty with one line")),
    };
    // Its document is wrong as soon as the line is detached.
    let printed = context.send(statement(context, &id)?).await?;
    let detached = context.send(detaching(context, text(&line, "id"))?).await?;
    let after = Account::of(context, &id).await?;
    if detached.status == 422 && after.lines.is_empty() {
        return Err(emptied());
    }
    printed.is(200)?;
    detached.is(200)?;
    after.payout.has("/data/amount/value", "0.00")?;
    compare(&before, &after, &[line])?;
    context.expect(statement(context, &id)?, NO_COMMISSION_LINES).await.map(drop)
}

fn emptied() -> CaseOutcome {
    CaseOutcome::missing("the line of payout_to_empty (none is left)")
}
