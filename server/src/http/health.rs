//! The health port: whether the process is alive and ready for requests, and its metrics. It shows
//! nothing of a tenant. The database's answer is reused for a second.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use payout_database::{
    AddressError, SchemaMismatch, SessionLimits, UnusableSession, app_connect_options, backend,
    check_own_session, check_schema_version, check_session, connect, end_after,
};
use poem::{
    Endpoint, IntoResponse, Request, Response,
    http::{Method, StatusCode, header},
};
use serde_json::{Value, json};
use sqlx::{PgConnection, postgres::PgConnectOptions};
use tokio::{sync::Mutex, time::Instant};

use super::limits::ConnectionLimits;
use crate::telemetry::Metrics;

const CHECK_REUSE: Duration = Duration::from_secs(1);
const CHECK_TIMEOUT: Duration = Duration::from_secs(2);
const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The health of one server; a clone shares it.
#[derive(Clone)]
pub struct Health(Arc<State>);

struct State {
    connect: PgConnectOptions,
    limits: SessionLimits,
    checked: Mutex<Checked>,
    is_draining: AtomicBool,
    metrics: Metrics,
}

#[derive(Debug, Default)]
struct Checked {
    /// Its own connection, with its backend: a server whose pools are busy is still ready.
    session: Option<(PgConnection, i32)>,
    result: Option<(Instant, Result<(), Unready>)>,
}

/// Reasons to send requests to another server.
#[derive(Clone, Debug, thiserror::Error)]
enum Unready {
    #[error("draining")]
    Draining,
    #[error("the database does not answer")]
    NoAnswer,
    #[error("the database has another schema version")]
    Schema,
    #[error("{0}")]
    Session(Arc<str>),
}

impl From<UnusableSession> for Unready {
    fn from(unusable: UnusableSession) -> Self {
        match unusable {
            UnusableSession::Connection(_) | UnusableSession::Database(_) => Self::NoAnswer,
            of_session => Self::Session(of_session.to_string().into()),
        }
    }
}

impl Health {
    /// Watches the health of a server on this database, whose sessions have these limits.
    pub fn new(
        database_url: &str,
        limits: SessionLimits,
        metrics: Metrics,
    ) -> Result<Self, AddressError> {
        Ok(Self(Arc::new(State {
            connect: end_after(app_connect_options(database_url)?, limits),
            limits,
            checked: Mutex::default(),
            is_draining: AtomicBool::new(false),
            metrics,
        })))
    }

    /// Reports the server as not ready from now on, because it stops.
    pub fn drain(&self) {
        self.0.is_draining.store(true, Ordering::SeqCst);
    }

    /// Returns the limits of the port itself, for a few monitors.
    pub fn limits() -> ConnectionLimits {
        ConnectionLimits {
            connections: 32,
            connections_per_address: 16,
            trusted_proxies: Vec::new(),
            first_byte: Duration::from_secs(5),
            head: Duration::from_secs(5),
            write: Duration::from_secs(10),
            keep_alive: Duration::from_secs(75),
            drain: Duration::from_secs(1),
        }
    }

    async fn readiness(&self) -> Result<(), Unready> {
        if self.0.is_draining.load(Ordering::SeqCst) {
            return Err(Unready::Draining);
        }
        self.database().await
    }

    async fn database(&self) -> Result<(), Unready> {
        // Concurrent probes share one check.
        let mut checked = self.0.checked.lock().await;
        if let Some((when, result)) = &checked.result
            && when.elapsed() < CHECK_REUSE
        {
            return result.clone();
        }
        let session = checked.session.take();
        let check = tokio::time::timeout(CHECK_TIMEOUT, self.check(session));
        let result = check.await.unwrap_or(Err(Unready::NoAnswer));
        // A session that failed is not used again.
        let result = result.map(|session| checked.session = Some(session));
        checked.result = Some((Instant::now(), result.clone()));
        result
    }

    /// Requires what a request needs of the database; returns the session for the next check.
    async fn check(
        &self,
        session: Option<(PgConnection, i32)>,
    ) -> Result<(PgConnection, i32), Unready> {
        let mut session = self.usable(session).await?;
        match check_schema_version(&mut session.0).await {
            // A rolling upgrade migrates first: servers of this version stay ready.
            Ok(()) | Err(SchemaMismatch::Newer { .. }) => Ok(session),
            Err(SchemaMismatch::Database(_)) => Err(Unready::NoAnswer),
            Err(_) => Err(Unready::Schema),
        }
    }

    async fn usable(
        &self,
        session: Option<(PgConnection, i32)>,
    ) -> Result<(PgConnection, i32), UnusableSession> {
        let State { connect: options, limits, .. } = &*self.0;
        let (mut connection, of_session) = match session {
            Some(session) => session,
            None => {
                let mut connection = connect(options).await?;
                check_own_session(&mut connection, options).await?;
                let backend = backend(&mut connection).await?;
                (connection, backend)
            }
        };
        if backend(&mut connection).await? != of_session {
            return Err(UnusableSession::SharedSession);
        }
        check_session(&mut connection, *limits).await?;
        Ok((connection, of_session))
    }

    async fn answer(&self, path: &str) -> Response {
        match path {
            "/livez" => json_response(StatusCode::OK, &json!({ "status": "alive" })),
            "/readyz" => match self.readiness().await {
                Ok(()) => json_response(StatusCode::OK, &json!({ "status": "ready" })),
                Err(why) => {
                    let body = json!({ "status": "unready", "reason": why.to_string() });
                    json_response(StatusCode::SERVICE_UNAVAILABLE, &body)
                }
            },
            "/metrics" => {
                self.0.metrics.database_up.set(self.database().await.is_ok().into());
                let response = Response::builder().content_type(METRICS_TYPE);
                response.body(self.0.metrics.encode())
            }
            _ => StatusCode::NOT_FOUND.into_response(),
        }
    }
}

impl Endpoint for Health {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let method = request.method();
        if method != Method::GET && method != Method::HEAD {
            let response = Response::builder().status(StatusCode::METHOD_NOT_ALLOWED);
            return Ok(response.header(header::ALLOW, "GET, HEAD").finish());
        }
        Ok(self.answer(request.uri().path()).await)
    }
}

fn json_response(status: StatusCode, body: &Value) -> Response {
    let response = Response::builder().status(status).header(header::CACHE_CONTROL, "no-store");
    response.content_type("application/json").body(body.to_string())
}
