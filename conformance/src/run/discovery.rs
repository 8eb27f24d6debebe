//! Finds fixtures that the target file does not name through the API, reading at most a few pages
//! of each list. Nothing is created.

mod lines;
mod pages;
mod partners;

use pages::Pages;

use crate::{
    deployment::{Deployment, Fixtures},
    exchange::ClientError,
    target::Role,
};

/// The deployment's fixtures, and those that its API shows. Nothing is requested for what is known;
/// [`Fixture::is_shown`](crate::target::Fixture::is_shown) says what no request shows.
pub(crate) async fn discover(deployment: &Deployment) -> Result<Fixtures, ClientError> {
    let mut found = deployment.fixtures.clone();
    let foreign = Pages::of(deployment, Role::OtherOrganization);
    // Theirs come first: an `externalId` that both organisations have is the better one.
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
