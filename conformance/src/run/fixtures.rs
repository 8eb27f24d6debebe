//! Fixtures: what the target names, and for the rest what can be found through the API.
//!
//! It refuses to make anything: what is found was there before. And it refuses to read a deployment whole: so many pages, and no
//! more.
//!
//! | file | owns |
//! |---|---|
//! | `pages` | pages of a list, up to a bound |
//! | `partners` | partners, and what stands in them |
//! | `lines` | lines, and the payouts they are attached to |

mod lines;
mod pages;
mod partners;

use std::collections::BTreeMap;

use pages::Pages;

use super::deployment::Deployment;
use crate::{
    exchange::ClientError,
    target::{Fixture, Role, TargetFile},
};

/// Fixtures by name.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Ids.
    pub ids: BTreeMap<Fixture, String>,
    /// Lines that may be detached for good.
    pub lines_to_detach: Vec<String>,
    /// Those of [`Found::ids`] that were found, and not named by the target.
    pub discovered: Vec<Fixture>,
}

impl Found {
    /// What a target file names.
    #[must_use]
    pub fn named(file: &TargetFile) -> Self {
        let ids = Fixture::ALL.iter().filter_map(|fixture| {
            let id = file.fixtures.first(*fixture)?;
            Some((*fixture, id.to_owned()))
        });
        let lines = file.fixtures.get(Fixture::LinesToDetach).iter();
        Self {
            ids: ids.collect(),
            lines_to_detach: lines.map(|id| id.as_str().to_owned()).collect(),
            discovered: Vec::new(),
        }
    }

    fn id(&self, fixture: Fixture) -> Option<&str> {
        self.ids.get(&fixture).map(String::as_str)
    }

    fn lacks(&self, fixture: Fixture) -> bool {
        !self.ids.contains_key(&fixture)
    }

    fn lacks_one_of(&self, fixtures: &[Fixture]) -> bool {
        fixtures.iter().any(|fixture| self.lacks(*fixture))
    }

    /// Notes what was found, where there is anything and the target names nothing.
    fn add(&mut self, fixture: Fixture, id: Option<&str>) {
        if let Some(id) = id.filter(|id| !id.is_empty())
            && self.lacks(fixture)
        {
            self.ids.insert(fixture, id.to_owned());
            self.discovered.push(fixture);
        }
    }
}

/// Adds to what the target names whatever its API shows. What is all named is not asked for; [`Fixture::is_shown`] tells what no
/// request shows.
///
/// # Errors
/// The deployment does not answer.
pub async fn discover(deployment: &Deployment, mut found: Found) -> Result<Found, ClientError> {
    let foreign = Pages::of(deployment, Role::OtherOrganization);
    // Theirs come first: an `externalId` that both have is worth more than one of ours alone.
    let theirs = match &foreign {
        Some(pages) => partners::theirs(pages, &found).await?,
        None => Vec::new(),
    };
    if let Some(pages) = Pages::of(deployment, Role::All) {
        partners::find(&pages, &theirs, &mut found).await?;
        lines::find(&pages, &mut found).await?;
    }
    if let Some(pages) = &foreign {
        partners::choose_foreign(&theirs, &mut found);
        lines::find_foreign(pages, &mut found).await?;
    }
    if let Some(pages) = Pages::of(deployment, Role::NoBilling) {
        lines::find_without_billing(&pages, &mut found).await?;
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
