//! Verifies the objects of all assets, organisation by organisation: notes damage in their rows,
//! clears the note of what is right again, and makes rendered PDFs again.

use futures_util::future::join_all;

use super::integrity::{
    self, Damage,
    store::{StoredAsset, list_assets_after, set_damaged},
};
use crate::{
    history::OPERATOR,
    id::OrganizationId,
    postgres::Tenants,
    problem::Failure,
    statements::{
        making::{Job, Maker},
        storage::{AssetKey, Storage, StorageError},
    },
};

const ASSETS_PER_QUERY: i64 = 500;
/// Objects that are read at once, each in pieces.
const OBJECTS_AT_ONCE: usize = 4;

pub(crate) struct Verification<'a> {
    pub(crate) tenants: &'a Tenants,
    pub(crate) storage: &'a Storage,
    /// Makes rendered PDFs again; `None`: only verify.
    pub(crate) maker: Option<&'a Maker>,
    pub(crate) progress: Progress,
}

/// The state of a verification, also of one that ended early.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    pub(crate) verified: u64,
    /// Those that are still wrong, and have no other in their place.
    pub(crate) damaged: u64,
    pub(crate) last: Option<AssetKey>,
}

/// A line about an asset whose object is, or was, not right.
struct Finding {
    text: String,
    is_left: bool,
}

fn mended(text: String) -> Finding {
    Finding { text, is_left: false }
}

impl Verification<'_> {
    /// Verifies the assets of these organisations after this one, in the order of their ids.
    /// `report` gets a line for each that is, or was, not right.
    pub(crate) async fn run(
        &mut self,
        organizations: &mut [OrganizationId],
        after: Option<&AssetKey>,
        mut report: impl FnMut(&Progress, Option<String>),
    ) -> Result<(), Failure> {
        organizations.sort_unstable();
        let is_left = |one: &&OrganizationId| after.is_none_or(|after| **one >= after.organization);
        for organization in organizations.iter().filter(is_left) {
            let begun = after.filter(|after| after.organization == *organization);
            let mut last = begun.map_or_else(String::new, |begun| begun.attempt.to_string());
            loop {
                let mut transaction = self.tenants.read(organization).await?;
                let page = list_assets_after(&mut transaction, &last, ASSETS_PER_QUERY).await?;
                drop(transaction);
                let Some(end) = page.last() else { break };
                last = end.asset.id.to_string();
                for several in page.chunks(OBJECTS_AT_ONCE) {
                    self.verify(organization, several, &mut report).await?;
                }
            }
        }
        Ok(())
    }

    async fn verify(
        &mut self,
        organization: &OrganizationId,
        several: &[StoredAsset],
        report: &mut impl FnMut(&Progress, Option<String>),
    ) -> Result<(), Failure> {
        let examined = join_all(several.iter().map(|stored| async {
            let key = stored.asset.key(organization);
            let damage = integrity::examine(self.storage, &key, &stored.asset).await;
            (key, damage)
        }));
        for (stored, (key, damage)) in several.iter().zip(examined.await) {
            let finding = match damage {
                Ok(damage) => self.judge(organization, stored, damage).await?,
                Err(error @ StorageError::Unavailable { .. }) => return Err(error.into()),
                Err(error) => Some(Finding { text: format!("unreadable: {error}"), is_left: true }),
            };
            self.progress.verified += 1;
            self.progress.damaged += u64::from(finding.as_ref().is_some_and(|one| one.is_left));
            let place = format!("{organization}/{}", stored.asset.id);
            self.progress.last = Some(key);
            report(&self.progress, finding.map(|finding| format!("{place} {}", finding.text)));
        }
        Ok(())
    }

    /// `None`: the object is right, and always was.
    async fn judge(
        &self,
        organization: &OrganizationId,
        stored: &StoredAsset,
        damage: Option<Damage>,
    ) -> Result<Option<Finding>, Failure> {
        let asset = &stored.asset;
        if damage.is_some() != asset.is_damaged {
            let mut transaction = self.tenants.write(organization).await?;
            set_damaged(&mut transaction, &asset.id, damage.is_some()).await?;
            transaction.commit().await?;
        }
        let Some(damage) = damage else {
            return Ok(asset.is_damaged.then(|| mended("is right again".to_owned())));
        };
        let payout_id = &stored.payout_id;
        let remedy = match &stored.fingerprint {
            Some(_) if stored.is_withdrawn => {
                return Ok(Some(mended(format!("was replaced earlier: {damage}"))));
            }
            Some(fingerprint) => match self.repair(organization, stored, fingerprint).await? {
                Ok(repaired) => return Ok(Some(mended(format!("{repaired}: {damage}")))),
                Err(remedy) => remedy,
            },
            None if stored.is_withdrawn => "it is superseded: only a backup mends it".to_owned(),
            None => format!(
                "uploaded, so upload it again: payout-server statements upload --organization \
                 {organization} {payout_id} FILE"
            ),
        };
        let text = format!("of {payout_id} is damaged: {damage}; {remedy}");
        Ok(Some(Finding { text, is_left: true }))
    }

    /// Makes a rendered PDF again; returns how, or what else mends it.
    async fn repair(
        &self,
        organization: &OrganizationId,
        stored: &StoredAsset,
        fingerprint: &[u8],
    ) -> Result<Result<String, String>, Failure> {
        let Some(maker) = self.maker else {
            return Ok(Err("to make it again: payout-server assets verify --repair".to_owned()));
        };
        let job = Job {
            maker,
            tenants: self.tenants,
            organization,
            payout_id: &stored.payout_id,
            actor: OPERATOR,
            request_id: None,
        };
        Ok(match job.again(fingerprint).await {
            Ok(Some((made, _))) if made.id == stored.asset.id => Ok("is made again".to_owned()),
            Ok(Some((made, _))) => Ok(format!(
                "is replaced by {}, because other bytes came out; links to it stay dead",
                made.id
            )),
            Ok(None) => Err("only a backup mends it, because its payout has changed since".into()),
            Err(failure @ Failure::Unavailable { .. }) => return Err(failure),
            Err(failure) => Err(format!("only a backup mends it: {failure}")),
        })
    }
}
