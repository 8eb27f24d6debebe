//! The organisations under load: a busy one and several quiet ones. Their limits are out of reach
//! unless a scenario sets them.

use payout_devdata::Dataset;
use payout_server::{gate::Environment, statements::storage::Storage};
use serde_json::{Value, json};
use sqlx::PgPool;

/// Requests a minute that no load reaches; addresses without a key have another limit, so an error
/// shows which meter it reports.
pub const MANY_REQUESTS: i64 = 2_000_000_000;
/// Credits that no load reaches.
pub const MANY_CREDITS: i64 = 1_000_000_000;
/// The organisation that gets most requests.
pub const BUSY: usize = 0;
const NAMES: [&str; 3] = ["hot", "cold-1", "cold-2"];
const PARTNERS: usize = 4;
pub const SCOPES: [&str; 6] = [
    "partners:read",
    "partners:write",
    "commissions:read",
    "commissions:write",
    "affiliate:write",
    "portal-sessions:write",
];

/// An organisation, as clients know it.
#[derive(Debug)]
pub struct Organization {
    pub id: String,
    /// A key of all scopes.
    pub key: String,
    /// A key without the scopes that its requests need.
    pub narrow_key: String,
    pub partners: Vec<String>,
    pub payouts: Vec<String>,
    /// Lines attached by the import.
    pub lines: Vec<String>,
}

/// Imports them as the server's role, with this many lines for the busy one, and reads their ids.
pub async fn import(
    app: &PgPool,
    superuser_pool: &PgPool,
    storage: &Storage,
    lines: u64,
) -> Vec<Organization> {
    let organizations: Vec<Value> = NAMES
        .iter()
        .enumerate()
        .map(|(place, name)| entry(name, if place == BUSY { lines } else { lines.div_ceil(4) }))
        .collect();
    let file = json!({ "organizations": organizations }).to_string();
    let imported =
        payout_devdata::import(app, storage, Dataset::read(&file).unwrap(), Environment::Test);
    let mut found = Vec::new();
    for organization in imported.await.unwrap() {
        let id = organization.id.to_string();
        let key = |name: &str| {
            let mut keys = organization.keys.iter();
            let key = keys.find(|key| key.name == name).unwrap();
            key.key.reveal().to_owned()
        };
        sqlx::query(
            "UPDATE meters SET requests_per_minute = $2, credits_per_month = $3
              WHERE organization_id = $1",
        )
        .bind(&id)
        .bind(i32::try_from(MANY_REQUESTS).unwrap())
        .bind(MANY_CREDITS)
        .execute(superuser_pool)
        .await
        .unwrap();
        found.push(Organization {
            key: key("all"),
            narrow_key: key("narrow"),
            partners: ids(
                superuser_pool,
                "SELECT id FROM partners WHERE organization_id = $1 ORDER BY id",
                &id,
            )
            .await,
            payouts: ids(
                superuser_pool,
                "SELECT id FROM payouts WHERE organization_id = $1 ORDER BY id",
                &id,
            )
            .await,
            lines: ids(
                superuser_pool,
                "SELECT id FROM commission_lines WHERE organization_id = $1
                   AND payout_id IS NOT NULL ORDER BY id",
                &id,
            )
            .await,
            id,
        });
    }
    found
}

async fn ids(superuser_pool: &PgPool, statement: &'static str, organization: &str) -> Vec<String> {
    sqlx::query_scalar(statement).bind(organization).fetch_all(superuser_pool).await.unwrap()
}

fn entry(name: &str, lines: u64) -> Value {
    let numbers = || 0..PARTNERS;
    let partners =
        numbers().map(|n| json!({ "ref": format!("p{n}"), "name": format!("Partner {n}") }));
    let payouts = numbers().map(|n| {
        json!({
            "ref": format!("o{n}"), "partner": format!("p{n}"), "currency": "EUR", "stage": "DRAFT",
            "periodStart": "2026-06-01T00:00:00.000Z", "periodEnd": "2026-06-30T23:59:59.999Z",
        })
    });
    let lines = numbers().map(|n| {
        json!({
            "repeat": lines.div_ceil(4), "partner": format!("p{n}"), "payout": format!("o{n}"),
            "description": "Line {n}", "amount": "7.77", "sourceAmount": "77.70", "currency": "EUR",
            "planName": "Referral", "periodEnd": "2026-06-30T23:59:59.999Z",
        })
    });
    json!({
        "name": name,
        "keys": [
            { "name": "all", "scopes": SCOPES },
            { "name": "narrow", "scopes": ["affiliate:write"] },
        ],
        "partners": partners.collect::<Vec<_>>(),
        "payouts": payouts.collect::<Vec<_>>(),
        "commissionLines": lines.collect::<Vec<_>>(),
    })
}
