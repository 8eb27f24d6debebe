//! Expiry of a link: it works before `expiresAt` and not after it, by the deployment's own clock.

use std::{
    ops::RangeInclusive,
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta, Utc};

use super::{are_invalid, link};
use crate::cases::prelude::*;

/// A longer lifetime is not waited for; the link must work for this long.
const WAITED_FOR: TimeDelta = TimeDelta::seconds(12);
/// Difference of two clocks within seconds.
const MARGIN: TimeDelta = TimeDelta::milliseconds(100);
/// Difference of our clock from that of a deployment that sends no date.
const CLOCKS: TimeDelta = TimeDelta::milliseconds(1_500);
/// Time before the expiry: enough to see a link that expires a second too early, over a slow
/// network.
const BEFORE_END: TimeDelta = TimeDelta::milliseconds(2_500);
/// Precision of the deployment's clock.
const SECOND: TimeDelta = TimeDelta::seconds(1);
/// Delay of the date that a server writes.
const DATE_LAG: TimeDelta = TimeDelta::milliseconds(200);
/// Between two tries of a link that may have expired: several per second of the clock.
const BETWEEN_TRIES: Duration = Duration::from_millis(100);
/// The pause between two tries far from the expiry.
const BETWEEN_TRIES_OF_LONG: Duration = Duration::from_secs(2);
/// Milliseconds of a second in which a link should expire: then whole seconds show an expiry that
/// is a second too early or too late.
const MEASURABLE_MILLISECONDS: RangeInclusive<u32> = 300..=800;
/// Links that are requested to get one that expires there, and the time between two.
const LINKS: usize = 12;
const BETWEEN_LINKS: Duration = Duration::from_millis(100);

struct Ending {
    address: String,
    begun: Instant,
    /// How long the response with the link took: its date may be so much older than `begun`.
    took: TimeDelta,
    /// Its lifetime by the deployment's clock, whose second may have been nearly over: rather too
    /// long than too short.
    lasts: TimeDelta,
    ends: DateTime<Utc>,
    /// The least that the deployment's clock showed at the beginning, by the dates of all responses
    /// since.
    clock: DateTime<Utc>,
}

impl Ending {
    fn of(response: &Response) -> CaseResult<Self> {
        let ends = instant(response, "/data/expiresAt")?;
        Ok(Self {
            address: response.text("/data/downloadUrl").to_owned(),
            begun: Instant::now(),
            took: TimeDelta::from_std(response.elapsed).unwrap_or_default(),
            lasts: ends - response.responded_at(),
            ends,
            clock: date(response).unwrap_or_else(|| Utc::now() - CLOCKS),
        })
    }

    fn passed(&self) -> TimeDelta {
        TimeDelta::from_std(self.begun.elapsed()).unwrap_or(TimeDelta::MAX)
    }

    async fn wait_until(&self, at: TimeDelta) {
        let rest = (at - self.passed()).to_std().unwrap_or(Duration::ZERO);
        tokio::time::sleep(rest).await;
    }

    /// Follows the link. Before its expiry it must work; a response that is so late that the link
    /// may have expired proves nothing.
    async fn follow(&mut self, context: &mut CaseContext<'_>) -> CaseResult<Response> {
        let response = follow(context, &self.address).await?;
        if let Some(at) = date(&response) {
            self.clock = self.clock.max(at - self.passed());
        }
        let is_late = self.took + self.passed() + SECOND >= self.lasts;
        let is_dated_late = date(&response).is_none_or(|at| at + SECOND + DATE_LAG > self.ends);
        response.that(
            response.status == 200 || (is_late && is_dated_late),
            "The link does not work although it has not expired.",
            "200",
            &response.status_line(),
        )?;
        Ok(response)
    }

    /// Returns true if the link has certainly expired this long after the beginning.
    fn is_over(&self, passed: TimeDelta) -> bool {
        self.clock + passed >= self.ends + MARGIN
    }
}

fn date(response: &Response) -> Option<DateTime<Utc>> {
    response.header("date").map(|_| response.responded_at())
}

/// A link with an expiry that whole seconds show, where the expiry is waited for.
async fn measurable_link(context: &mut CaseContext<'_>) -> CaseResult<Ending> {
    let mut links = 1;
    loop {
        let ending = Ending::of(&link(context).await?)?;
        let milliseconds = ending.ends.timestamp_subsec_millis();
        let is_measurable = milliseconds == 0 || MEASURABLE_MILLISECONDS.contains(&milliseconds);
        if is_measurable || ending.lasts > WAITED_FOR || links == LINKS {
            return Ok(ending);
        }
        links += 1;
        tokio::time::sleep(BETWEEN_LINKS).await;
    }
}

/// An expired link with its response, after it worked until shortly before its expiry.
async fn expired_link(context: &mut CaseContext<'_>) -> CaseResult<(String, Response)> {
    let mut ending = measurable_link(context).await?;
    if ending.lasts > WAITED_FOR {
        return Err(outlasts(context, ending).await?);
    }
    ending.follow(context).await?;
    ending.wait_until(ending.lasts - BEFORE_END).await;
    loop {
        let sent = ending.passed();
        let response = ending.follow(context).await?;
        if ending.is_over(sent) || !response.is_success() {
            return Ok((ending.address, response));
        }
        tokio::time::sleep(BETWEEN_TRIES).await;
    }
}

/// Why a case ends whose link lives longer than is waited for. The link must work that long first:
/// the deployment promises short links, and one that stops before its `expiresAt` may be one of
/// them.
async fn outlasts(context: &mut CaseContext<'_>, mut ending: Ending) -> CaseResult<CaseOutcome> {
    while ending.passed() < WAITED_FOR {
        ending.follow(context).await?;
        tokio::time::sleep(BETWEEN_TRIES_OF_LONG).await;
    }
    Ok(CaseOutcome::missing(format!(
        "links that live at most {} seconds, as the feature short_links promises",
        WAITED_FOR.num_seconds()
    )))
}

/// A link works until expiresAt, and not after it.
#[case("§2.4.expiresAt", on = generateStatement, fixtures(PayoutUploaded), features(ShortLinks),
       requests = 60)]
async fn expired(context: &mut CaseContext<'_>) -> CaseResult {
    let (_, response) = expired_link(context).await?;
    response.is_refused("The link works after its expiresAt.")
}

/// An expired link is 403 LINK_EXPIRED, and one that was also changed is LINK_INVALID.
#[case("S9", on = generateStatement, fixtures(PayoutUploaded), features(LinksLocal, ShortLinks),
       requests = 120)]
async fn expired_code(context: &mut CaseContext<'_>) -> CaseResult {
    let (link, response) = expired_link(context).await?;
    response.is(403)?.has("/error/code", "LINK_EXPIRED")?;
    are_invalid(context, &link).await
}
