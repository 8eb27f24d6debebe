//! Starts a server with a database of its own, and sends requests that read like the API. The
//! database's clock stands at noon of 15 June 2026 until a test moves it.

pub(crate) mod dataset;
mod exchange;
pub(crate) mod log;
mod operator;
mod server;
pub(crate) mod wire;

use std::{
    future::Future,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use payout_server::id::OrganizationId;

pub(crate) use self::{
    exchange::{TestRequest, TestResponse},
    server::{Handle, Key, Replica, TestServer},
};

/// The id of an organisation.
pub(crate) fn organization(id: &str) -> OrganizationId {
    OrganizationId::parse(id).unwrap()
}

/// The minute of the process's clock, by which requests without a key are limited.
pub(crate) fn current_minute() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() / 60
}

/// Far longer than any duration of these tests.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The result of a future that must complete within [`TIMEOUT`].
pub(crate) async fn within<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(TIMEOUT, what).await.expect("it happens in time")
}

/// Polls until a condition holds, at most for [`TIMEOUT`].
pub(crate) async fn until(mut holds: impl AsyncFnMut() -> bool) {
    let holds = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    within(holds).await;
}

/// The value of a metric, whose labels belong to its name.
pub(crate) fn counted(metrics: &str, name: &str) -> u64 {
    let mut lines = metrics.lines().filter_map(|line| line.rsplit_once(' '));
    let found = lines.find(|(other, _)| *other == name);
    let (_, value) = found.unwrap_or_else(|| panic!("no {name} in {metrics}"));
    value.parse().expect("a whole number")
}
