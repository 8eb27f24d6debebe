//! Makes the PDF of a statement in steps: intent, object, asset (S5–S7). A damaged one is made
//! again under the same asset where its bytes are the same, else replaced. No lock and no
//! connection is held while a page is rendered.

use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use payout_statement::{FontsError, Typesetter};
use sha2::{Digest, Sha256};

use super::{
    assets::{
        self, Asset, Attempt, StoreOutcome,
        integrity::{self, store::set_damaged},
        store::{BeginRendering, FinishRendering, Rendering},
    },
    document_input,
    fingerprint::Fingerprint,
    links::statement_filename,
    model::{Facts, Inputs},
    options::FontOptions,
    storage::{AssetKey, Storage},
    store,
};
use crate::{
    id::{AssetId, OrganizationId},
    organizations::Billing,
    postgres::Tenants,
    problem::Failure,
    telemetry::log_context,
};

/// Attempts whose intent was swept away, or which mended the current PDF, are repeated.
const ATTEMPTS: u32 = 3;

/// The current PDF of a payout, and the database's time.
pub(crate) type Found = (Asset, DateTime<Utc>);

pub(crate) struct Maker {
    storage: Storage,
    typesetter: Arc<Typesetter>,
}

impl Maker {
    pub(crate) fn new(storage: Storage, fonts: &FontOptions) -> Result<Self, FontsError> {
        Ok(Self { storage, typesetter: Arc::new(Typesetter::new(&fonts.source())?) })
    }
}

pub(crate) struct Job<'a> {
    pub(crate) maker: &'a Maker,
    pub(crate) tenants: &'a Tenants,
    pub(crate) organization: &'a OrganizationId,
    pub(crate) payout_id: &'a str,
    /// A key's id, or the operator.
    pub(crate) actor: &'a str,
    /// `None` of an operator's command.
    pub(crate) request_id: Option<&'a str>,
}

enum Attempted {
    Found(Found),
    /// The next attempt finds it, or may make it.
    Again,
    /// The payout prints something else than the PDF that was to be made again.
    Changed,
}

