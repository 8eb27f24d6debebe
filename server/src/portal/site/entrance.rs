//! Opening a link, and signing out. Reading a link changes nothing, because mail scanners and chats
//! read every link; its button uses it up (X16).

use minijinja::context;
use poem::http::StatusCode;

use super::{
    Site, Visit,
    posted::Posted,
    reply::{Refusal, Reply},
    session::Session,
};
use crate::{
    portal::{
        store::{self, ReadLink},
        ticket::Ticket,
    },
    problem::Failure,
    telemetry::log_context,
};

const SECONDS_OF_AN_HOUR: u32 = 3_600;

impl Site {
    /// Shows whom the link is for, and a button.
    pub(super) async fn link_page(&self, link: &Ticket) -> Result<Reply, Refusal> {
        let visitor = self.parts.tenants.list(&ReadLink(link)).await?;
        let visitor = visitor.ok_or(Refusal::Gone)?;
        log_context::set_organization(&link.organization);
        if visitor.is_stopped {
            return Err(Failure::stopped().into());
        }
        let action = self.enter_action(link);
        let token = link.sign(&action, "");
        let content = context! { entering => visitor, action, token };
        Ok(Reply::Page { status: StatusCode::OK, template: "enter.html", content, cookie: None })
    }

    /// Uses the link up: of two requests, the database lets one begin the session.
    pub(super) async fn enter(&self, link: &Ticket, visit: &Visit) -> Result<Reply, Refusal> {
        let posted = Posted::read(&visit.body);
        posted.require_token(link, &self.enter_action(link))?;
        let cookie =
            Ticket::generate(link.organization.clone(), link.partner.clone(), link.session.clone());
        let (tenants, hours) = (&self.parts.tenants, self.parts.limits.session_hours);
        let mut transaction = tenants.write_as_partner(&link.organization, &link.partner).await?;
        let request_id = &visit.context.request_id;
        let opened = store::open(&mut transaction, link, &cookie, hours, request_id).await?;
        opened.ok_or(Refusal::Gone)?;
        log_context::set_organization(&link.organization);
        transaction.commit().await?;
        let cookie = self.cookie(&cookie, hours * SECONDS_OF_AN_HOUR);
        Ok(Reply::SeeOther { location: self.action(""), cookie: Some(cookie) })
    }

    pub(super) async fn sign_out(
        &self,
        session: &Session,
        visit: &Visit,
    ) -> Result<Reply, Refusal> {
        let ticket = &session.ticket;
        Posted::read(&visit.body).require_token(ticket, &self.action("/sign-out"))?;
        let tenants = &self.parts.tenants;
        let mut transaction =
            tenants.write_as_partner(&ticket.organization, &ticket.partner).await?;
        store::sign_out(&mut transaction, ticket, &visit.context.request_id).await?;
        transaction.commit().await?;
        Ok(Reply::Page {
            status: StatusCode::OK,
            template: "signed_out.html",
            content: context! {},
            cookie: Some(self.ended_cookie()),
        })
    }

    fn enter_action(&self, link: &Ticket) -> String {
        self.action(&format!("/enter/{}", link.write()))
    }
}
