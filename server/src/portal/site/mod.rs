//! The pages of the portal over HTTP: plain HTML, which needs no script. Each request is counted by
//! its address and by its session, and each page asks the database whether its visitor may see it.
//!
//! | file | owns |
//! |---|---|
//! | `mod.rs` | one request from its address to its page |
//! | `route` | addresses, and how the log shows them |
//! | `session` | the cookie, and the visitor behind it |
//! | `entrance` | opening a link, signing out |
//! | `commissions` | pages of what the partner earns, and comments |
//! | `forms` | pages of forms, and what is filled in |
//! | `posted` | the body of a form, and its token |
//! | `reply` | pages as responses; refusals |
//! | `view` | templates |

mod commissions;
mod entrance;
mod forms;
mod posted;
mod reply;
mod route;
mod session;
mod view;

use std::sync::Arc;

use minijinja::context;
use poem::{
    Request, Response,
    http::{Method, StatusCode},
};
use tokio_util::task::TaskTracker;

pub(crate) use self::route::host;
use self::{
    reply::{Refusal, Reply},
    route::{Route, loggable},
    session::Session,
    view::View,
};
use super::{options::PortalAddress, ticket::Ticket};
use crate::{
    contract::Problem,
    gate::{
        AnonymousLimit,
        body::{self, BodyLimits},
        pipeline::RequestContext,
    },
    http::NonApiRoutes,
    id::OrganizationId,
    permits::{FairPermit, FairPermits, Overloaded},
    postgres::Tenants,
    problem::Failure,
    statements::Statements,
    telemetry::log_context,
};

/// A body above it: 413. A comment of 10,000 characters takes up to 120,000 bytes as a form.
pub(crate) const BODY_SIZE_BYTES: usize = 256 * 1024;

/// What the portal needs of a server.
pub(crate) struct PortalParts {
    /// On connections that see one partner at most.
    pub(crate) tenants: Tenants,
    pub(crate) statements: Arc<Statements>,
    pub(crate) address: PortalAddress,
    pub(crate) limits: PortalLimits,
    pub(crate) detached_tasks: TaskTracker,
}

pub(crate) struct PortalLimits {
    pub(crate) session_hours: u32,
    pub(crate) body: BodyLimits,
    /// Of one address, and of one session.
    pub(crate) requests_per_minute: u32,
    /// Of requests in flight.
    pub(crate) permits: Arc<FairPermits<OrganizationId>>,
}

/// The portal's pages; a clone shares them.
#[derive(Clone)]
pub struct Portal(Arc<Site>);

struct Site {
    parts: PortalParts,
    view: View,
    by_address: AnonymousLimit,
    by_session: AnonymousLimit<String>,
}

/// A request whose route is known.
struct Visit {
    route: Route,
    is_post: bool,
    query: String,
    cookies: Vec<String>,
    body: Vec<u8>,
    context: RequestContext,
}

impl Portal {
    pub(crate) fn new(parts: PortalParts) -> Self {
        let limit = parts.limits.requests_per_minute;
        Self(Arc::new(Site {
            view: View::new(&parts.address),
            by_address: AnonymousLimit::new(limit),
            by_session: AnonymousLimit::new(limit),
            parts,
        }))
    }
}

impl NonApiRoutes for Portal {
    const OPERATION: &'static str = "portal";
    const STATUSES: &'static [u16] = &[200, 303, 403, 404, 410, 422, 429, 500, 503];

    fn loggable_path(&self, path: &str) -> Option<String> {
        // A link with a mistake in its path is no other route's: its ticket is not for the log.
        let below = self.0.parts.address.below_folder(path);
        below.map(loggable).or_else(|| route::has_ticket(path).then(|| loggable("/…")))
    }

    async fn respond(&self, request: Request, context: &RequestContext) -> Response {
        let site = &self.0;
        if !site.parts.address.is_on(route::host(&request)) {
            return poem::IntoResponse::into_response(Problem::from(Failure::NotFound("page")));
        }
        let allowance = site.by_address.count(context.client_address);
        let reply = if allowance.exceeded {
            Err(Refusal::TooMany { seconds: allowance.minute_ends_in_seconds })
        } else {
            self.reply(request, context).await
        };
        site.view.respond(reply)
    }
}

