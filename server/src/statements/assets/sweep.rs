//! Removes what a crash left behind: objects that never became assets, and their intents. Assets,
//! anything young, and objects of organisations that this database does not know are not touched.

use std::{collections::BTreeMap, time::Duration};

use chrono::{DateTime, Utc};
use futures_util::TryStreamExt;

use super::store;
use crate::{
    failure::Failure,
    id::{AssetId, OrganizationId},
    statements::storage::{AssetKey, Storage},
    tenant::Tenants,
};

/// Objects of an organisation that are looked up at once.
const KEYS_PER_QUERY: usize = 1000;

/// What was found, and removed if the sweep removes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Objects without a row.
    pub objects: Vec<String>,
    /// Intents whose objects never became assets.
    pub intents: Vec<String>,
    /// Objects of organisations that this database does not know; never removed.
    pub foreign: u64,
    /// Files of interrupted puts.
    pub unfinished: usize,
    pub examined: u64,
}

/// A sweep of what is older than `age`, by the clocks of the database and the store.
#[derive(Debug)]
pub struct Sweep<'a> {
    pub tenants: &'a Tenants,
    pub storage: &'a Storage,
    pub age: Duration,
    /// Objects' ages are relative to it.
    pub now: DateTime<Utc>,
    pub remove: bool,
}

impl Sweep<'_> {
    /// Sweeps the objects and intents of these organisations, which are all of the database. After
    /// an error the next sweep finds the rest.
    pub async fn run(&self, organizations: &[OrganizationId]) -> Result<Swept, Failure> {
        let mut swept = Swept::default();
        for organization in organizations {
            self.intents(organization, &mut swept).await?;
        }
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut objects = self.storage.list();
        while let Some(object) = objects.try_next().await? {
            swept.examined += 1;
            let age = self.now - object.last_modified;
            if age.to_std().is_ok_and(|age| age >= self.age) {
                let (organization, id) = (object.key.organization(), object.key.attempt());
                let ids = found.entry(organization.to_owned()).or_default();
                ids.push(id.to_owned());
                if ids.len() == KEYS_PER_QUERY {
                    let ids = std::mem::take(ids);
                    self.objects(organization, ids, organizations, &mut swept).await?;
                }
            }
        }
        for (organization, ids) in found {
            self.objects(&organization, ids, organizations, &mut swept).await?;
        }
        if self.remove {
            swept.unfinished = self.storage.sweep_unfinished(self.age).await?;
        }
        Ok(swept)
    }

    /// The intent is deleted first: from then on its attempt cannot become an asset.
    async fn intents(
        &self,
        organization: &OrganizationId,
        swept: &mut Swept,
    ) -> Result<(), Failure> {
        let mut transaction = self.tenants.read(organization).await?;
        let seconds = i64::try_from(self.age.as_secs()).unwrap_or(i64::MAX);
        let stale = store::list_stale_intents(&mut transaction, seconds).await?;
        drop(transaction);
        for id in stale {
            if self.remove {
                let mut transaction = self.tenants.write(organization).await?;
                let deleted = store::delete_intent(&mut transaction, &id).await?;
                transaction.commit().await?;
                if !deleted {
                    continue;
                }
                let asset_id = AssetId::parse(&id).expect("an id of ours");
                let key = AssetKey::new(organization, &asset_id);
                self.storage.delete(&key).await?;
            }
            swept.intents.push(id);
        }
        Ok(())
    }

    async fn objects(
        &self,
        organization: &str,
        ids: Vec<String>,
        organizations: &[OrganizationId],
        swept: &mut Swept,
    ) -> Result<(), Failure> {
        let known = organizations.iter().find(|known| known.as_str() == organization);
        let Some(known) = known else {
            swept.foreign += ids.len() as u64;
            return Ok(());
        };
        let mut transaction = self.tenants.read(known).await?;
        let unknown = store::list_unknown(&mut transaction, &ids).await?;
        drop(transaction);
        for id in unknown {
            let asset_id = AssetId::parse(&id).expect("listed as a key of ours");
            let key = AssetKey::new(known, &asset_id);
            if self.remove {
                self.storage.delete(&key).await?;
            }
            swept.objects.push(key.as_str().to_owned());
        }
        Ok(())
    }
}
