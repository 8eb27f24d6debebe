//! Generates a statement: links to the current PDF, or makes one in steps: intent, object, asset
//! (§4.7, S1, S5–S7). No lock and no connection is held while a page is rendered.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use tokio_util::task::TaskTracker;

use super::{
    assets::{
        self, Asset, Attempt, Outcome,
        store::{BeginRendering, FinishRendering, Rendering},
    },
    document::{FontSource, FontsError, Typesetter},
    document_input,
    fingerprint::Fingerprint,
    links::{DownloadUrls, LinkSigner, statement_filename},
    model::{Facts, Inputs},
    options::StatementOptions,
    render_queue::{QueueFull, RenderQueue},
    storage::{AssetKey, SignedUrl, Storage},
    store::{self, StatementsByPayout},
};
use crate::{
    batch_loader::BatchLoader, failure::Failure, gate::Caller, http::log_context, id::AssetId,
    organizations::Billing, telemetry::Telemetry, tenant::Tenants,
};

/// How often a PDF is made again whose intent was swept away meanwhile.
const ATTEMPTS: u32 = 3;

/// Generates statements, and links to them.
#[derive(Debug)]
pub struct Statements {
    storage: Storage,
    urls: DownloadUrls,
    typesetter: Arc<Typesetter>,
    states: BatchLoader<StatementsByPayout>,
    queue: RenderQueue,
    wait_limit: Duration,
    detached_tasks: TaskTracker,
}

/// The current PDF of a payout, and the database's time.
type Found = (Asset, DateTime<Utc>);

impl Statements {
    /// Looks up current PDFs in `states`, stores PDFs in `storage`, and links to them with `signer`
    /// where the storage signs no links.
    /// Renders that outlive their request are among the detached tasks of `telemetry`.
    ///
    /// # Errors
    /// The fonts cannot be used.
    pub(crate) fn new(
        options: &StatementOptions,
        storage: Storage,
        signer: LinkSigner,
        states: BatchLoader<StatementsByPayout>,
        telemetry: &Telemetry,
    ) -> Result<Self, FontsError> {
        let fonts = match &options.font_folder {
            Some(folder) => FontSource::Folder(folder.clone()),
            None => FontSource::System,
        };
        let lifetime_seconds = options.links.link_lifetime_seconds;
        Ok(Self {
            urls: DownloadUrls::new(storage.clone(), signer, lifetime_seconds),
            storage,
            typesetter: Arc::new(Typesetter::new(&fonts)?),
            states,
            queue: RenderQueue::new(options.render_limits(), telemetry.metrics.clone()),
            wait_limit: Duration::from_secs(options.statement_seconds),
            detached_tasks: telemetry.detached_tasks.clone(),
        })
    }

    /// The payout's current PDF, made if there is none, and a new link to it.
    ///
    /// # Errors
    /// In this order (S1): no such payout; no lines to print, or too many; billing information
    /// incomplete. Then: too many attempts wait, the statement took too long, the database or the
    /// storage is unavailable.
    pub(crate) async fn generate(
        self: &Arc<Self>,
        tenants: &Tenants,
        caller: &Caller,
        payout_id: &str,
    ) -> Result<(Asset, SignedUrl), Failure> {
        let state = self.states.get(caller.organization.clone(), payout_id).await?;
        let state = state.ok_or(Failure::NotFound("payout"))?;
        let (asset, now) = match state.current {
            Some(asset) => (asset, state.now),
            None => {
                caller.admitted().await?;
                let made = self.make_in_turn(tenants, caller, payout_id);
                // An attempt that has not begun by then is dropped.
                let made = tokio::time::timeout(self.wait_limit, made).await;
                made.unwrap_or(Err(Failure::TooLate(self.wait_limit)))?
            }
        };
        let link = self.urls.sign(&caller.organization, &asset, now).await?;
        Ok((asset, link))
    }

    /// Waits for a permit, then makes the PDF in a task that ends by itself: the next call finds
    /// its PDF even if this caller gives up.
    async fn make_in_turn(
        self: &Arc<Self>,
        tenants: &Tenants,
        caller: &Caller,
        payout_id: &str,
    ) -> Result<Found, Failure> {
        let permit = self.queue.permit(&caller.organization, payout_id).await?;
        let (statements, tenants) = (Arc::clone(self), tenants.clone());
        let (caller, payout_id) = (caller.clone(), payout_id.to_owned());
        let making = self.detached_tasks.spawn(log_context::kept(async move {
            // Held until the PDF is stored: it bounds what is held in memory as well.
            let _permit = permit;
            let job = Job {
                statements: &statements,
                tenants: &tenants,
                caller: &caller,
                payout_id: &payout_id,
            };
            job.run().await
        }));
        making.await.unwrap_or_else(|error| {
            Err(Failure::Internal(format!("making a statement failed: {error}")))
        })
    }
}

