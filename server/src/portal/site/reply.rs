//! Pages as responses, and why a page is refused. Every response has the headers that keep a page
//! to itself: no script, no frame, no referrer, no cache.

use minijinja::{Value, context};
use poem::{
    IntoResponse, Response,
    http::{HeaderName, HeaderValue, Method, StatusCode, header},
};

use openapi_runtime::Cause;

use super::view::View;
use crate::{contract::Problem, problem::Failure};

pub(super) enum Reply {
    Page {
        status: StatusCode,
        template: &'static str,
        content: Value,
        cookie: Option<String>,
    },
    /// After a form was accepted: a reload sends nothing again.
    SeeOther {
        location: String,
        cookie: Option<String>,
    },
    Stylesheet,
}

#[derive(Debug)]
pub(super) enum Refusal {
    NotFound,
    /// The path has only these methods.
    Method(&'static [Method]),
    /// The link is unknown, used or expired, or its visitor may no longer enter: one page for all.
    Gone,
    /// No cookie, or one of a session that has ended.
    NoSession,
    /// The form is no page's of this session.
    ForeignForm,
    TooMany {
        seconds: u64,
    },
    /// The body is too large, late or malformed.
    Unread(StatusCode),
    Failed(Failure),
}

impl Reply {
    /// The page, with another status.
    pub(super) fn with_status(mut self, to: StatusCode) -> Self {
        if let Self::Page { status, .. } = &mut self {
            *status = to;
        }
        self
    }
}

impl<E: Into<Failure>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

const POLICY: &str = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

const PROTECTION: [(HeaderName, &str); 8] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("x-robots-tag"), "noindex"),
];

/// How long a browser waits before it repeats a request that found no permit.
const RETRY_AFTER_SECONDS: u64 = 1;

/// The stylesheet's address changes with its text.
const STYLESHEET_CACHE: &str = "public, max-age=31536000, immutable";

impl View {
    pub(super) fn respond(&self, reply: Result<Reply, Refusal>) -> Response {
        let mut response = match reply {
            Ok(Reply::Page { status, template, content, cookie }) => {
                with_cookie(self.html(status, template, content), cookie)
            }
            Ok(Reply::SeeOther { location, cookie }) => {
                let response = Response::builder().status(StatusCode::SEE_OTHER);
                with_cookie(response.header(header::LOCATION, location).finish(), cookie)
            }
            Ok(Reply::Stylesheet) => {
                Response::builder().content_type("text/css; charset=utf-8").body(self.stylesheet())
            }
            Err(refusal) => self.refuse(refusal),
        };
        let is_stylesheet =
            response.content_type().is_some_and(|kind| kind.starts_with("text/css"));
        for (name, value) in PROTECTION {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        if is_stylesheet {
            let cache = HeaderValue::from_static(STYLESHEET_CACHE);
            response.headers_mut().insert(header::CACHE_CONTROL, cache);
        }
        response
    }

    fn html(&self, status: StatusCode, template: &'static str, content: Value) -> Response {
        match self.render(template, content) {
            Ok(page) => {
                let response = Response::builder().status(status);
                response.content_type("text/html; charset=utf-8").body(page)
            }
            // It may be about what the page shows, so it goes to the log alone.
            Err(error) => {
                let cause = format!("the template {template} failed: {error:#}");
                Problem::internal().with_cause(cause).into_response()
            }
        }
    }

    fn refuse(&self, refusal: Refusal) -> Response {
        let (status, title, text) = words(&refusal);
        // Others have no overview to go to.
        let is_inside = !matches!(refusal, Refusal::Gone | Refusal::NoSession);
        let content = context! { title, text, is_inside };
        let mut response = self.html(status, "refused.html", content);
        let headers = response.headers_mut();
        match refusal {
            Refusal::Method(methods) => {
                let names: Vec<&str> = methods.iter().map(Method::as_str).collect();
                let allow = HeaderValue::from_str(&names.join(", ")).expect("methods are ASCII");
                headers.insert(header::ALLOW, allow);
            }
            Refusal::TooMany { seconds } => {
                headers.insert(header::RETRY_AFTER, seconds.into());
            }
            Refusal::Unread(_) => {
                headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            Refusal::Failed(failure) => {
                if status == StatusCode::SERVICE_UNAVAILABLE {
                    headers.insert(header::RETRY_AFTER, RETRY_AFTER_SECONDS.into());
                }
                let cause = Problem::from(failure).into_response();
                if let Some(cause) = cause.extensions().get::<Cause>().cloned() {
                    response.extensions_mut().insert(cause);
                }
            }
            _ => {}
        }
        response
    }
}

fn with_cookie(mut response: Response, cookie: Option<String>) -> Response {
    if let Some(cookie) = cookie {
        let cookie = HeaderValue::from_str(&cookie).expect("ids, letters and digits");
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// The status, the title and the text of a refusal's page.
fn words(refusal: &Refusal) -> (StatusCode, &'static str, String) {
    let (status, title, text) = match refusal {
        Refusal::NotFound | Refusal::Failed(Failure::NotFound(_)) => (
            StatusCode::NOT_FOUND,
            "This page does not exist",
            "Check the address, or begin at the overview.",
        ),
        Refusal::Method(_) => (
            StatusCode::METHOD_NOT_ALLOWED,
            "This address does not work like that",
            "Go back, and use the links and buttons of the page.",
        ),
        Refusal::Gone => (
            StatusCode::GONE,
            "This link no longer works",
            "A link opens the portal once, and only for a few minutes. Ask the company that sent \
             it for a new one.",
        ),
        Refusal::NoSession => (
            StatusCode::FORBIDDEN,
            "You are not signed in",
            "Your session has ended, or this browser has none. Ask the company that you work with \
             for a new link.",
        ),
        Refusal::ForeignForm => (
            StatusCode::FORBIDDEN,
            "This form was not accepted",
            "It did not come from a page of your session. Go back, reload the page, and send it \
             again.",
        ),
        Refusal::TooMany { seconds } => {
            let text = format!("Too many pages in this minute. Try again in {seconds} seconds.");
            return (StatusCode::TOO_MANY_REQUESTS, "One moment, please", text);
        }
        Refusal::Unread(status) => (
            *status,
            "This form was not accepted",
            "It is too large, or did not arrive whole. Go back, and send it again.",
        ),
        Refusal::Failed(Failure::Unavailable { .. }) => (
            StatusCode::SERVICE_UNAVAILABLE,
            "The portal is busy",
            "Nothing was changed that you did not see. Try again in a moment.",
        ),
        Refusal::Failed(_) => (
            StatusCode::INTERNAL_SERVER_ERROR,
            "Something went wrong",
            "It was reported. Try again later.",
        ),
    };
    (status, title, text.to_owned())
}
