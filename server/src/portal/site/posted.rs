//! The body of a form, as a browser sends it, and the token that only a page of the session has.

use url::form_urlencoded;

use super::reply::Refusal;
use crate::portal::ticket::Ticket;

/// The names and values of a form, in their order.
pub(super) struct Posted(Vec<(String, String)>);

impl Posted {
    pub(super) fn read(body: &[u8]) -> Self {
        Self(form_urlencoded::parse(body).into_owned().collect())
    }

    /// The one value with this name.
    pub(super) fn one(&self, name: &str) -> Option<&str> {
        let mut values = self.all(name);
        values.next().filter(|_| values.next().is_none())
    }

    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let same = self.0.iter().filter(move |(known, _)| known == name);
        same.map(|(_, value)| value.as_str())
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Requires that a page of this session had the form, and sends it here.
    pub(super) fn require_token(&self, ticket: &Ticket, action: &str) -> Result<&str, Refusal> {
        let (id, token) = (self.one("id").unwrap_or_default(), self.one("token"));
        let is_ours = token.is_some_and(|token| ticket.verify(action, id, token));
        if is_ours { Ok(id) } else { Err(Refusal::ForeignForm) }
    }
}
