//! Metrics of what stops callers unless an operator acts in time: keys that expire, credits that
//! run out, keys of links that nobody has rotated. Each server counts for all of them.

use std::time::{Duration, Instant, UNIX_EPOCH};

use prometheus_client::metrics::{family::Family, gauge::Gauge};
use tokio::time::sleep;

use crate::{
    keyring::Keyring,
    keys::store::CountExpiring,
    organizations::store::CountCreditsUsed,
    postgres::Tenants,
    telemetry::{Metrics, Telemetry},
};

/// Valid keys that expire within so many days are counted.
const EXPIRING_DAYS: [i32; 2] = [7, 30];
/// Organisations that have used at least so many per cent of the month's credits are counted.
const CREDITS_USED_PERCENT: [i64; 2] = [80, 95];
/// The pause between two counts, at least.
const PAUSE: Duration = Duration::from_secs(60);
/// Counting reads both tables whole, which takes a second at a million organisations. So a pause is
/// at least so many times as long as the count before it.
const PAUSE_FACTOR: u32 = 99;

type Numbered<N> = [(&'static str, N); 1];

pub(crate) struct Forecast {
    tenants: Tenants,
    expiring_keys: Family<Numbered<i32>, Gauge>,
    credits_used: Family<Numbered<i64>, Gauge>,
}

impl Forecast {
    /// Counts until the server stops.
    pub(crate) fn start(tenants: Tenants, telemetry: &Telemetry) {
        let own =
            Self { tenants, expiring_keys: Family::default(), credits_used: Family::default() };
        own.set([0; 2], [0; 2]);
        let help = "Valid keys that expire within so many days, of all organisations";
        telemetry.metrics.register("keys_expiring", help, own.expiring_keys.clone());
        let help = "Organisations that have used so many per cent of this month's credits or more";
        telemetry.metrics.register("organizations_credits_used", help, own.credits_used.clone());
        tokio::spawn(own.run(telemetry.clone()));
    }

    async fn run(self, telemetry: Telemetry) {
        loop {
            let begun = Instant::now();
            if let Err(error) = self.count().await {
                tracing::warn!(%error, "expiring keys and used credits could not be counted");
            }
            tokio::select! {
                () = sleep(pause_after(begun.elapsed())) => {}
                () = telemetry.stopping.cancelled() => return,
            }
        }
    }

    async fn count(&self) -> Result<(), sqlx::Error> {
        let keys = self.tenants.run(&CountExpiring(EXPIRING_DAYS)).await?;
        let organizations = self.tenants.run(&CountCreditsUsed(CREDITS_USED_PERCENT)).await?;
        self.set(keys, organizations);
        Ok(())
    }

    fn set(&self, keys: [i64; 2], organizations: [i64; 2]) {
        for (days, count) in EXPIRING_DAYS.into_iter().zip(keys) {
            self.expiring_keys.get_or_create(&[("days", days)]).set(count);
        }
        for (percent, count) in CREDITS_USED_PERCENT.into_iter().zip(organizations) {
            self.credits_used.get_or_create(&[("percent", percent)]).set(count);
        }
    }
}

fn pause_after(count: Duration) -> Duration {
    PAUSE.max(count * PAUSE_FACTOR)
}

/// Shows when the file of the keys of links was last changed: they have no expiry of their own.
pub(crate) fn show_link_keys(keys: &Keyring, metrics: &Metrics) {
    let changed = keys.changed().and_then(|changed| changed.duration_since(UNIX_EPOCH).ok());
    let Some(changed) = changed else { return };
    let gauge: Gauge = Gauge::default();
    gauge.set(i64::try_from(changed.as_secs()).unwrap_or(i64::MAX));
    let help = "Last change of the file of link keys, in seconds since 1970";
    metrics.register("link_keys_changed_time_seconds", help, gauge);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_takes_at_most_a_hundredth_of_the_time() {
        assert_eq!(pause_after(Duration::from_millis(20)), PAUSE);
        let long = Duration::from_secs(2);
        assert_eq!(pause_after(long), Duration::from_secs(198));
    }
}
