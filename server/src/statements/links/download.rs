//! Serving a PDF to whoever holds a link of ours (S9). It stands outside the API: no key, no limits of a key.
//!
//! It refuses to look anything up before the signature was found right, and to let a client's path near the file system.

use chrono::{DateTime, Utc};
use futures_util::TryStreamExt;
use poem::{
    Body, IntoResponse, Request, Response,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
};

use super::{
    LinkedAsset, Links, content_disposition,
    link::FOLDER,
    range::{self, Selection},
};
use crate::{
    contract::{
        Body as Json, Problem,
        types::{Error, ErrorCode, ErrorObject},
    },
    failure::Failure,
    gate::OrganizationId,
    http::NonApiRoutes,
    statements::{
        assets::{self, Asset},
        storage::{AssetKey, Storage},
    },
    tenant::Tenants,
};

const EXPIRED: &str = "LINK_EXPIRED";
const INVALID: &str = "LINK_INVALID";
const UNSATISFIABLE: &str = "RANGE_NOT_SATISFIABLE";

/// A PDF must not be kept by a cache, be taken for a page, run anything, or tell where it was opened from.
const PROTECTION: [(HeaderName, &str); 4] = [
    (header::CACHE_CONTROL, "private, no-store"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CONTENT_SECURITY_POLICY, "sandbox"),
];

/// Serves the PDFs of local storage.
#[derive(Clone, Debug)]
pub struct Downloads {
    tenants: Tenants,
    storage: Storage,
    links: Links,
}

/// Why there is no PDF.
enum Refusal {
    Expired,
    Invalid,
    NotFound,
    Unsatisfiable(u64),
    Failed(Failure),
}

impl<E: Into<Failure>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

impl Downloads {
    /// Serves what `links` lead to from `storage`.
    #[must_use]
    pub fn new(tenants: Tenants, storage: Storage, links: Links) -> Self {
        Self {
            tenants,
            storage,
            links,
        }
    }

    async fn serve(
        &self,
        path_and_query: &str,
        headers: &HeaderMap,
        with_body: bool,
    ) -> Result<Response, Refusal> {
        let genuine = self.links.open(path_and_query).ok_or(Refusal::Invalid)?;
        let organization = OrganizationId::parse(&genuine.asset.organization);
        let organization = organization.ok_or(Refusal::NotFound)?;
        let (now, asset) = self.look_up(&organization, &genuine.asset).await?;
        if genuine.is_expired(now) {
            return Err(Refusal::Expired);
        }
        // A link leads to these bytes or to none.
        let asset = asset.filter(|asset| asset.sha256 == genuine.asset.sha256);
        let asset = asset.ok_or(Refusal::NotFound)?;
        let key = AssetKey::new(organization.as_str(), &asset.id).ok_or(Refusal::NotFound)?;
        let length = u64::try_from(asset.length).unwrap_or_default();
        let tag = range::entity_tag(&asset.sha256);
        let all = |name| headers.get_all(name).into_iter().map(HeaderValue::as_bytes);
        // A range is for GET alone (RFC 9110 §14.2).
        let ranges = all(header::RANGE).filter(|_| with_body);
        let selection = range::select(ranges, all(header::IF_RANGE), &tag, length);
        let part = match selection {
            Selection::Whole => None,
            Selection::Part(part) => Some(part),
            Selection::Unsatisfiable => return Err(Refusal::Unsatisfiable(length)),
        };
        let sent = part.as_ref().map_or(length, |part| part.end - part.start);
        let mut response = Response::builder()
            .content_type("application/pdf")
            .header(
                header::CONTENT_DISPOSITION,
                content_disposition(&asset.filename),
            )
            .header(header::CONTENT_LENGTH, sent)
            .header(header::ACCEPT_RANGES, "bytes")
            .header(header::ETAG, tag);
        if let Some(part) = &part {
            response = response
                .status(StatusCode::PARTIAL_CONTENT)
                .header(header::CONTENT_RANGE, range::content_range(part, length));
        }
        if !with_body {
            return Ok(response.finish());
        }
        let content = self.storage.get(&key, part).await?;
        if content.total_bytes != length {
            let (found, object) = (content.total_bytes, &key);
            let what = format!("{object} has {found} bytes, and its asset {length}");
            return Err(Refusal::Failed(Failure::Internal(what)));
        }
        // The status is sent by then: the connection ends too early, and the log tells why.
        let pieces = content.body.map_err(|error| {
            tracing::error!(%error, "a download broke off");
            std::io::Error::other(error)
        });
        Ok(response.body(Body::from_bytes_stream(pieces)))
    }

    /// A task of its own: a client that goes away must not drop a query half-way.
    async fn look_up(
        &self,
        organization: &OrganizationId,
        linked: &LinkedAsset,
    ) -> Result<(DateTime<Utc>, Option<Asset>), Failure> {
        let (tenants, organization) = (self.tenants.clone(), organization.clone());
        let asset_id = linked.asset.clone();
        let found = tokio::spawn(async move {
            let mut transaction = tenants.read(&organization).await?;
            assets::store::get_asset(&mut transaction, &asset_id).await
        });
        let found = found
            .await
            .map_err(|error| Failure::Internal(error.to_string()))?;
        Ok(found?)
    }
}

impl NonApiRoutes for Downloads {
    async fn answer(&self, request: &Request) -> Option<Response> {
        let below_base = request.uri().path().strip_prefix(self.links.base_path());
        let ours = [Some(request.uri().path()), below_base];
        if !ours
            .into_iter()
            .flatten()
            .any(|path| path.starts_with(FOLDER))
        {
            return None;
        }
        let with_body = match *request.method() {
            Method::GET => true,
            Method::HEAD => false,
            _ => return Some(method_not_allowed()),
        };
        let link = request
            .uri()
            .path_and_query()
            .map_or("", |link| link.as_str());
        let served = self.serve(link, request.headers(), with_body).await;
        let mut response = served.unwrap_or_else(Refusal::into_response);
        for (name, value) in PROTECTION {
            response
                .headers_mut()
                .insert(name, HeaderValue::from_static(value));
        }
        Some(response)
    }
}

fn method_not_allowed() -> Response {
    let problem = Problem::new(ErrorCode::MethodNotAllowed, "A link answers GET, HEAD.");
    problem
        .with_header(header::ALLOW, "GET, HEAD")
        .into_response()
}

impl Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Expired => told(
                StatusCode::FORBIDDEN,
                EXPIRED,
                "The time of this link is over. Ask for the statement again: it comes with a new link.",
            ),
            Self::Invalid => told(
                StatusCode::FORBIDDEN,
                INVALID,
                "This link is not as the service signed it. Use it whole and unchanged, or ask for the statement again.",
            ),
            Self::NotFound => {
                Problem::new(ErrorCode::NotFound, "There is no such PDF.").into_response()
            }
            Self::Unsatisfiable(length) => {
                let message = format!(
                    "Ask for one range of bytes within 0-{}.",
                    length.saturating_sub(1)
                );
                let response = told(StatusCode::RANGE_NOT_SATISFIABLE, UNSATISFIABLE, &message);
                let range = range::unsatisfied_range(length);
                response
                    .with_header(header::CONTENT_RANGE, range)
                    .into_response()
            }
            Self::Failed(failure) => Problem::from(failure).into_response(),
        }
    }
}

/// An error in the API's envelope, of a code that no operation has.
fn told(status: StatusCode, code: &str, message: &str) -> Response {
    let error = ErrorObject {
        code: code.to_owned(),
        message: message.to_owned(),
        details: None,
    };
    Json(Error { error }).with_status(status).into_response()
}
