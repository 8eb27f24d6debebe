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
    case::{Scene, Stop},
    cases::money::{document::follow, instant, told_at},
    exchange::Answer,
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
    fn of(told: &Answer) -> Result<Self, Stop> {
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

    /// What it leads to. Before its end that is 200; where the answer came so late that it may have ended, nothing is said.
    async fn follow(&mut self, scene: &mut Scene<'_>) -> Result<Answer, Stop> {
        let answer = follow(scene, &self.address).await?;
        if let Some(at) = date(&answer) {
            self.clock = self.clock.max(at - self.passed());
        }
        let is_late = self.passed() + SECOND >= self.lasts;
        let is_dated_late = date(&answer).is_none_or(|at| at + SECOND + DATE_LAG > self.ends);
        answer.that(
            answer.status == 200 || (is_late && is_dated_late),
            "The link does not work, and has not expired.",
            "200",
            &answer.status_line(),
        )?;
        Ok(answer)
    }

    /// Whether it has ended for sure, so long after it began.
    fn is_over(&self, passed: TimeDelta) -> bool {
        self.clock + passed >= self.ends + MARGIN
    }
}

/// The date of an answer, if it has one.
fn date(answer: &Answer) -> Option<DateTime<Utc>> {
    answer.header("date").map(|_| told_at(answer))
}

/// A link whose end the clock's whole seconds tell of, where such an end is waited for.
async fn telling(scene: &mut Scene<'_>) -> Result<Ending, Stop> {
    let mut links = 1;
    loop {
        let ending = Ending::of(&link(scene).await?)?;
        let milliseconds = ending.ends.timestamp_subsec_millis();
        let is_telling = milliseconds == 0 || TELLING_MILLISECONDS.contains(&milliseconds);
        if is_telling || ending.lasts > WAITED_FOR || links == LINKS {
            return Ok(ending);
        }
        links += 1;
        tokio::time::sleep(BETWEEN_LINKS).await;
    }
}

/// A link that has expired, with the answer that it gives then; and that it worked, to its end nearly.
async fn outlived(scene: &mut Scene<'_>) -> Result<(String, Answer), Stop> {
    let mut ending = telling(scene).await?;
    if ending.lasts > WAITED_FOR {
        return Err(outlasts(scene, ending).await?);
    }
    ending.follow(scene).await?;
    ending.wait_until(ending.lasts - BEFORE_END).await;
    loop {
        let asked = ending.passed();
        let answer = ending.follow(scene).await?;
        if ending.is_over(asked) || !answer.is_success() {
            return Ok((ending.address, answer));
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
}

/// What keeps the case from its end where a link tells that it lives longer than is waited for. First the link has to outlast that
/// time: the deployment promises short links, and one that ends before its `expiresAt` may be one of them.
async fn outlasts(scene: &mut Scene<'_>, mut ending: Ending) -> Result<Stop, Stop> {
    while ending.passed() < WAITED_FOR {
        ending.follow(scene).await?;
        tokio::time::sleep(BETWEEN_LOOKS_OF_LONG).await;
    }
    Ok(Stop::missing(format!(
        "links that live {} seconds at most, as the feature short_links promises",
        WAITED_FOR.num_seconds()
    )))
}

pub(super) async fn expired(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let (_, answer) = outlived(scene).await?;
    answer.that(
        !answer.is_success(),
        "The link works after its expiresAt.",
        "no success",
        &answer.status_line(),
    )?;
    Ok(())
}

pub(super) async fn expired_code(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let (link, answer) = outlived(scene).await?;
    answer.is(403)?.has("/error/code", "LINK_EXPIRED")?;
    are_invalid(scene, &link).await
}
