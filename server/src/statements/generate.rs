//! Generates a statement: links to the current PDF, or has it made, in turn, with as many at once
//! as the limits allow (§4.7).

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use payout_statement::FontsError;
use tokio_util::task::TaskTracker;

use super::{
    assets::Asset,
    links::{LinkSigner, LinkedAsset, content_disposition},
    making::{Found, Job, Maker},
    options::StatementOptions,
    render_queue::RenderQueue,
    storage::{SignedUrl, Storage, StorageError},
    store::StatementsByPayout,
};
use crate::{
    gate::Caller,
    id::OrganizationId,
    permits::QueueFull,
    postgres::{BatchLoader, Tenants},
    problem::Failure,
    telemetry::{Telemetry, log_context},
};

pub struct Statements {
    tenants: Tenants,
    storage: Storage,
    signer: LinkSigner,
    link_lifetime_seconds: u32,
    maker: Maker,
    states: BatchLoader<StatementsByPayout>,
    queue: RenderQueue,
    wait_limit: Duration,
    detached_tasks: TaskTracker,
}

impl Statements {
    /// Looks up current PDFs in `states`, stores PDFs in `storage`, and links to them with `signer`
    /// where the storage signs no links.
    /// Renders that outlive their request are among the detached tasks of `telemetry`.
    pub(crate) fn new(
        options: &StatementOptions,
        tenants: Tenants,
        storage: Storage,
        signer: LinkSigner,
        states: BatchLoader<StatementsByPayout>,
        telemetry: &Telemetry,
    ) -> Result<Self, FontsError> {
        Ok(Self {
            tenants,
            maker: Maker::new(storage.clone(), &options.fonts)?,
            storage,
            signer,
            link_lifetime_seconds: options.links.link_lifetime_seconds,
            states,
            queue: RenderQueue::new(options.render_limits(), telemetry.metrics.clone()),
            wait_limit: Duration::from_secs(options.statement_seconds),
            detached_tasks: telemetry.detached_tasks.clone(),
        })
    }

    /// Returns the payout's current PDF, made if there is none, and a new link to it.
    ///
    /// # Errors
    /// The first that applies (S1): no such payout; no lines to print, or too many; billing
    /// information incomplete. Then: too many attempts wait, the statement took too long, the
    /// database or the storage is unavailable.
    pub(crate) async fn generate(
        self: &Arc<Self>,
        caller: &Caller,
        payout_id: &str,
    ) -> Result<(Asset, SignedUrl), Failure> {
        let state = self.states.get(caller.organization.clone(), payout_id).await?;
        let state = state.ok_or(Failure::NotFound("payout"))?;
        let (asset, now) = match state.current {
            Some(asset) if !asset.is_damaged => (asset, state.now),
            _ => {
                caller.admitted().await?;
                let made = self.make_in_turn(caller, payout_id);
                // An attempt that has not begun by then is dropped.
                let made = tokio::time::timeout(self.wait_limit, made).await;
                made.unwrap_or(Err(Failure::too_late(self.wait_limit)))?
            }
        };
        let link = self.link(&caller.organization, &asset, now).await?;
        Ok((asset, link))
    }

    /// Makes a new link to `asset` (S9): the store's where it signs any, else ours. Our lifetime
    /// begins at `now`, the database's time; the store's at the time of its client.
    async fn link(
        &self,
        organization: &OrganizationId,
        asset: &Asset,
        now: DateTime<Utc>,
    ) -> Result<SignedUrl, StorageError> {
        let key = asset.key(organization);
        let disposition = content_disposition(&asset.filename);
        let signed = self.storage.link(&key, &disposition, self.link_lifetime_seconds).await?;
        if let Some(signed) = signed {
            return Ok(signed);
        }
        let expires_at = now + TimeDelta::seconds(self.link_lifetime_seconds.into());
        let linked = LinkedAsset {
            organization: organization.as_str().to_owned(),
            asset: asset.id.to_string(),
            sha256: asset.sha256,
            filename: asset.filename.clone(),
        };
        Ok(SignedUrl { url: self.signer.sign(&linked, expires_at), expires_at })
    }

    /// Waits for a permit, then makes the PDF in a task that ends by itself: the next call finds
    /// its PDF even if this caller gives up.
    async fn make_in_turn(
        self: &Arc<Self>,
        caller: &Caller,
        payout_id: &str,
    ) -> Result<Found, Failure> {
        let permit = self.queue.permit(&caller.organization, payout_id).await;
        let permit = permit.map_err(|QueueFull| Failure::queue_full("statements"))?;
        let statements = Arc::clone(self);
        let (caller, payout_id) = (caller.clone(), payout_id.to_owned());
        let making = self.detached_tasks.spawn(log_context::kept(async move {
            // Held until the PDF is stored: it bounds what is held in memory as well.
            let _permit = permit;
            let job = Job {
                maker: &statements.maker,
                tenants: &statements.tenants,
                organization: &caller.organization,
                payout_id: &payout_id,
                actor: &caller.key_id,
                request_id: Some(&caller.request_id),
            };
            job.current().await
        }));
        making.await.unwrap_or_else(|error| {
            Err(Failure::Internal(format!("making a statement failed: {error}")))
        })
    }
}
