//! A payout whose last line is detached: nothing of it is left to be paid, or to be printed.
//!
//! It refuses a payout that others have emptied: what it was before is not known.

use super::{
    detached::{compare, spend},
    detaching, text,
};
use crate::{
    case::{Scene, Stop},
    cases::money::{account::Account, document::statement},
    target::Fixture,
};

pub(super) async fn last(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let id = scene.fixture(Fixture::PayoutToEmpty)?;
    let before = Account::of(scene, &id).await?;
    let line = match before.lines.as_slice() {
        [] => return Err(emptied()),
        [line] => line.clone(),
        _ => return Err(Stop::missing("a payout_to_empty with one line")),
    };
    // There is a document of it, which is wrong as soon as the line has left.
    let printed = scene.send(statement(scene, &id)?).await?;
    let detached = scene.send(detaching(scene, text(&line, "id"))?).await?;
    if detached.is_success() {
        spend(scene, &line);
    }
    let after = Account::of(scene, &id).await?;
    if detached.status == 422 && after.lines.is_empty() {
        return Err(emptied());
    }
    printed.is(200)?;
    detached.is(200)?;
    after.payout.has("/data/amount/value", "0.00")?;
    compare(&before, &after, &[line])?;
    let refused = scene.send(statement(scene, &id)?).await?;
    scene.is_error(&refused, 422, "NO_COMMISSION_LINES")
}

fn emptied() -> Stop {
    Stop::missing("the line of payout_to_empty (none is left)")
}
