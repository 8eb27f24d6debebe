//! What PostgreSQL wrote, read and cleaned during a round, from its own statistics. These are up to
//! a second late, so they say little of rounds of a few seconds.

use super::{
    deployment::Deployment,
    stat::{Sample, Stat},
};
use crate::Result;

/// The fields of [`Activity`], in one text.
const QUERY: &str = "
SELECT concat_ws(' ', pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0'), wal_fpi,
                 (SELECT blks_read FROM pg_stat_database WHERE datname = current_database()),
                 autovacuum_count, n_dead_tup, pg_table_size(relid) / 1e6)
  FROM pg_stat_wal, pg_stat_user_tables WHERE relname = 'meters'";

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Activity {
    // Since the cluster was made.
    wal_bytes: f64,
    full_page_images: f64,
    blocks_read: f64,
    /// Of `meters`, as are the next two.
    autovacuums: f64,
    // At the moment.
    dead_rows: f64,
    megabytes: f64,
}

impl Activity {
    pub(crate) async fn of(deployment: &Deployment) -> Result<Self> {
        let text = deployment.query(QUERY.to_owned()).await?;
        parse(&text).ok_or_else(|| format!("PostgreSQL's statistics are `{text}`").into())
    }

    /// Adds to the sample of a round with so many responses what happened since `before`.
    pub(crate) fn record(self, before: Self, responses: usize, sample: &mut Sample) {
        let per_request = |field: fn(Self) -> f64| {
            (responses > 0).then(|| (field(self) - field(before)) / responses as f64)
        };
        sample.set(Stat::WalBytes, per_request(|it| it.wal_bytes));
        sample.set(Stat::FullPageImages, per_request(|it| it.full_page_images));
        sample.set(Stat::BlocksRead, per_request(|it| it.blocks_read));
        sample.set(Stat::Autovacuums, self.autovacuums - before.autovacuums);
        sample.set(Stat::DeadRows, self.dead_rows);
        sample.set(Stat::Megabytes, self.megabytes);
    }
}

fn parse(text: &str) -> Option<Activity> {
    let fields: Option<Vec<f64>> = text.split(' ').map(|field| field.parse().ok()).collect();
    let [wal_bytes, full_page_images, blocks_read, autovacuums, dead_rows, megabytes] =
        fields?.try_into().ok()?;
    Some(Activity { wal_bytes, full_page_images, blocks_read, autovacuums, dead_rows, megabytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_per_request_and_sizes_are_of_the_end() {
        let before = parse("1000 10 7 1 900 8.2").unwrap();
        let after = parse("5000 30 7 2 100 8.5").unwrap();
        let mut sample = Sample::default();
        after.record(before, 40, &mut sample);
        let stats = [
            (Stat::WalBytes, 100.0),
            (Stat::FullPageImages, 0.5),
            (Stat::BlocksRead, 0.0),
            (Stat::Autovacuums, 1.0),
            (Stat::DeadRows, 100.0),
            (Stat::Megabytes, 8.5),
        ];
        assert!(stats.iter().all(|(stat, value)| sample.get(*stat) == Some(*value)), "{sample:?}");
        after.record(before, 0, &mut sample);
        assert_eq!(sample.get(Stat::WalBytes), None);
    }

    #[test]
    fn missing_statistic_is_noticed() {
        assert_eq!(parse("1000 10 7 1 900"), None);
    }
}
