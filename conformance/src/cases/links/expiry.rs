//! The end of a link: it works before `expiresAt`, and not after it.
//!
//! It refuses to trust our clock: what is waited for is told by the deployment's own.

use std::time::{Duration, Instant};

use chrono::TimeDelta;

use super::link;
use crate::{
    case::{Scene, Stop},
    cases::money::{document::follow, instant, told_at},
    exchange::Answer,
};

/// The end of a link that lives longer is not waited for; so long it is looked whether it works.
const WAITED_FOR: TimeDelta = TimeDelta::seconds(12);
/// After the end of a link, so that a clock's second that has begun is over.
const MARGIN: TimeDelta = TimeDelta::milliseconds(1_500);
/// Before the end of a link: time enough for a slow way there.
const BEFORE_END: TimeDelta = TimeDelta::milliseconds(1_800);
/// What the deployment's clock, which tells whole seconds, may hide.
const SECOND: TimeDelta = TimeDelta::seconds(1);
/// Between two looks at a link that may have ended: its end is seen soon, and others need not wait for us.
const BETWEEN_LOOKS: Duration = Duration::from_millis(250);
/// The same where no end is near.
const BETWEEN_LOOKS_OF_LONG: Duration = Duration::from_secs(2);

/// A link that has expired, with the answer that it gives then; and that it worked, to its end nearly.
async fn outlived(scene: &mut Scene<'_>) -> Result<Answer, Stop> {
    let told = link(scene).await?;
    let begun = Instant::now();
    let ends = instant(&told, "/data/expiresAt")?;
    // By the deployment's clock: ours may go wrong. Its second may be nearly over, so this is too long rather than too short.
    let lasts = ends - told_at(&told);
    let address = told.text("/data/downloadUrl").to_owned();
    if lasts > WAITED_FOR {
        return Err(outlasts(scene, &address, begun, lasts).await?);
    }
    let at_first = follow(scene, &address).await?;
    works(&at_first, begun, lasts)?;
    let shortly_before = lasts - BEFORE_END - SECOND;
    if shortly_before > passed(begun) {
        wait_until(begun, shortly_before).await;
        let near_the_end = follow(scene, &address).await?;
        works(&near_the_end, begun, lasts)?;
    }
    wait_until(begun, lasts - SECOND).await;
    loop {
        let is_over = passed(begun) >= lasts + MARGIN;
        let answer = follow(scene, &address).await?;
        works(&answer, begun, lasts)?;
        if is_over || !answer.is_success() {
            return Ok(answer);
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
}

/// What keeps the case from its end where a link tells that it lives longer than is waited for. First the link has to outlast that
/// time: the deployment promises short links, and one that ends before its `expiresAt` may be one of them.
async fn outlasts(
    scene: &mut Scene<'_>,
    address: &str,
    begun: Instant,
    lasts: TimeDelta,
) -> Result<Stop, Stop> {
    while passed(begun) < WAITED_FOR {
        let answer = follow(scene, address).await?;
        works(&answer, begun, lasts)?;
        tokio::time::sleep(BETWEEN_LOOKS_OF_LONG).await;
    }
    Ok(Stop::missing(format!(
        "links that live {} seconds at most, as the feature short_links promises",
        WAITED_FOR.num_seconds()
    )))
}

fn passed(begun: Instant) -> TimeDelta {
    TimeDelta::from_std(begun.elapsed()).unwrap_or(TimeDelta::MAX)
}

async fn wait_until(begun: Instant, at: TimeDelta) {
    let rest = (at - passed(begun)).to_std().unwrap_or(Duration::ZERO);
    tokio::time::sleep(rest).await;
}

/// A link before its end works; where the answer came so late that it may have ended, nothing is said.
fn works(answer: &Answer, begun: Instant, lasts: TimeDelta) -> Result<(), Stop> {
    let may_have_ended = passed(begun) + SECOND >= lasts;
    answer.that(
        answer.status == 200 || may_have_ended,
        "The link does not work, and has not expired.",
        "200",
        &answer.status_line(),
    )?;
    Ok(())
}

pub(super) async fn expired(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let answer = outlived(scene).await?;
    answer.that(
        !answer.is_success(),
        "The link works after its expiresAt.",
        "no success",
        &answer.status_line(),
    )?;
    Ok(())
}

pub(super) async fn expired_code(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let answer = outlived(scene).await?;
    answer.is(403)?.has("/error/code", "LINK_EXPIRED")?;
    Ok(())
}
