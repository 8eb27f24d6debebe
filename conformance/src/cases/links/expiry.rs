//! The end of a link: it works before `expiresAt`, and not after it.
//!
//! It refuses to trust our clock: what is waited for is told by the deployment's own.

use std::{
    ops::RangeInclusive,
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta, Utc};

use super::{are_invalid, link};
use crate::{
    case::{CaseContext, CaseOutcome},
    cases::money::{document::follow, instant, told_at},
    exchange::Response,
};

/// The end of a link that lives longer is not waited for; so long it is looked whether it works.
const WAITED_FOR: TimeDelta = TimeDelta::seconds(12);
/// What two clocks may differ by within seconds.
const MARGIN: TimeDelta = TimeDelta::milliseconds(100);
/// What ours may differ from a deployment's that tells no date.
const CLOCKS: TimeDelta = TimeDelta::milliseconds(1_500);
/// Before the end of a link: time enough to see one that ends a second too early, and for a slow way there.
const BEFORE_END: TimeDelta = TimeDelta::milliseconds(2_500);
/// What the deployment's clock, which tells whole seconds, may hide.
const SECOND: TimeDelta = TimeDelta::seconds(1);
/// What a server may be late with the date that it writes.
const DATE_LAG: TimeDelta = TimeDelta::milliseconds(200);
/// Between two looks at a link that may have ended: of a second before or after its end several fall into one of the clock's.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
/// The same where no end is near.
const BETWEEN_LOOKS_OF_LONG: Duration = Duration::from_secs(2);
/// Milliseconds of a second in which a link had best end: then whole seconds tell of one that ends a second too early or too late.
const TELLING_MILLISECONDS: RangeInclusive<u32> = 300..=800;
/// Links that are asked for to have one that ends there, and the time between two.
const LINKS: usize = 12;
const BETWEEN_LINKS: Duration = Duration::from_millis(100);

/// A link and its end.
struct Ending {
    address: String,
    begun: Instant,
    /// From then on, by the deployment's clock: ours may go wrong. Its second may have been nearly over, so this is too long
    /// rather than too short.
    lasts: TimeDelta,
    ends: DateTime<Utc>,
    /// What that clock showed when it began, at least: of all dates that were told since, the one that says most.
    clock: DateTime<Utc>,
}

impl Ending {
    fn of(told: &Response) -> Result<Self, CaseOutcome> {
        let ends = instant(told, "/data/expiresAt")?;
        Ok(Self {
            address: told.text("/data/downloadUrl").to_owned(),
            begun: Instant::now(),
            lasts: ends - told_at(told),
            ends,
            clock: date(told).unwrap_or_else(|| Utc::now() - CLOCKS),
        })
    }

    fn passed(&self) -> TimeDelta {
        TimeDelta::from_std(self.begun.elapsed()).unwrap_or(TimeDelta::MAX)
    }

    async fn wait_until(&self, at: TimeDelta) {
        let rest = (at - self.passed()).to_std().unwrap_or(Duration::ZERO);
        tokio::time::sleep(rest).await;
    }

    /// What it leads to. Before its end that is 200; where the response came so late that it may have ended, nothing is said.
    async fn follow(&mut self, context: &mut CaseContext<'_>) -> Result<Response, CaseOutcome> {
        let response = follow(context, &self.address).await?;
        if let Some(at) = date(&response) {
            self.clock = self.clock.max(at - self.passed());
        }
        let is_late = self.passed() + SECOND >= self.lasts;
        let is_dated_late = date(&response).is_none_or(|at| at + SECOND + DATE_LAG > self.ends);
        response.that(
            response.status == 200 || (is_late && is_dated_late),
            "The link does not work, and has not expired.",
            "200",
            &response.status_line(),
        )?;
        Ok(response)
    }

    /// Whether it has ended for sure, so long after it began.
    fn is_over(&self, passed: TimeDelta) -> bool {
        self.clock + passed >= self.ends + MARGIN
    }
}

/// The date of an response, if it has one.
fn date(response: &Response) -> Option<DateTime<Utc>> {
    response.header("date").map(|_| told_at(response))
}

/// A link whose end the clock's whole seconds tell of, where such an end is waited for.
async fn telling(context: &mut CaseContext<'_>) -> Result<Ending, CaseOutcome> {
    let mut links = 1;
    loop {
        let ending = Ending::of(&link(context).await?)?;
        let milliseconds = ending.ends.timestamp_subsec_millis();
        let is_telling = milliseconds == 0 || TELLING_MILLISECONDS.contains(&milliseconds);
        if is_telling || ending.lasts > WAITED_FOR || links == LINKS {
            return Ok(ending);
        }
        links += 1;
        tokio::time::sleep(BETWEEN_LINKS).await;
    }
}

/// A link that has expired, with the response that it gives then; and that it worked, to its end nearly.
async fn outlived(context: &mut CaseContext<'_>) -> Result<(String, Response), CaseOutcome> {
    let mut ending = telling(context).await?;
    if ending.lasts > WAITED_FOR {
        return Err(outlasts(context, ending).await?);
    }
    ending.follow(context).await?;
    ending.wait_until(ending.lasts - BEFORE_END).await;
    loop {
        let asked = ending.passed();
        let response = ending.follow(context).await?;
        if ending.is_over(asked) || !response.is_success() {
            return Ok((ending.address, response));
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
}

/// What keeps the case from its end where a link tells that it lives longer than is waited for. First the link has to outlast that
/// time: the deployment promises short links, and one that ends before its `expiresAt` may be one of them.
async fn outlasts(
    context: &mut CaseContext<'_>,
    mut ending: Ending,
) -> Result<CaseOutcome, CaseOutcome> {
    while ending.passed() < WAITED_FOR {
        ending.follow(context).await?;
        tokio::time::sleep(BETWEEN_LOOKS_OF_LONG).await;
    }
    Ok(CaseOutcome::missing(format!(
        "links that live {} seconds at most, as the feature short_links promises",
        WAITED_FOR.num_seconds()
    )))
}

pub(super) async fn expired(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let (_, response) = outlived(context).await?;
    response.that(
        !response.is_success(),
        "The link works after its expiresAt.",
        "no success",
        &response.status_line(),
    )?;
    Ok(())
}

pub(super) async fn expired_code(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let (link, response) = outlived(context).await?;
    response.is(403)?.has("/error/code", "LINK_EXPIRED")?;
    are_invalid(context, &link).await
}
