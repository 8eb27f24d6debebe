//! Answers that no document describes: a newer server, a server in trouble, or a proxy gives them.

use std::time::Duration;

use super::{Answer, Server};
use crate::Operation;

/// Longer than any test waits.
pub(super) const SLOW: Duration = Duration::from_secs(3600);
/// A name that no resolver knows (RFC 2606).
const ANOTHER_HOST: &str = "https://elsewhere.invalid/";

/// An undocumented answer to the requests of one operation; [`Server::surprise`] gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Surprise {
    /// Successes have an unknown field in every object.
    UnknownFields,
    /// Successes have a new value in every set of values, open or closed.
    NewValues,
    /// Successes lack every header that the document does not require.
    NoOptionalHeaders,
    /// The first request is over the limit (429), later ones succeed.
    RateLimitedOnce,
    /// The first request gets a 503, later ones succeed.
    UnavailableOnce,
    /// The first request gets the 409 of an idempotency key in use, later ones succeed.
    InProgressOnce,
    /// No answer within an hour; in a walk, a time-out as soon as the server has the request.
    Slow,
    /// The connection ends before the head of the answer.
    CutInHead,
    /// The connection ends in the middle of the body.
    CutInBody,
    /// A proxy's 502 with a page of HTML.
    BadGateway,
    /// A redirect to another host.
    Redirect,
    /// The link in the answer has expired.
    LinkExpired,
    /// The download from the link in the answer ends in the middle.
    DownloadCut,
}

impl Surprise {
    /// Every surprise.
    pub const ALL: &'static [Self] = &[
        Self::UnknownFields,
        Self::NewValues,
        Self::NoOptionalHeaders,
        Self::RateLimitedOnce,
        Self::UnavailableOnce,
        Self::InProgressOnce,
        Self::Slow,
        Self::CutInHead,
        Self::CutInBody,
        Self::BadGateway,
        Self::Redirect,
        Self::LinkExpired,
        Self::DownloadCut,
    ];

    /// Returns true if it concerns the links in an operation's answers, not the operation itself.
    pub(super) fn is_of_links(self) -> bool {
        matches!(self, Self::LinkExpired | Self::DownloadCut)
    }

    /// Returns true if the operation's answers allow it: new values need a set of values.
    #[must_use]
    pub fn applies_to(self, operation: Operation) -> bool {
        let success = Answer::success(operation);
        match self {
            Self::NewValues => !success.places.sets.is_empty(),
            Self::NoOptionalHeaders => success.has_optional_headers(),
            Self::RateLimitedOnce | Self::UnavailableOnce | Self::InProgressOnce => {
                self.first(operation).is_some()
            }
            _ if self.is_of_links() => !success.places.links.is_empty(),
            _ => true,
        }
    }

    /// The documented error that comes before the success.
    fn first(self, operation: Operation) -> Option<Answer> {
        let status = match self {
            Self::RateLimitedOnce => 429,
            Self::UnavailableOnce => 503,
            Self::InProgressOnce => 409,
            _ => return None,
        };
        Answer::documented(operation).find(|answer| answer.status() == status)
    }
}

impl Server {
    /// Surprises the callers of an operation; nothing happens where
    /// [`applies_to`](Surprise::applies_to) is false.
    pub fn surprise(&self, operation: Operation, surprise: Surprise) {
        let success = Answer::success(operation);
        let answer = match surprise {
            Surprise::RateLimitedOnce | Surprise::UnavailableOnce | Surprise::InProgressOnce => {
                return self.script(operation, surprise.first(operation));
            }
            Surprise::LinkExpired => return self.always_links(Answer::link_expired()),
            Surprise::DownloadCut => return self.always_links(Answer::pdf().cut_in_body()),
            Surprise::UnknownFields => success.with_unknown_fields(),
            Surprise::NewValues => success.with_new_values(),
            Surprise::NoOptionalHeaders => success.without_optional_headers(),
            Surprise::Slow => success.after(SLOW),
            Surprise::CutInHead => success.cut_in_head(),
            Surprise::CutInBody => success.cut_in_body(),
            Surprise::BadGateway => Answer::bad_gateway(),
            Surprise::Redirect => Answer::redirect(ANOTHER_HOST),
        };
        self.always(operation, answer);
    }
}
