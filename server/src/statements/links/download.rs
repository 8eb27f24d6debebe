//! Serves PDFs to requests with a link of ours (S9), outside the API: without a key or its limits.
//! The signature is verified before anything is looked up, and no client's path reaches the file
//! system.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures_util::{StreamExt, TryStreamExt, stream};
use poem::{
    Body, IntoResponse, Request, Response,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
};

use openapi_runtime::Written as _;

use super::{
    FOLDER, LinkSigner, LinkedAsset, content_disposition,
    range::{self, Selection},
};
use crate::{
    contract::{
        Problem,
        types::{Error, ErrorCode, ErrorObject},
    },
    gate::pipeline::RequestContext,
    http::NonApiRoutes,
    id::{AssetId, OrganizationId},
    permits::{FairPermits, Overloaded},
    postgres::Tenants,
    problem::Failure,
    statements::{
        assets::{
            self, Asset,
            integrity::{self, ReadError, VerifiedPieces},
        },
        storage::{AssetKey, Storage},
    },
    telemetry::log_context,
};

const EXPIRED: &str = "LINK_EXPIRED";
const INVALID: &str = "LINK_INVALID";
const UNSATISFIABLE: &str = "RANGE_NOT_SATISFIABLE";

/// A PDF of at most so many bytes is verified before its first byte is sent; a longer one before
/// its last bytes are.
const VERIFIED_FIRST_BYTES: u64 = 4 * 1024 * 1024;

/// A PDF must not be cached, be taken for a page, run scripts, or send a referrer.
const PROTECTION: [(HeaderName, &str); 4] = [
    (header::CACHE_CONTROL, "private, no-store"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CONTENT_SECURITY_POLICY, "sandbox"),
];

#[derive(Clone)]
pub(crate) struct Downloads {
    tenants: Tenants,
    storage: Storage,
    links: LinkSigner,
    permits: Arc<FairPermits<OrganizationId>>,
}

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
    /// Serves from `storage` the PDFs that `links` verifies, with one of `permits` for each
    /// download.
    pub(crate) fn new(
        tenants: Tenants,
        storage: Storage,
        links: LinkSigner,
        permits: Arc<FairPermits<OrganizationId>>,
    ) -> Self {
        Self { tenants, storage, links, permits }
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
        log_context::set_organization(&organization);
        let permit = self.permits.acquire(organization.clone(), || ()).await;
        let permit = permit.map_err(|Overloaded| Failure::overloaded("downloads"))?;
        let (now, asset) = self.look_up(&organization, &genuine.asset).await?;
        if genuine.is_expired(now) {
            return Err(Refusal::Expired);
        }
        // A link leads to these bytes or to none.
        let asset = asset.filter(|asset| asset.sha256 == genuine.asset.sha256);
        let asset = asset.ok_or(Refusal::NotFound)?;
        let key = asset.key(&organization);
        let length = asset.length_bytes();
        let tag = range::entity_tag(&asset.sha256);
        let all = |name| headers.get_all(name).into_iter().map(HeaderValue::as_bytes);
        // Only a GET has ranges (RFC 9110 §14.2).
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
            .header(header::CONTENT_DISPOSITION, content_disposition(&asset.filename))
            .header(header::CONTENT_LENGTH, sent)
            .header(header::ACCEPT_RANGES, "bytes")
            .header(header::ETAG, tag);
        if let Some(part) = &part {
            response = response
                .status(StatusCode::PARTIAL_CONTENT)
                .header(header::CONTENT_RANGE, range::content_range(part, length));
        }
        // The headers alone promise a PDF too, so it is read for HEAD as well.
        let selected = part.filter(|_| with_body).unwrap_or(0..length);
        let source = Source { tenants: self.tenants.clone(), organization, key, asset };
        let pieces = match self.read(&source, selected).await {
            Ok(pieces) => pieces,
            Err(error) => return Err(Refusal::Failed(source.failure(error).await)),
        };
        if !with_body {
            return Ok(response.finish());
        }
        // The status has been sent by then: the connection ends early, and the log says why.
        let context = log_context::current();
        let pieces = pieces.or_else(move |error| {
            // The open object: it counts until the client has read it.
            let _held = &permit;
            let (source, context) = (source.clone(), context.clone());
            log_context::kept_by(context, async move {
                let error = source.failure(error).await;
                let cause: &dyn std::error::Error = &error;
                tracing::error!(error = cause, "a download failed");
                Err(std::io::Error::other(error))
            })
        });
        Ok(response.body(Body::from_bytes_stream(pieces)))
    }

    /// Reads the bytes `selected`, verified as far as [`VERIFIED_FIRST_BYTES`] says.
    async fn read(
        &self,
        Source { key, asset, .. }: &Source,
        selected: Range<u64>,
    ) -> Result<VerifiedPieces, ReadError> {
        let pieces = integrity::read(&self.storage, key, asset, selected).await?;
        if asset.length_bytes() > VERIFIED_FIRST_BYTES {
            return Ok(pieces);
        }
        let verified: Vec<Bytes> = pieces.try_collect().await?;
        Ok(stream::iter(verified.into_iter().map(Ok)).boxed())
    }

    /// Returns the path below the folder of links; a proxy may leave the base path before it.
    fn below_folder<'a>(&self, path: &'a str) -> Option<&'a str> {
        let below_base = path.strip_prefix(self.links.base_path());
        let mut paths = [Some(path), below_base].into_iter().flatten();
        paths.find_map(|path| path.strip_prefix(FOLDER))
    }

    async fn look_up(
        &self,
        organization: &OrganizationId,
        linked: &LinkedAsset,
    ) -> Result<(DateTime<Utc>, Option<Asset>), Failure> {
        let (tenants, organization) = (self.tenants.clone(), organization.clone());
        let asset_id = linked.asset.clone();
        let found = async move {
            let mut transaction = tenants.read(&organization).await?;
            assets::store::get_asset(&mut transaction, &asset_id).await
        };
        in_own_task(found).await
    }
}

