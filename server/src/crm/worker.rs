//! Runs syncs: one task for each, as many as the server and the organisation may run at once. It
//! holds no connection to the database while it waits for a CRM.

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value};
use sqlx::Error as DatabaseError;
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore},
    time::{MissedTickBehavior, interval, sleep},
};
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::{
    hubspot::{ObjectRequest, ReadObject},
    metrics::SyncMetrics,
    model::{Failure, Job, Next, TRIES, next},
    options::SyncLimits,
    store,
    token::Purpose,
};
use crate::{keyring::Keyring, postgres::Tenants, telemetry::Telemetry};

/// Organisations that are looked at for one sync: another server may be faster at the first ones.
const LOOKED_AT: i64 = 16;
/// The class of SQLSTATEs of values that cannot be stored, such as U+0000 in a text.
const DATA_EXCEPTION: &str = "22";
/// How often what waits is counted.
const COUNTING: Duration = Duration::from_secs(15);

/// What the workers of a server share.
pub(crate) struct Worker<C> {
    pub(crate) tenants: Tenants,
    pub(crate) crm: C,
    /// `None`: no token can be opened.
    pub(crate) keys: Option<Keyring>,
    pub(crate) limits: SyncLimits,
    pub(crate) metrics: SyncMetrics,
    /// Told by requests of this server that something was queued.
    pub(crate) wake: Arc<Notify>,
}

impl<C: ReadObject> Worker<C> {
    /// Runs syncs until the server stops, which waits for those that run.
    pub(crate) fn start(self, telemetry: &Telemetry) {
        let worker = Arc::new(self);
        if worker.limits.all > 0 {
            tokio::spawn(Arc::clone(&worker).run(telemetry.clone()));
        }
        tokio::spawn(worker.count(telemetry.clone()));
    }

    async fn run(self: Arc<Self>, telemetry: Telemetry) {
        let permits = Arc::new(Semaphore::new(self.limits.all));
        loop {
            let permit = Arc::clone(&permits).acquire_owned().await;
            let permit = permit.expect("the semaphore is never closed");
            // Taken first, so that a server that stops waits for what is taken up now.
            let token = telemetry.detached_tasks.token();
            if telemetry.stopping.is_cancelled() {
                return;
            }
            match self.take().await {
                Ok(Some(job)) => {
                    tokio::spawn(Arc::clone(&self).run_one(job, permit, token));
                    continue;
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "no sync with a CRM could be taken up"),
            }
            drop((permit, token));
            tokio::select! {
                () = self.wake.notified() => {}
                () = sleep(self.limits.poll) => {}
                () = telemetry.stopping.cancelled() => return,
            }
        }
    }

    /// Takes up one sync of the first organisation that has one.
    async fn take(&self) -> Result<Option<Job>, DatabaseError> {
        let due = self.tenants.run(&store::ListDue { limit: LOOKED_AT }).await?;
        for organization in due {
            let mut transaction = self.tenants.write(&organization).await?;
            if !store::lock_queue(&mut transaction).await? {
                continue;
            }
            let per_organization = self.limits.per_organization;
            let job = store::take_sync(&mut transaction, per_organization).await?;
            let taken = i64::from(job.as_ref().is_some_and(|job| job.was_queued));
            store::requeue(&mut transaction, per_organization, taken).await?;
            transaction.commit().await?;
            if job.is_some() {
                return Ok(job);
            }
        }
        Ok(None)
    }

    async fn run_one(self: Arc<Self>, job: Job, permit: OwnedSemaphorePermit, _: TaskTrackerToken) {
        let running = self.metrics.running.enter();
        let result = self.read(&job).await;
        if let Err(error) = self.end(&job, result).await {
            // Its lease ends, and then another try begins.
            let (organization, request_id) = (job.organization_id.as_str(), &job.request_id);
            let sync = &job.id;
            tracing::error!(organization, request_id, sync, %error, "a sync's end was not stored");
        }
        drop((running, permit));
        self.wake.notify_one();
    }

    /// Reads the object of a sync from the CRM.
    async fn read(&self, job: &Job) -> Result<Map<String, Value>, Next> {
        let Some(connection) = &job.connection else {
            return Err(Next::Fail(Failure::NOT_CONNECTED));
        };
        if job.tries > TRIES {
            return Err(Next::Fail(Failure::INTERRUPTED));
        }
        let purpose = Purpose { organization: &job.organization_id, connection: &connection.id };
        let keys = self.keys.as_ref();
        let Some(token) = keys.and_then(|keys| connection.token.open(keys, purpose)) else {
            let (organization, request_id) = (job.organization_id.as_str(), &job.request_id);
            let key = &connection.token.key;
            tracing::error!(organization, request_id, key, "no key opens the token of the CRM");
            return Err(Next::Fail(Failure::NO_TOKEN));
        };
        let object = ObjectRequest {
            base_url: &connection.base_url,
            object_type: &connection.object_type,
            object_id: &job.object_id,
            properties: &connection.properties,
            token: &token,
        };
        let read = self.crm.read(object).await;
        self.metrics.count_try(read.as_ref().err());
        read.map_err(|error| next(&error, job.tries))
    }

    /// Writes what a try has read, unless its lease was over and another try has begun.
    async fn end(
        &self,
        job: &Job,
        result: Result<Map<String, Value>, Next>,
    ) -> Result<(), DatabaseError> {
        let next = match result {
            Err(next) => next,
            Ok(properties) => match self.replace(job, properties).await {
                Err(error) if is_data_exception(&error) => Next::Fail(Failure::NOT_STORED),
                ended => return ended,
            },
        };
        let mut transaction = self.tenants.write(&job.organization_id).await?;
        if store::lock_sync(&mut transaction, job).await?.is_none() {
            return Ok(());
        }
        match next {
            Next::Fail(failure) => {
                store::end_sync(&mut transaction, job, Err(failure)).await?;
            }
            Next::Again { pause_seconds, rests } => {
                store::pause_sync(&mut transaction, job, pause_seconds, rests).await?;
            }
        }
        store::requeue(&mut transaction, self.limits.per_organization, 0).await?;
        transaction.commit().await?;
        if let Next::Fail(failure) = next {
            self.metrics.count_end(Some(failure));
        }
        Ok(())
    }

    async fn replace(
        &self,
        job: &Job,
        properties: Map<String, Value>,
    ) -> Result<(), DatabaseError> {
        let mut transaction = self.tenants.write(&job.organization_id).await?;
        let Some(asked) = store::lock_sync(&mut transaction, job).await? else {
            return Ok(());
        };
        let replaced = store::replace_properties(&mut transaction, job, &asked, properties).await?;
        let failure = replaced.partner_id.is_none().then_some(Failure::NO_PARTNER);
        let result = failure.map_or(Ok(&replaced), Err);
        store::end_sync(&mut transaction, job, result).await?;
        store::requeue(&mut transaction, self.limits.per_organization, 0).await?;
        transaction.commit().await?;
        self.metrics.count_end(failure);
        Ok(())
    }

    /// Counts what waits, for the metrics.
    async fn count(self: Arc<Self>, telemetry: Telemetry) {
        let mut times = interval(COUNTING);
        times.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = times.tick() => {}
                () = telemetry.stopping.cancelled() => return,
            }
            match self.tenants.run(&store::CountQueued).await {
                Ok(waiting) => self.metrics.set_waiting(waiting.queued, waiting.oldest_seconds),
                Err(error) => tracing::warn!(%error, "waiting syncs could not be counted"),
            }
        }
    }
}

fn is_data_exception(error: &DatabaseError) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| code.starts_with(DATA_EXCEPTION))
}
