//! The cookie of a session, and the visitor behind it. A browser sends it to the portal alone, and
//! no script can read it.

use poem::http::{HeaderMap, header};

use super::{Site, Visit, reply::Refusal};
use crate::{
    gate::Caller,
    portal::{model::Visitor, store::ReadSession, ticket::Ticket},
    problem::Failure,
    telemetry::log_context,
};

const NAME: &str = "payout-portal";
/// A browser takes a cookie with this prefix from a page over HTTPS alone.
const SECURE_PREFIX: &str = "__Secure-";
const AGE_OF_ENDED: u32 = 0;

/// A session that the database has just confirmed.
pub(super) struct Session {
    pub(super) ticket: Ticket,
    pub(super) visitor: Visitor,
    /// Stands for the visitor in the history.
    pub(super) caller: Caller,
}

impl Site {
    /// Returns the values of the session's cookie.
    pub(super) fn cookies(&self, headers: &HeaderMap) -> Vec<String> {
        let name = self.cookie_name();
        let values = headers.get_all(header::COOKIE).into_iter();
        let pairs = values.filter_map(|value| value.to_str().ok()).flat_map(|all| all.split(';'));
        let pairs = pairs.filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(|(known, _)| *known == name).map(|(_, value)| value.to_owned()).collect()
    }

    /// Requires exactly one cookie: a second one was put there by another host of the domain.
    pub(super) fn ticket(&self, visit: &Visit) -> Result<Ticket, Refusal> {
        let [cookie] = visit.cookies.as_slice() else { return Err(Refusal::NoSession) };
        Ticket::parse(cookie).ok_or(Refusal::NoSession)
    }

    pub(super) async fn session(&self, ticket: Ticket, visit: &Visit) -> Result<Session, Refusal> {
        let visitor = self.parts.tenants.list(&ReadSession(&ticket)).await?;
        let visitor = visitor.ok_or(Refusal::NoSession)?;
        // Before that, it is only what somebody says.
        log_context::set_organization(&ticket.organization);
        if visitor.is_stopped {
            return Err(Failure::stopped().into());
        }
        let allowance = self.by_session.count_client(Some(ticket.session.clone()));
        if allowance.exceeded {
            return Err(Refusal::TooMany { seconds: allowance.minute_ends_in_seconds });
        }
        let (organization, id) = (ticket.organization.clone(), ticket.session.as_str().into());
        let caller = Caller::of_portal(organization, id, visit.context.request_id.clone());
        Ok(Session { ticket, visitor, caller })
    }

    /// The cookie of a session that lasts so many seconds.
    pub(super) fn cookie(&self, ticket: &Ticket, seconds: u32) -> String {
        self.cookie_with(&ticket.write(), seconds)
    }

    /// Takes the cookie away.
    pub(super) fn ended_cookie(&self) -> String {
        self.cookie_with("", AGE_OF_ENDED)
    }

    fn cookie_with(&self, value: &str, seconds: u32) -> String {
        let (name, path) = (self.cookie_name(), self.parts.address.base());
        let secure = if self.parts.address.is_secure() { "; Secure" } else { "" };
        format!("{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}")
    }

    fn cookie_name(&self) -> String {
        let prefix = if self.parts.address.is_secure() { SECURE_PREFIX } else { "" };
        format!("{prefix}{NAME}")
    }
}
