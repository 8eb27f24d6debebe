//! Links into the portal of a partner.

use payout_client::{Client, types::CreatePortalSessionRequest};

use super::{Arguments, Outcome, exactly};

/// Prints a link for one visitor: `create_portal_session <partner id> <email>`.
///
/// The link lets anybody in once, so a website redirects its visitor to it and logs nothing.
pub(crate) async fn create_portal_session(client: Client, arguments: Arguments) -> Outcome {
    let [partner, email] = exactly(arguments, "create_portal_session <partner id> <email>")?;
    let visitor = CreatePortalSessionRequest::builder(partner, email);
    let session = client.create_portal_session(visitor).send().await?.into_inner().data;
    println!("{} may open {} until {}", session.email, session.url, session.expires_at);
    Ok(())
}
