//! Visits of links in batches: one statement finds the targets and records the clicks of all
//! organisations.

use std::{sync::Arc, time::Duration};

use super::store::{self, Visited};
use crate::postgres::{
    BatchReadError, Batcher, Connections, RESPONSE_TIME_LIMIT, Tenants, Worker, again_if_lost,
    in_time,
};

/// Concurrent batches. Each keeps a processor of the database busy, which the API needs too.
const WORKERS: usize = 1;
/// Time between two batches. A visitor who comes after none waits for nothing.
const PAUSE: Duration = Duration::from_millis(5);

/// A visitor of a link.
pub(super) struct Visit {
    pub(super) code: String,
    /// The id of its click; `None` where it is not recorded.
    pub(super) click_id: Option<String>,
}

pub(super) struct Clicks(Batcher<ClickWorker>);

impl Clicks {
    /// Starts the worker, which connects within `connect_limit`.
    pub(super) fn start(tenants: &Tenants, batch_size: usize, connect_limit: Duration) -> Self {
        let worker = || ClickWorker(tenants.writing_batch_connection(connect_limit));
        Self(Batcher::start(WORKERS, batch_size, worker))
    }

    /// Records the click, if there is one, and returns the link.
    pub(super) async fn visit(&self, visit: Visit) -> Result<Visited, BatchReadError> {
        Ok(self.0.submit(visit).await??)
    }
}

struct ClickWorker(Connections);

impl Worker for ClickWorker {
    type Item = Visit;
    type Output = Result<Visited, Arc<sqlx::Error>>;

    async fn process(&mut self, visits: Vec<Visit>) -> Vec<Self::Output> {
        // A click that was recorded is known by its id.
        match again_if_lost(|| self.record(&visits)).await {
            Ok(targets) => targets.into_iter().map(Ok).collect(),
            Err(error) => {
                let error = Arc::new(error);
                visits.iter().map(|_| Err(Arc::clone(&error))).collect()
            }
        }
    }

    /// Lets the next batch grow: each one occupies the disk and a processor, which the API needs.
    async fn after_batch(&mut self) {
        tokio::time::sleep(PAUSE).await;
    }
}

impl ClickWorker {
    async fn record(&self, visits: &[Visit]) -> Result<Vec<Visited>, sqlx::Error> {
        let record = async {
            let mut connection = self.0.get().await?;
            let targets = store::record_clicks(&mut connection, visits).await?;
            connection.put_back();
            Ok(targets)
        };
        in_time(RESPONSE_TIME_LIMIT, record).await
    }
}