impl Portal {
    async fn reply(
        &self,
        mut request: Request,
        context: &RequestContext,
    ) -> Result<Reply, Refusal> {
        let site = &self.0;
        // Unread bytes would be taken for the next request.
        let body = body::read(&mut request, &site.parts.limits.body).await;
        let below = site.parts.address.below_folder(request.uri().path());
        let route = Route::find(request.method(), below.ok_or(Refusal::NotFound)?)?;
        if route == Route::Stylesheet {
            return Ok(Reply::Stylesheet);
        }
        let is_post = request.method() == Method::POST;
        if is_post && !route::is_own_page(request.headers()) {
            return Err(Refusal::ForeignForm);
        }
        let visit = Visit {
            is_post,
            query: request.uri().query().unwrap_or_default().to_owned(),
            cookies: site.cookies(request.headers()),
            body: body.map_err(|problem| Refusal::Unread(problem.status()))?.to_vec(),
            context: context.clone(),
            route,
        };
        // A visitor who leaves must not interrupt database work.
        let portal = self.clone();
        let task = async move { portal.0.answer(visit).await };
        let task = site.parts.detached_tasks.spawn(log_context::kept(task));
        task.await.unwrap_or_else(|error| Err(Failure::Internal(error.to_string()).into()))
    }
}

impl Site {
    async fn answer(&self, visit: Visit) -> Result<Reply, Refusal> {
        if let Route::Enter(link) = &visit.route {
            let link = Ticket::parse(link).ok_or(Refusal::Gone)?;
            let _permit = self.permit(&link.organization).await?;
            return match visit.is_post {
                true => self.enter(&link, &visit).await,
                false => self.link_page(&link).await,
            };
        }
        let ticket = self.ticket(&visit)?;
        let _permit = self.permit(&ticket.organization).await?;
        let session = self.session(ticket, &visit).await?;
        match (&visit.route, visit.is_post) {
            (Route::SignOut, _) => self.sign_out(&session, &visit).await,
            (Route::Overview, _) => self.overview(&session).await,
            (Route::Commissions, _) => self.commissions(&session, &visit).await,
            (Route::Payouts, _) => self.payouts(&session, &visit).await,
            (Route::Payout(id), _) => self.payout(&session, id, &visit, None).await,
            (Route::Statement(id), _) => self.statement(&session, id).await,
            (Route::Comments(id), _) => self.comment(&session, id, &visit).await,
            (Route::Forms, _) => self.forms(&session, &visit).await,
            (Route::Form(id), false) => self.form(&session, id).await,
            (Route::Form(id), true) => self.submit(&session, id, &visit).await,
            (Route::Submission(id), _) => self.submission(&session, id).await,
            // Both were answered before a session was asked for.
            (Route::Enter(_) | Route::Stylesheet, _) => Err(Refusal::NotFound),
        }
    }

    async fn permit(
        &self,
        organization: &OrganizationId,
    ) -> Result<FairPermit<OrganizationId>, Failure> {
        let permit = self.parts.limits.permits.acquire(organization.clone(), || ()).await;
        permit.map_err(|Overloaded| Failure::overloaded("requests of the portal"))
    }

    /// A page for a visitor, with what every such page shows.
    fn page(&self, session: &Session, template: &'static str, content: minijinja::Value) -> Reply {
        let frame = context! {
            visitor => session.visitor,
            sign_out => session.ticket.sign(&self.action("/sign-out"), ""),
        };
        Reply::Page {
            status: StatusCode::OK,
            template,
            content: context! { ..content, ..frame },
            cookie: None,
        }
    }

    /// The address of a page, as a browser sees it.
    fn action(&self, below: &str) -> String {
        format!("{}{below}", self.parts.address.base())
    }
}