/// Runs in a separate task: a client that disconnects must not cancel a query.
async fn in_own_task<T: Send + 'static>(
    work: impl Future<Output = Result<T, sqlx::Error>> + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::spawn(log_context::kept(work)).await;
    Ok(done.map_err(|error| Failure::Internal(error.to_string()))??)
}

#[derive(Clone)]
struct Source {
    tenants: Tenants,
    organization: OrganizationId,
    key: AssetKey,
    asset: Asset,
}

impl Source {
    /// Notes damage, and returns the failure of the download.
    async fn failure(&self, error: ReadError) -> Failure {
        let damage = match error {
            ReadError::Storage(error) => return error.into(),
            ReadError::Damaged(damage) => damage,
        };
        if let Err(error) = self.note_damage().await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, object = %self.key, "the damage of a PDF was not noted");
        }
        let remedy = match self.asset.is_uploaded {
            true => "upload the PDF again with `payout-server statements upload`",
            false => "generateStatement makes it again",
        };
        Failure::Internal(format!("{} is damaged: {damage}; {remedy}", self.key))
    }

    async fn note_damage(&self) -> Result<(), Failure> {
        let Self { tenants, organization, asset, .. } = self.clone();
        let noted = async move {
            let mut transaction = tenants.write(&organization).await?;
            integrity::store::set_damaged(&mut transaction, &asset.id, true).await?;
            transaction.commit().await
        };
        in_own_task(noted).await
    }
}

impl NonApiRoutes for Downloads {
    const OPERATION: &'static str = "download";
    const STATUSES: &'static [u16] = &[200, 206, 403, 404, 500, 503];

    /// Shows the ids only: a file name holds a partner's name.
    fn loggable_path(&self, path: &str) -> Option<String> {
        let mut parts = self.below_folder(path)?.split('/');
        let organization = parts.next().and_then(OrganizationId::parse);
        let asset = organization.as_ref().and(parts.next().and_then(AssetId::parse));
        let ids = [organization.as_deref(), asset.as_deref()];
        let shown: Vec<&str> = ids.into_iter().flatten().chain(["…"]).collect();
        Some(format!("{FOLDER}{}", shown.join("/")))
    }

    async fn respond(&self, request: Request, _: &RequestContext) -> Response {
        let with_body = match *request.method() {
            Method::GET => true,
            Method::HEAD => false,
            _ => return method_not_allowed(),
        };
        let link = request.uri().path_and_query().map_or("", |link| link.as_str());
        let served = self.serve(link, request.headers(), with_body).await;
        let mut response = served.unwrap_or_else(Refusal::into_response);
        for (name, value) in PROTECTION {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

fn method_not_allowed() -> Response {
    let problem = Problem::new(ErrorCode::MethodNotAllowed, "A link accepts GET and HEAD.");
    problem.with_header(header::ALLOW, HeaderValue::from_static("GET, HEAD")).into_response()
}

impl Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Expired => error_response(
                StatusCode::FORBIDDEN,
                EXPIRED,
                "This link has expired. Generate the statement again.",
            ),
            Self::Invalid => error_response(
                StatusCode::FORBIDDEN,
                INVALID,
                "This link is incomplete or was changed. Use the whole link, or generate the \
                 statement again.",
            ),
            Self::NotFound => {
                Problem::new(ErrorCode::NotFound, "This PDF does not exist.").into_response()
            }
            Self::Unsatisfiable(length) => {
                let message =
                    format!("Request one range of bytes within 0-{}.", length.saturating_sub(1));
                let response =
                    error_response(StatusCode::RANGE_NOT_SATISFIABLE, UNSATISFIABLE, &message);
                let range = range::unsatisfied_range(length);
                response.with_header(header::CONTENT_RANGE, range).into_response()
            }
            Self::Failed(failure) => Problem::from(failure).into_response(),
        }
    }
}

/// Returns an error in the API's envelope, with a code that no operation has.
fn error_response(status: StatusCode, code: &str, message: &str) -> Response {
    let error = ErrorObject { code: code.to_owned(), message: message.to_owned(), details: None };
    Error { error }.into_response_with(status)
}
