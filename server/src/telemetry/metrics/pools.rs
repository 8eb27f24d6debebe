//! The pools of connections to the database, as they are at a scrape.

use std::fmt;

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{MetricType, gauge::ConstGauge},
};

use crate::postgres::Connections;

/// Pools with the names of their users.
#[derive(Debug)]
pub(crate) struct Pools(pub(crate) [(&'static str, Connections); 6]);

impl Collector for Pools {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let pools = self.0.each_ref().map(|(name, pool)| (*name, pool.status()));
        let (name, help) = ("payout_database_connections", "Connections to the database, by pool");
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (pool, status) in &pools {
            for (state, count) in [("in_use", status.used), ("idle", status.idle)] {
                let labels = [("pool", *pool), ("state", state)];
                gauge(count).encode(family.encode_family(&labels)?)?;
            }
        }
        let help = "Requests that wait for a connection to the database, by pool";
        let name = "payout_database_connections_waiting";
        let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (pool, status) in &pools {
            gauge(status.waiting).encode(family.encode_family(&[("pool", *pool)])?)?;
        }
        Ok(())
    }
}

fn gauge(count: usize) -> ConstGauge<i64> {
    ConstGauge::new(i64::try_from(count).unwrap_or(i64::MAX))
}
