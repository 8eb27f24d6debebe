//! Generating a statement, in steps: found → signed; else one render for each payout and process, an intent, the object, the
//! asset (§4.7, S1, S5–S7).
//!
//! It refuses to hold a lock or a connection of the database while a page is rendered, and an asset whose object is not whole.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use tokio_util::task::TaskTracker;

use super::{
    assets::{self, Asset, Attempt, Outcome},
    document::{FontSource, FontsError, Typesetter},
    fingerprint::Fingerprint,
    links::{DownloadLink, Linker, Links, statement_filename},
    model::{Inputs, LINES_LIMIT, Revisions},
    options::StatementOptions,
    printed,
    render_queue::{QueueFull, RenderQueue},
    storage::{AssetKey, Storage},
    store,
};
use crate::{
    failure::Failure,
    gate::Caller,
    id::Kind,
    organizations::{self, Billing},
    tenant::{TenantTransaction, Tenants},
};

/// How often an attempt that a sweeper took for left behind is made again.
const ATTEMPTS: u32 = 3;

/// What handlers need of statements: to generate one, and to link to it.
#[derive(Debug)]
pub struct Statements {
    generator: Arc<Generator>,
    linker: Linker,
}

impl Statements {
    /// As the flags say; PDFs are kept in `storage`, and linked to by `links` where the storage signs none.
    /// What has begun goes on among `begun`, whoever stops waiting for it.
    ///
    /// # Errors
    /// The fonts cannot be used.
    pub fn new(
        options: &StatementOptions,
        storage: Storage,
        links: Links,
        begun: TaskTracker,
    ) -> Result<Self, FontsError> {
        let fonts = match &options.font_folder {
            Some(folder) => FontSource::Folder(folder.clone()),
            None => FontSource::System,
        };
        let generator = Generator {
            storage: storage.clone(),
            typesetter: Arc::new(Typesetter::new(&fonts)?),
            renders: RenderQueue::new(options.render_limits()),
            patience: Duration::from_secs(options.statement_seconds),
            begun,
        };
        Ok(Self {
            generator: Arc::new(generator),
            linker: Linker::new(storage, links, options.links.link_lifetime_seconds),
        })
    }

    /// The PDF that holds for the payout, and a new link to it.
    ///
    /// # Errors
    /// In this order (S1): no such payout; no lines to print, or too many; billing information incomplete. The database or
    /// the storage is away; the statement took too long.
    pub async fn generate(
        &self,
        tenants: &Tenants,
        caller: &Caller,
        payout_id: &str,
    ) -> Result<(Asset, DownloadLink), Failure> {
        let (asset, now) = self.generator.generate(tenants, caller, payout_id).await?;
        let link = self.linker.link(&caller.organization, &asset, now).await?;
        Ok((asset, link))
    }
}

/// What generating needs beside the database.
#[derive(Debug)]
struct Generator {
    storage: Storage,
    typesetter: Arc<Typesetter>,
    renders: RenderQueue,
    patience: Duration,
    begun: TaskTracker,
}

/// The PDF that holds for a payout, at this time of the database.
type Found = (Asset, DateTime<Utc>);

impl Generator {
    /// The PDF that holds for the payout: the one that is known, or a new one.
    async fn generate(
        self: &Arc<Self>,
        tenants: &Tenants,
        caller: &Caller,
        payout_id: &str,
    ) -> Result<Found, Failure> {
        let mut transaction = tenants.read(&caller.organization).await?;
        if let Holding::Found(found) = holding(&mut transaction, payout_id).await? {
            return Ok(found);
        }
        drop(transaction);
        let made = async {
            let permit = self.renders.permit(&caller.organization, payout_id).await?;
            // From here on it is finished even if this caller gives up: the next call finds it.
            let (generator, tenants) = (Arc::clone(self), tenants.clone());
            let (caller, payout_id) = (caller.clone(), payout_id.to_owned());
            let making = self.begun.spawn(async move {
                // Held until the PDF is stored: it bounds what is held in memory as well.
                let _permit = permit;
                generator.make(&tenants, &caller, &payout_id).await
            });
            making.await.unwrap_or_else(|error| {
                Err(Failure::Internal(format!("generating broke off: {error}")))
            })
        };
        // An attempt that has not begun by then is dropped.
        let made = tokio::time::timeout(self.patience, made).await;
        made.unwrap_or(Err(Failure::TooLate(self.patience)))
    }

    /// An attempt that waited finds what the one before it has made, and reads no lines either.
    async fn make(
        &self,
        tenants: &Tenants,
        caller: &Caller,
        payout_id: &str,
    ) -> Result<Found, Failure> {
        for _ in 0..ATTEMPTS {
            if let Some(found) = self.attempt(tenants, caller, payout_id).await? {
                return Ok(found);
            }
        }
        Err(Failure::Internal(format!(
            "{ATTEMPTS} attempts were swept away before they ended: `assets sweep` runs with too short an age"
        )))
    }

    /// One attempt; `None` where a sweeper took it for left behind.
    async fn attempt(
        &self,
        tenants: &Tenants,
        caller: &Caller,
        payout_id: &str,
    ) -> Result<Option<Found>, Failure> {
        let mut snapshot = tenants.snapshot(&caller.organization).await?;
        let (revisions, billing) = match holding(&mut snapshot, payout_id).await? {
            Holding::Found(found) => return Ok(Some(found)),
            Holding::Nothing(revisions, billing) => (revisions, *billing),
        };
        let inputs = store::get_inputs(&mut snapshot, payout_id).await?;
        let inputs = inputs.ok_or(Failure::NotFound("payout"))?;
        let fingerprint = Fingerprint::of(&inputs);
        let known = store::find_rendered(&mut snapshot, payout_id, &fingerprint).await?;
        drop(snapshot);
        if let Some((asset, now)) = known {
            let mut transaction = tenants.write(&caller.organization).await?;
            store::remember_rendered(&mut transaction, payout_id, &asset.id, revisions).await?;
            transaction.commit().await?;
            return Ok(Some((asset, now)));
        }
        let rendering = Rendering {
            generator: self,
            tenants,
            caller,
            payout_id,
            asset_id: Kind::Asset.mint(),
        };
        rendering
            .run(revisions, billing, inputs, &fingerprint)
            .await
    }
}