/// The work for one statement that holds a permit.
struct Job<'a> {
    statements: &'a Statements,
    tenants: &'a Tenants,
    caller: &'a Caller,
    payout_id: &'a str,
}

impl Job<'_> {
    async fn run(&self) -> Result<Found, Failure> {
        for _ in 0..ATTEMPTS {
            if let Some(found) = self.attempt().await? {
                return Ok(found);
            }
        }
        Err(Failure::Internal(format!(
            "{ATTEMPTS} attempts were swept away before they ended: \
             run `assets sweep` with a longer age"
        )))
    }

    /// One attempt; `None` where a sweep removed its intent.
    async fn attempt(&self) -> Result<Option<Found>, Failure> {
        let (organization, payout_id) = (&self.caller.organization, self.payout_id);
        let mut snapshot = self.tenants.snapshot(organization).await?;
        let facts = store::get_facts(&mut snapshot, payout_id).await?;
        let mut facts = facts.ok_or(Failure::NotFound("payout"))?;
        // The attempt before this one may have made it.
        if let Some(asset) = facts.state.current {
            return Ok(Some((asset, facts.state.now)));
        }
        if let Some(failure) = facts.obstacle() {
            return Err(failure);
        }
        facts.inputs.lines = store::list_lines(&mut snapshot, payout_id).await?;
        drop(snapshot);
        let Facts { revisions, billing, inputs, .. } = facts;
        let fingerprint = &Fingerprint::of(&inputs);
        let of = Rendering { organization, payout_id, fingerprint, revisions };
        self.make(of, billing, inputs).await
    }

    /// Makes a PDF, from its inputs to its asset, unless there is one.
    async fn make(
        &self,
        of: Rendering<'_>,
        billing: Billing,
        inputs: Inputs,
    ) -> Result<Option<Found>, Failure> {
        let asset_id = &AssetId::generate();
        let begin = BeginRendering { of, asset_id };
        if let Some(known) = self.tenants.run(&begin).await? {
            return Ok(Some(known));
        }
        let key = AssetKey::new(of.organization, asset_id);
        let filename = statement_filename(&inputs.partner_name, inputs.period_end);
        let pdf = self.render(billing, inputs).await?;
        let sha256: [u8; 32] = Sha256::digest(&pdf).into();
        let length = i64::try_from(pdf.len()).expect("a PDF fits into memory");
        self.statements.storage.put(&key, pdf).await?;

        let attempt = Attempt {
            asset_id,
            payout_id: self.payout_id,
            filename: &filename,
            length,
            sha256: &sha256,
            actor: &self.caller.key_id,
            request_id: Some(&self.caller.request_id),
        };
        let found = match self.tenants.run(&FinishRendering { of, attempt }).await? {
            Outcome::Made(now) => return Ok(Some((attempt.asset(false), now))),
            // Another server was first: its document is the current one.
            Outcome::Exists => self.tenants.run(&begin).await?,
            Outcome::Swept => None,
        };
        self.discard(&key).await;
        Ok(found)
    }

    /// On a thread of its own: a long statement must not delay other responses.
    async fn render(&self, billing: Billing, inputs: Inputs) -> Result<Bytes, Failure> {
        let statement = document_input::statement(self.payout_id, billing, inputs)?;
        let typesetter = Arc::clone(&self.statements.typesetter);
        let context = log_context::current();
        let render = move || log_context::within(context, || typesetter.typeset(&statement));
        let rendered = tokio::task::spawn_blocking(render).await;
        let rendered =
            rendered.map_err(|error| Failure::Internal(format!("rendering failed: {error}")))?;
        let pdf = rendered.map_err(|error| Failure::Internal(error.to_string()))?;
        Ok(pdf.into())
    }

    /// Removes the object of an attempt that came second. The sweep repeats what fails here.
    async fn discard(&self, key: &AssetKey) {
        let discarded = async {
            self.statements.storage.delete(key).await?;
            let mut transaction = self.tenants.write(&self.caller.organization).await?;
            assets::store::delete_intent(&mut transaction, key.attempt()).await?;
            transaction.commit().await?;
            Ok::<_, Failure>(())
        };
        if let Err(error) = discarded.await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, object = %key, "an object is left for `assets sweep`");
        }
    }
}

impl From<QueueFull> for Failure {
    fn from(_: QueueFull) -> Self {
        Self::QueueFull("statements")
    }
}
