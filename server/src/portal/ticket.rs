//! What a link into the portal and a session's cookie hold: ids that lead to the session's row, and
//! a secret, of which only the SHA-256 is stored (X16). The ids grant nothing by themselves.

use std::fmt;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::id::{IdKind, OrganizationId, PartnerId};

const SECRET_LENGTH: usize = 32;

/// Written as `organisation.partner.session.secret`. It has no `Display`, and its `Debug` no
/// secret.
#[derive(Clone)]
pub(crate) struct Ticket {
    pub(crate) organization: OrganizationId,
    pub(crate) partner: PartnerId,
    pub(crate) session: String,
    secret: [u8; SECRET_LENGTH],
}

impl Ticket {
    /// Makes a ticket to a session, with a new secret.
    ///
    /// # Panics
    /// The system has no random numbers.
    pub(crate) fn generate(
        organization: OrganizationId,
        partner: PartnerId,
        session: String,
    ) -> Self {
        let mut secret = [0; SECRET_LENGTH];
        getrandom::fill(&mut secret).expect("the system has random numbers");
        Self { organization, partner, session, secret }
    }

    /// Reads a ticket in its one spelling.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let organization = OrganizationId::parse(parts.next()?)?;
        let partner = PartnerId::parse(parts.next()?)?;
        let session = parts.next().filter(|id| IdKind::PortalSession.is_valid(id))?.to_owned();
        let secret = URL_SAFE_NO_PAD.decode(parts.next()?).ok()?.try_into().ok()?;
        parts.next().is_none().then_some(Self { organization, partner, session, secret })
    }

    pub(crate) fn write(&self) -> String {
        let secret = URL_SAFE_NO_PAD.encode(self.secret);
        format!("{}.{}.{}.{secret}", self.organization, self.partner, self.session)
    }

    /// The SHA-256 of the secret, as it is stored.
    pub(crate) fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.secret).into()
    }

    /// Signs a form of this session: that it sends `id` to `action`. Only this server's pages have
    /// such a token.
    pub(crate) fn sign(&self, action: &str, id: &str) -> String {
        URL_SAFE_NO_PAD.encode(self.form(action, id).finalize().into_bytes())
    }

    /// Returns true if `token` signs this form; compares in constant time.
    pub(crate) fn verify(&self, action: &str, id: &str, token: &str) -> bool {
        let token = URL_SAFE_NO_PAD.decode(token);
        token.is_ok_and(|token| self.form(action, id).verify_slice(&token).is_ok())
    }

    fn form(&self, action: &str, id: &str) -> Hmac<Sha256> {
        let mut form: Hmac<Sha256> =
            KeyInit::new_from_slice(&self.secret).expect("a key of any length is allowed");
        // A path and an id have no line feed.
        form.update(format!("{action}\n{id}").as_bytes());
        form
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Ticket").field("session", &self.session).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket() -> Ticket {
        Ticket::generate(
            OrganizationId::generate(),
            PartnerId::generate(),
            IdKind::PortalSession.generate(),
        )
    }

    #[test]
    fn ticket_is_read_in_one_spelling_alone() {
        let text = ticket().write();
        assert_eq!(Ticket::parse(&text).unwrap().write(), text);
        let (ids, secret) = text.rsplit_once('.').unwrap();
        for other in [
            ids.to_owned(),
            format!("{ids}."),
            format!("{text}."),
            format!("{text}=="),
            format!("{ids}.{}", &secret[1..]),
            format!("{ids}.{secret}{secret}"),
            text.to_lowercase(),
            text.replacen("org_", "ptn_", 1),
        ] {
            assert!(Ticket::parse(&other).is_none(), "{other}");
        }
    }

    #[test]
    fn token_belongs_to_one_session_action_and_id() {
        let (one, other) = (ticket(), ticket());
        let token = one.sign("/portal/sign-out", "");
        assert!(one.verify("/portal/sign-out", "", &token));
        assert!(!one.verify("/portal/forms", "", &token));
        assert!(!one.verify("/portal/sign-out", "cmt_1", &token));
        assert!(!other.verify("/portal/sign-out", "", &token));
        assert!(!one.verify("/portal/sign-out", "", "") && !one.verify("/", "", "%"));
    }

    #[test]
    fn debug_shows_no_secret() {
        let ticket = ticket();
        let written = ticket.write();
        let (_, secret) = written.rsplit_once('.').unwrap();
        assert!(!format!("{ticket:?}").contains(secret));
    }
}
