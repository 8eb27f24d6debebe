//! The addresses of the portal. The log shows their ids, and never what is behind a link.

use poem::{
    Request,
    http::{HeaderMap, Method, header},
};

use super::reply::Refusal;
use crate::{id::IdKind, portal::options::FOLDER};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Route {
    Stylesheet,
    /// With the ticket of a link, as it was sent.
    Enter(String),
    SignOut,
    Overview,
    Commissions,
    Payouts,
    Payout(String),
    Statement(String),
    Comments(String),
    Forms,
    Form(String),
    Submission(String),
}

const READ: &[Method] = &[Method::GET, Method::HEAD];
const POST: &[Method] = &[Method::POST];
const BOTH: &[Method] = &[Method::GET, Method::HEAD, Method::POST];

impl Route {
    /// Finds the route of a path below the portal's folder.
    pub(super) fn find(method: &Method, below: &str) -> Result<Self, Refusal> {
        let (route, methods) = Self::of(below).ok_or(Refusal::NotFound)?;
        if methods.contains(method) { Ok(route) } else { Err(Refusal::Method(methods)) }
    }

    fn of(below: &str) -> Option<(Self, &'static [Method])> {
        let parts: Vec<&str> = below.strip_prefix('/').unwrap_or(below).split('/').collect();
        // Another spelling of an id leads nowhere.
        let id = |kind: IdKind, text: &str| kind.is_valid(text).then(|| text.to_owned());
        Some(match parts.as_slice() {
            [""] => (Self::Overview, READ),
            ["style.css"] => (Self::Stylesheet, READ),
            ["enter", ticket] => (Self::Enter((*ticket).to_owned()), BOTH),
            ["sign-out"] => (Self::SignOut, POST),
            ["commissions"] => (Self::Commissions, READ),
            ["payouts"] => (Self::Payouts, READ),
            ["payouts", payout] => (Self::Payout(id(IdKind::Payout, payout)?), READ),
            ["payouts", payout, "statement"] => {
                (Self::Statement(id(IdKind::Payout, payout)?), READ)
            }
            ["payouts", payout, "comments"] => (Self::Comments(id(IdKind::Payout, payout)?), POST),
            ["forms"] => (Self::Forms, READ),
            ["forms", form] => (Self::Form(id(IdKind::Form, form)?), BOTH),
            ["submissions", submission] => {
                (Self::Submission(id(IdKind::FormSubmission, submission)?), READ)
            }
            _ => return None,
        })
    }
}

/// Returns a path below the portal's folder as the log may show it: a ticket is a secret, and what
/// is no address of ours may hold one.
pub(super) fn loggable(below: &str) -> String {
    match Route::of(below) {
        Some((Route::Enter(_), _)) => format!("{FOLDER}/enter/…"),
        Some(_) => format!("{FOLDER}{below}"),
        None => format!("{FOLDER}/…"),
    }
}

/// Whether the path seems to hold a ticket, or the begin of one.
pub(super) fn has_ticket(path: &str) -> bool {
    path.contains(IdKind::PortalSession.prefix())
}

/// Returns the host of a request, with its port.
pub(crate) fn host(request: &Request) -> Option<&str> {
    let authority = request.uri().authority().map(|authority| authority.as_str());
    let header = || request.headers().get(header::HOST)?.to_str().ok();
    authority.or_else(header)
}

/// Whether a form was sent by a page of this host, as far as the browser says so. A form of another
/// host could enter somebody else's session here.
pub(super) fn is_own_page(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").map(|site| site.as_bytes());
    site.is_none_or(|site| [b"same-origin".as_slice(), b"none"].contains(&site))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "01JV3N8Q5RHWXK2M4P6S7T9V0A";

    #[test]
    fn log_shows_ids_and_no_ticket() {
        let payout = format!("/payouts/pay_{ID}/statement");
        assert_eq!(loggable(&payout), format!("/portal{payout}"));
        assert_eq!(loggable(""), "/portal");
        assert_eq!(loggable("/enter/org_1.secret"), "/portal/enter/…");
        for strange in ["//enter/secret", "/enter/secret/", "/Enter/secret", "/payouts/secret"] {
            assert_eq!(loggable(strange), "/portal/…", "{strange}");
        }
    }

    #[test]
    fn each_address_has_its_methods() {
        let find = |method, below: &str| Route::find(&method, below);
        assert_eq!(find(Method::GET, "/").ok(), Some(Route::Overview));
        assert_eq!(find(Method::HEAD, "/payouts").ok(), Some(Route::Payouts));
        assert!(matches!(find(Method::GET, "/sign-out"), Err(Refusal::Method(POST))));
        assert!(matches!(find(Method::DELETE, "/forms"), Err(Refusal::Method(READ))));
        for unknown in ["/payouts/", "/payouts/pay_1", "/forms//x", "/api/v1/partners", "/.."] {
            assert!(matches!(find(Method::GET, unknown), Err(Refusal::NotFound)), "{unknown}");
        }
    }
}
