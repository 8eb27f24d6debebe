//! The health port: whether the process is alive and ready for requests, and its metrics. It shows
//! nothing of a tenant. The database's answer is reused for a second.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use payout_database::{SchemaMismatch, app_connect_options, check_schema_version};
use poem::{
    Endpoint, IntoResponse, Request, Response,
    http::{Method, StatusCode, header},
};
use serde_json::{Value, json};
use sqlx::{PgPool, postgres::PgPoolOptions};
use tokio::{sync::Mutex, time::Instant};

use super::limits::ConnectionLimits;
use crate::metrics::Metrics;

const CHECK_REUSE: Duration = Duration::from_secs(1);
const CHECK_TIMEOUT: Duration = Duration::from_secs(2);
const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The health of one server; a clone shares it.
#[derive(Clone, Debug)]
pub struct Health(Arc<State>);

#[derive(Debug)]
struct State {
    /// Its own connection: a server whose pools are busy is still ready.
    database: PgPool,
    checked: Mutex<Option<(Instant, Result<(), Unready>)>>,
    is_draining: AtomicBool,
    metrics: Metrics,
}

/// Why requests should go to another server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Unready {
    #[error("draining")]
    Draining,
    #[error("the database does not answer")]
    Database,
    #[error("the database has another schema version")]
    Schema,
}

impl Health {
    /// The health of a server on this database.
    ///
    /// # Errors
    /// The URL is not one of PostgreSQL.
    pub fn new(database_url: &str, metrics: Metrics) -> Result<Self, sqlx::Error> {
        let options = app_connect_options(database_url)?;
        let pool = PgPoolOptions::new().max_connections(1).acquire_timeout(CHECK_TIMEOUT);
        Ok(Self(Arc::new(State {
            database: pool.connect_lazy_with(options),
            checked: Mutex::default(),
            is_draining: AtomicBool::new(false),
            metrics,
        })))
    }

    /// Reports the server as not ready from now on, because it stops.
    pub fn drain(&self) {
        self.0.is_draining.store(true, Ordering::SeqCst);
    }

    /// The limits of the port itself, for a few monitors.
    #[must_use]
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
        // Concurrent probes share one check.
        let mut checked = self.0.checked.lock().await;
        match *checked {
            Some((when, result)) if when.elapsed() < CHECK_REUSE => result,
            _ => {
                let check = tokio::time::timeout(CHECK_TIMEOUT, self.check());
                let result = check.await.unwrap_or(Err(Unready::Database));
                *checked = Some((Instant::now(), result));
                result
            }
        }
    }

    async fn check(&self) -> Result<(), Unready> {
        let connection = self.0.database.acquire().await;
        let mut connection = connection.map_err(|_| Unready::Database)?;
        match check_schema_version(&mut connection).await {
            // A rolling upgrade migrates first: servers of this version stay ready.
            Ok(()) | Err(SchemaMismatch::Newer { .. }) => Ok(()),
            Err(SchemaMismatch::Database(_)) => Err(Unready::Database),
            Err(_) => Err(Unready::Schema),
        }
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
