//! The operation of the tag `portal`: contract types in, contract types out.

use openapi_runtime::Timestamp;

use super::{options::PortalAddress, store::CreateSession, ticket::Ticket};
use crate::{
    contract::{
        traits::{Api, PortalApi},
        types::{
            CreatePortalSessionReferences, CreatePortalSessionRequest, PortalSession,
            PortalSessionEnvelope,
        },
    },
    gate::Caller,
    id::{IdKind, PartnerId},
    postgres::Tenants,
    problem::Failure,
};

/// Makes links into the portal.
pub struct PortalLinks {
    pub(crate) tenants: Tenants,
    pub(crate) address: PortalAddress,
    /// How long a link can be opened.
    pub(crate) link_seconds: u32,
}

impl<A> PortalApi for A
where
    A: Api<Caller = Caller, Failure = Failure> + AsRef<PortalLinks>,
{
    async fn create_portal_session(
        &self,
        caller: Caller,
        body: CreatePortalSessionRequest,
    ) -> Result<PortalSessionEnvelope, Failure> {
        let PortalLinks { tenants, address, link_seconds } = self.as_ref();
        // Another spelling is no partner's id, and must not be read as one.
        let Some(partner) = PartnerId::parse(body.partner_id.as_str()) else {
            return Err(Failure::unless_found(CreatePortalSessionReferences { partner_id: false })
                .expect_err("the partner is unknown"));
        };
        let session = IdKind::PortalSession.generate();
        let ticket = Ticket::generate(caller.organization.clone(), partner, session);
        let create = CreateSession {
            caller: &caller,
            ticket: &ticket,
            email: body.email.as_str(),
            link_seconds: *link_seconds,
        };
        let attempt = caller.run(tenants, &create).await?;
        let Some(expires_at) = attempt.link_expires_at else { return Err(attempt.rejection()) };
        Ok(PortalSessionEnvelope {
            data: PortalSession {
                url: address.link(&ticket).into(),
                id: ticket.session.into(),
                partner_id: body.partner_id,
                email: body.email,
                expires_at: Timestamp::new(expires_at),
            },
        })
    }
}
