//! Imports a file of organisations with everything they own.
//!
//! Nothing is written before the whole file is read: its types by serde, its local names by
//! [`rows`]. The constraints of the tables check the values.

mod format;
mod rows;
mod store;
mod write;

use std::{collections::HashSet, fmt::Display};

use payout_server::tools::OrganizationId;

pub use self::write::{Imported, ImportedKey, import};
use self::{
    format::{File, Organization},
    rows::Rows,
};
use crate::Error;

/// The data set of this project, `conformance/dataset.json`.
pub const DATASET: &str = include_str!("../../../../conformance/dataset.json");

/// A file that was read: organisations with their rows.
#[derive(Debug)]
pub struct Dataset(Vec<(OrganizationId, Organization, Rows)>);

impl Dataset {
    /// Reads a file.
    ///
    /// # Errors
    /// It is not JSON, a value has another type, or a local name leads nowhere. The error names
    /// the first of them.
    pub fn read(text: &str) -> Result<Self, Error> {
        let wrong = |error: &dyn Display| format!("nothing was imported: {error}");
        let mut json = serde_json::Deserializer::from_str(text);
        let file: File =
            serde_path_to_error::deserialize(&mut json).map_err(|error| wrong(&error))?;
        json.end().map_err(|error| wrong(&error))?;
        let mut names = HashSet::new();
        let mut all = file.organizations.iter();
        if let Some(second) = all.find(|organization| !names.insert(&organization.name)) {
            return Err(wrong(&format!("two organizations have the name {:?}", second.name)).into());
        }
        let organizations = file.organizations.into_iter().enumerate();
        let organizations = organizations.map(|(index, organization)| {
            let (id, rows) = rows::read(&format!("organizations[{index}]"), &organization)?;
            Ok((id, organization, rows))
        });
        let organizations: Result<_, String> = organizations.collect();
        Ok(Self(organizations.map_err(|error| wrong(&error))?))
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &OrganizationId> {
        self.0.iter().map(|(id, ..)| id)
    }
}
