//! getPayout as a service written with axum and sqlx answers it: key check, charge and read in one
//! durable statement per request. `peers/mod.rs` starts it.

use std::{env, error::Error, sync::Arc};

use axum::{
    Json, Router,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse as _, Response},
    routing::get,
};
use chrono::{DateTime, SecondsFormat, Utc};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use sqlx::{
    AssertSqlSafe, PgPool, Row as _, SqlSafeStr as _, SqlStr,
    postgres::{PgConnectOptions, PgPoolOptions, PgRow},
};

#[derive(Clone)]
struct Service {
    pool: PgPool,
    /// `$1` is the key's hash, `$2` the payout's id.
    statement: SqlStr,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let connections = env::var("CONNECTIONS")?.parse()?;
    let pool = PgPoolOptions::new().max_connections(connections);
    let pool = pool.connect_with(PgConnectOptions::new()).await?;
    let statement: Arc<str> = env::var("STATEMENT")?.into();
    let service = Service { pool, statement: AssertSqlSafe(statement).into_sql_str() };
    let routes = Router::new().route("/api/v1/payouts/{id}", get(get_payout)).with_state(service);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    Ok(axum::serve(listener, routes).await?)
}

async fn get_payout(
    State(service): State<Service>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    let Some(key) = headers.get("x-api-key") else {
        return StatusCode::UNAUTHORIZED.into_response();
    };
    let hash = Sha256::digest(key.as_bytes());
    let query = sqlx::query(service.statement.clone()).bind(hash.as_slice()).bind(id);
    match query.fetch_one(&service.pool).await.and_then(|row| response(&row)) {
        Ok(response) => response,
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// The columns are those of `gate/contract.sql`.
fn response(row: &PgRow) -> sqlx::Result<Response> {
    let time = |column| -> sqlx::Result<String> {
        let time: DateTime<Utc> = row.try_get(column)?;
        Ok(time.to_rfc3339_opts(SecondsFormat::Millis, true))
    };
    let text = |column| row.try_get::<Option<&str>, usize>(column);
    let payout = json!({
        "id": row.try_get::<&str, _>(0)?,
        "partner": { "id": text(1)?, "name": text(2)? },
        "batchId": text(3)?,
        "periodStart": time(4)?,
        "periodEnd": time(5)?,
        "amount": row.try_get::<Decimal, _>(6)?.to_string(),
        "currency": text(7)?,
        "stage": text(8)?,
        "poNumber": text(9)?,
        "metadata": row.try_get::<Option<Value>, _>(10)?,
        "createdAt": time(11)?,
        "updatedAt": time(12)?,
    });
    let (limit, used): (i32, i32) = (row.try_get(23)?, row.try_get(25)?);
    let (credits, spent): (Option<i64>, i64) = (row.try_get(24)?, row.try_get(27)?);
    let credits = credits.unwrap_or(i64::MAX);
    let headers = [
        ("x-ratelimit-limit-minute", i64::from(limit)),
        ("x-ratelimit-remaining-minute", i64::from(limit - used)),
        ("x-service-credits-limit-month", credits),
        ("x-service-credits-remaining-month", credits - spent),
    ];
    let headers = headers.map(|(name, value)| (name, value.to_string()));
    Ok((headers, Json(json!({ "data": payout }))).into_response())
}
