//! Removes what a crash left behind: objects that never became assets, and their intents. Assets,
//! anything young, and objects of organisations that this database does not know are not touched.

use std::{collections::BTreeMap, time::Duration};

use chrono::{DateTime, Utc};
use futures_util::TryStreamExt;

use super::store;
use crate::{
    id::OrganizationId,
    postgres::Tenants,
    problem::Failure,
    statements::storage::{AssetKey, Storage},
};

/// Objects of an organisation that are looked up at once.
const KEYS_PER_QUERY: usize = 1000;

/// More objects without a row than this share of those examined, or than this number, are no
/// remains of crashes, which have intents: they stop a sweep that removes.
const ORPHANS_LIMIT_PERCENT: u64 = 1;
const ORPHANS_LIMIT: u64 = 100;

#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    #[error(
        "nothing was removed: {orphans} of {examined} objects have no row, more than \
         {ORPHANS_LIMIT_PERCENT} % or {ORPHANS_LIMIT}. Was the database restored to an earlier \
         time? Then these PDFs are those of the lost time: keep them until nobody will restore \
         again. `payout-server assets sweep` lists them, and --yes-many removes so many"
    )]
    TooMany { orphans: u64, examined: u64 },
    #[error("the sweep failed: {0}")]
    Failed(#[from] Failure),
}

/// The leftovers that a sweep found, and removed if it removes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Objects without a row.
    pub objects: Vec<AssetKey>,
    /// Intents whose objects never became assets.
    pub intents: Vec<AssetKey>,
    /// Objects of organisations that this database does not know; never removed.
    pub foreign: u64,
    /// Files of interrupted puts.
    pub unfinished: usize,
    pub examined: u64,
}

/// A sweep of what is older than `age`, by the clocks of the database and the store.
pub struct Sweep<'a> {
    pub tenants: &'a Tenants,
    pub storage: &'a Storage,
    pub age: Duration,
    /// Objects' ages are relative to it.
    pub now: DateTime<Utc>,
    pub remove: bool,
    /// Removes even more objects than crashes can have left.
    pub remove_many: bool,
}

impl Sweep<'_> {
    /// Sweeps the objects and intents of these organisations, which are all of the database. All
    /// are found before the first is removed. After an error the next sweep finds the rest.
    pub async fn run(&self, organizations: &[OrganizationId]) -> Result<Swept, SweepError> {
        let mut swept = self.find(organizations).await?;
        if !self.remove {
            return Ok(swept);
        }
        let (orphans, examined) = (swept.objects.len() as u64, swept.examined);
        if are_many(orphans, examined) && !self.remove_many {
            return Err(SweepError::TooMany { orphans, examined });
        }
        self.remove(&mut swept).await?;
        Ok(swept)
    }

    async fn remove(&self, swept: &mut Swept) -> Result<(), Failure> {
        let mut removed = Vec::new();
        for key in std::mem::take(&mut swept.intents) {
            if self.remove_intent(&key).await? {
                removed.push(key);
            }
        }
        swept.intents = removed;
        for key in &swept.objects {
            self.storage.delete(key).await?;
        }
        swept.unfinished = self.storage.sweep_unfinished(self.age).await?;
        Ok(())
    }

    async fn find(&self, organizations: &[OrganizationId]) -> Result<Swept, Failure> {
        let mut swept = Swept::default();
        for organization in organizations {
            let mut transaction = self.tenants.read(organization).await?;
            let seconds = i64::try_from(self.age.as_secs()).unwrap_or(i64::MAX);
            let stale = store::list_stale_intents(&mut transaction, seconds).await?;
            swept.intents.extend(stale.iter().map(|id| AssetKey::new(organization, id)));
        }
        let mut found: BTreeMap<OrganizationId, Vec<String>> = BTreeMap::new();
        let mut objects = self.storage.list();
        while let Some(object) = objects.try_next().await? {
            swept.examined += 1;
            let age = self.now - object.last_modified;
            if age.to_std().is_ok_and(|age| age >= self.age) {
                let AssetKey { organization, attempt } = object.key;
                let ids = found.entry(organization.clone()).or_default();
                ids.push(attempt.to_string());
                if ids.len() == KEYS_PER_QUERY {
                    let ids = std::mem::take(ids);
                    self.objects(&organization, ids, organizations, &mut swept).await?;
                }
            }
        }
        for (organization, ids) in found {
            self.objects(&organization, ids, organizations, &mut swept).await?;
        }
        Ok(swept)
    }

    /// The intent is deleted first: from then on its attempt cannot become an asset. Returns false
    /// if it has become one meanwhile.
    async fn remove_intent(&self, key: &AssetKey) -> Result<bool, Failure> {
        let mut transaction = self.tenants.write(&key.organization).await?;
        let deleted = store::delete_intent(&mut transaction, &key.attempt).await?;
        transaction.commit().await?;
        if deleted {
            self.storage.delete(key).await?;
        }
        Ok(deleted)
    }

    async fn objects(
        &self,
        organization: &OrganizationId,
        ids: Vec<String>,
        organizations: &[OrganizationId],
        swept: &mut Swept,
    ) -> Result<(), Failure> {
        if !organizations.contains(organization) {
            swept.foreign += ids.len() as u64;
            return Ok(());
        }
        let mut transaction = self.tenants.read(organization).await?;
        let unknown = store::list_unknown(&mut transaction, &ids).await?;
        swept.objects.extend(unknown.iter().map(|id| AssetKey::new(organization, id)));
        Ok(())
    }
}

fn are_many(orphans: u64, examined: u64) -> bool {
    orphans > ORPHANS_LIMIT || orphans * 100 > examined * ORPHANS_LIMIT_PERCENT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_one_percent_or_a_hundred_are_many() {
        for (orphans, examined, expected) in [
            (0, 0, false),
            (1, 99, true),
            (1, 100, false),
            (2, 199, true),
            (2, 200, false),
            (100, 10_000, false),
            (101, 10_100, true),
            (101, 1_000_000, true),
        ] {
            assert_eq!(are_many(orphans, examined), expected, "{orphans} of {examined}");
        }
    }
}