/// What holds for a payout.
enum Holding {
    /// This PDF.
    Found(Found),
    /// None that is known at these revisions; one may be made, with this billing information.
    Nothing(Revisions, Box<Billing>),
}

/// The PDF that holds, where one is known; the refusals before one may be made, in their order (S1).
async fn holding(transaction: &mut TenantTransaction, payout_id: &str) -> Result<Holding, Failure> {
    let state = store::get_state(transaction, payout_id).await?;
    let state = state.ok_or(Failure::NotFound("payout"))?;
    if let Some(asset) = state.uploaded.or(state.current) {
        return Ok(Holding::Found((asset, state.now)));
    }
    match store::count_lines(transaction, payout_id).await? {
        0 => return Err(Failure::NoCommissionLines),
        lines if lines > LINES_LIMIT => return Err(Failure::StatementTooLarge(LINES_LIMIT)),
        _ => {}
    }
    let billing = complete_billing(transaction).await?;
    Ok(Holding::Nothing(state.revisions, Box::new(billing)))
}

/// The organisation's billing information, where nothing is missing (S3).
async fn complete_billing(transaction: &mut TenantTransaction) -> Result<Billing, Failure> {
    let billing = organizations::store::get_billing(transaction).await?;
    let missing = billing.missing();
    if !missing.is_empty() {
        return Err(Failure::NoBillingInfo(missing));
    }
    Ok(billing)
}

/// One PDF on its way from inputs to asset.
struct Rendering<'a> {
    generator: &'a Generator,
    tenants: &'a Tenants,
    caller: &'a Caller,
    payout_id: &'a str,
    asset_id: String,
}

impl Rendering<'_> {
    async fn run(
        self,
        revisions: Revisions,
        billing: Billing,
        inputs: Inputs,
        fingerprint: &Fingerprint,
    ) -> Result<Option<Found>, Failure> {
        let organization = &self.caller.organization;
        let key = AssetKey::new(organization.as_str(), &self.asset_id).expect("ids of ours");
        let filename = statement_filename(&inputs.partner_name, inputs.period_end);
        let mut transaction = self.tenants.write(organization).await?;
        assets::store::note_intent(&mut transaction, &self.asset_id).await?;
        transaction.commit().await?;

        let pdf = self.render(billing, inputs).await?;
        let sha256: [u8; 32] = Sha256::digest(&pdf).into();
        let length = i64::try_from(pdf.len()).expect("a PDF fits into memory");
        self.generator.storage.put(&key, pdf).await?;

        let attempt = Attempt {
            asset_id: &self.asset_id,
            payout_id: self.payout_id,
            filename: &filename,
            length,
            sha256: &sha256,
            actor: &self.caller.key_id,
            request_id: Some(&self.caller.request_id),
        };
        let mut transaction = self.tenants.write(organization).await?;
        let outcome = assets::store::keep_rendered(&mut transaction, &attempt, fingerprint).await?;
        let found = match outcome {
            Outcome::Made(now) => {
                let asset = Asset {
                    id: self.asset_id.clone(),
                    filename: filename.clone(),
                    length,
                    sha256,
                    is_uploaded: false,
                };
                Some((asset, now))
            }
            // Another server was first; its document is the one.
            Outcome::Exists => {
                store::find_rendered(&mut transaction, self.payout_id, fingerprint).await?
            }
            Outcome::Swept => None,
        };
        if let Some((asset, _)) = &found {
            store::remember_rendered(&mut transaction, self.payout_id, &asset.id, revisions)
                .await?;
        }
        transaction.commit().await?;
        if !matches!(outcome, Outcome::Made(_)) {
            self.discard(&key).await;
        }
        Ok(found)
    }

    /// On a thread of its own: a long statement must not hold up the answers of others.
    async fn render(&self, billing: Billing, inputs: Inputs) -> Result<Bytes, Failure> {
        let statement = printed::statement(self.payout_id, billing, inputs)?;
        let typesetter = Arc::clone(&self.generator.typesetter);
        let rendered = tokio::task::spawn_blocking(move || typesetter.typeset(&statement)).await;
        let rendered =
            rendered.map_err(|error| Failure::Internal(format!("rendering broke off: {error}")))?;
        let pdf = rendered.map_err(|error| Failure::Internal(error.to_string()))?;
        Ok(pdf.into())
    }

    /// Removes the object of an attempt that came second. A failure is the sweeper's to mend, not the caller's.
    async fn discard(&self, key: &AssetKey) {
        let discarded = async {
            self.generator.storage.delete(key).await?;
            let mut transaction = self.tenants.write(&self.caller.organization).await?;
            assets::store::forget_intent(&mut transaction, &self.asset_id).await?;
            transaction.commit().await?;
            Ok::<_, Failure>(())
        };
        if let Err(error) = discarded.await {
            tracing::warn!(%error, object = %key, "an object is left for `assets sweep`");
        }
    }
}

impl From<QueueFull> for Failure {
    fn from(_: QueueFull) -> Self {
        Self::TooManyStatements
    }
}