impl Job<'_> {
    /// Returns the current PDF, made if there is none, or if its object is damaged.
    pub(crate) async fn current(&self) -> Result<Found, Failure> {
        let found = self.run(None).await?;
        found.ok_or_else(|| Failure::Internal("the current state has no other".to_owned()))
    }

    /// Makes the rendered PDF of this fingerprint again; `None` where the payout has changed since,
    /// so that its lines are not known any more.
    pub(crate) async fn again(&self, fingerprint: &[u8]) -> Result<Option<Found>, Failure> {
        self.run(Some(fingerprint)).await
    }

    async fn run(&self, fingerprint: Option<&[u8]>) -> Result<Option<Found>, Failure> {
        for _ in 0..ATTEMPTS {
            match self.attempt(fingerprint).await? {
                Attempted::Found(found) => return Ok(Some(found)),
                Attempted::Changed => return Ok(None),
                Attempted::Again => {}
            }
        }
        Err(Failure::Internal(format!(
            "{ATTEMPTS} attempts were swept away before they ended: \
             run `assets sweep` with a longer age"
        )))
    }

    async fn attempt(&self, fingerprint: Option<&[u8]>) -> Result<Attempted, Failure> {
        let (organization, payout_id) = (self.organization, self.payout_id);
        let mut snapshot = self.tenants.snapshot(organization).await?;
        let facts = store::get_facts(&mut snapshot, payout_id).await?;
        let mut facts = facts.ok_or(Failure::NotFound("payout"))?;
        if fingerprint.is_none()
            && let Some(current) = facts.state.current.take_if(|asset| is_final(asset))
        {
            // The attempt before this one may have made it.
            drop(snapshot);
            self.usable(&current).await?;
            return Ok(Attempted::Found((current, facts.state.now)));
        }
        if let Some(obstacle) = facts.obstacle() {
            return Err(obstacle.into());
        }
        facts.inputs.lines = store::list_lines(&mut snapshot, payout_id).await?;
        drop(snapshot);
        let Facts { revisions, billing, inputs, .. } = facts;
        let present = &Fingerprint::of(&inputs);
        if fingerprint.is_some_and(|wanted| wanted != present.as_bytes()) {
            return Ok(Attempted::Changed);
        }
        let of = Rendering { organization, payout_id, fingerprint: present, revisions };
        self.make(of, billing, inputs).await
    }

    /// Makes a PDF, from its inputs to its asset, unless there is one whose object is right.
    async fn make(
        &self,
        of: Rendering<'_>,
        billing: Billing,
        inputs: Inputs,
    ) -> Result<Attempted, Failure> {
        let asset_id = &AssetId::generate();
        let begin = BeginRendering { of, asset_id };
        let damaged = match self.tenants.run(&begin).await? {
            Some(known) if !known.0.is_damaged => return Ok(Attempted::Found(known)),
            known => known.map(|(asset, _)| asset),
        };
        let key = AssetKey::new(of.organization, asset_id);
        if let Some(damaged) = &damaged
            && self.is_mended(damaged).await?
        {
            self.discard(&key).await;
            return Ok(Attempted::Again);
        }
        let filename = statement_filename(&inputs.partner_name, inputs.period_end);
        let pdf = self.render(billing, inputs).await?;
        let sha256: [u8; 32] = Sha256::digest(&pdf).into();
        if let Some(damaged) = damaged.as_ref().filter(|damaged| damaged.sha256 == sha256) {
            // It has a row, so no sweep removes its object, and another attempt writes the same.
            self.maker.storage.put(&damaged.key(self.organization), pdf).await?;
            self.clear_damage(damaged).await?;
            tracing::info!(asset = %damaged.id, "a damaged PDF was made again");
            self.discard(&key).await;
            return Ok(Attempted::Again);
        }
        let length = i64::try_from(pdf.len()).expect("a PDF fits into memory");
        self.maker.storage.put(&key, pdf).await?;

        let attempt = Attempt {
            asset_id,
            payout_id: self.payout_id,
            filename: &filename,
            length,
            sha256: &sha256,
            actor: self.actor,
            request_id: self.request_id,
        };
        let replaced = damaged.as_ref().map(|damaged| damaged.id.as_str());
        match self.tenants.run(&FinishRendering { of, attempt, replaced }).await? {
            StoreOutcome::Made(now) => {
                if let Some(replaced) = replaced {
                    tracing::warn!(
                        asset = %asset_id, replaced,
                        "a damaged PDF could not be made again, and a new one took its place: \
                         another release, other fonts, a renamed partner or other billing \
                         information render other bytes"
                    );
                }
                Ok(Attempted::Found((attempt.asset(false), now)))
            }
            // Another server was first: its document is the current one.
            StoreOutcome::Exists | StoreOutcome::Swept => {
                self.discard(&key).await;
                Ok(Attempted::Again)
            }
        }
    }

    /// # Errors
    /// The uploaded PDF is damaged.
    async fn usable(&self, asset: &Asset) -> Result<(), Failure> {
        if !asset.is_damaged || self.is_mended(asset).await? {
            return Ok(());
        }
        let place = format!("--organization {} {}", self.organization, self.payout_id);
        Err(Failure::Internal(format!(
            "the uploaded {} is damaged, and cannot be made again. Upload the PDF again with \
             `payout-server statements upload {place} FILE`, or have the statement rendered with \
             `payout-server statements remove-upload {place}`",
            asset.id
        )))
    }

    /// Returns true if the object of an asset that was noted as damaged is right now, as after its
    /// restore from a backup. Clears the note.
    async fn is_mended(&self, asset: &Asset) -> Result<bool, Failure> {
        let key = asset.key(self.organization);
        let damage = integrity::examine(&self.maker.storage, &key, asset).await?;
        if damage.is_none() {
            self.clear_damage(asset).await?;
        }
        Ok(damage.is_none())
    }

    async fn clear_damage(&self, asset: &Asset) -> Result<(), sqlx::Error> {
        let mut transaction = self.tenants.write(self.organization).await?;
        set_damaged(&mut transaction, &asset.id, false).await?;
        transaction.commit().await
    }

    /// Renders on a separate thread: a long statement must not delay other responses.
    async fn render(&self, billing: Billing, inputs: Inputs) -> Result<Bytes, Failure> {
        let statement = document_input::statement(self.payout_id, billing, inputs)?;
        let typesetter = Arc::clone(&self.maker.typesetter);
        let context = log_context::current();
        let render = move || log_context::within(context, || typesetter.typeset(&statement));
        let rendered = tokio::task::spawn_blocking(render).await;
        let rendered =
            rendered.map_err(|error| Failure::Internal(format!("rendering failed: {error}")))?;
        let pdf = rendered.map_err(|error| Failure::Internal(error.to_string()))?;
        Ok(pdf.into())
    }

    /// Removes the object of an attempt that became no asset. The sweep repeats what fails here.
    async fn discard(&self, key: &AssetKey) {
        let discarded = async {
            self.maker.storage.delete(key).await?;
            let mut transaction = self.tenants.write(self.organization).await?;
            assets::store::delete_intent(&mut transaction, &key.attempt).await?;
            transaction.commit().await?;
            Ok::<_, Failure>(())
        };
        if let Err(error) = discarded.await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, object = %key, "an object is left for `assets sweep`");
        }
    }
}

/// Returns true if nothing is rendered in its place.
fn is_final(asset: &Asset) -> bool {
    asset.is_uploaded || !asset.is_damaged
}
