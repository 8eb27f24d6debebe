//! The organisations under load: a busy one and several quiet ones. Their limits are out of reach
//! unless a scenario sets them.

use payout_server::contract::types::Scope;
use serde_json::Value;

use super::deployment::Deployment;

/// Requests a minute that no load reaches; addresses without a key have another limit, so an error
/// shows which meter it reports.
pub const MANY_REQUESTS: i64 = 2_000_000_000;
/// Credits that no load reaches.
pub const MANY_CREDITS: i64 = 1_000_000_000;
/// The organisation that gets most requests.
pub const BUSY: usize = 0;
const NAMES: [&str; 3] = ["hot", "cold-1", "cold-2"];

/// An organisation, as clients know it.
#[derive(Clone, Debug)]
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

/// The entry of an organisation with four partners, a payout of each, and about so many lines.
pub fn entry(name: &str, lines: u64) -> Value {
    let template = include_str!("organization.json.template").replace("{name}", name);
    let scopes = serde_json::to_string(Scope::VALUES).expect("texts");
    let entry = template.replace("{scopes}", &scopes);
    let entry = entry.replace("{lines}", &lines.div_ceil(4).to_string());
    serde_json::from_str(&entry).expect("JSON")
}

/// Imports them, with this many lines for the busy one, and reads their ids.
pub async fn import(deployment: &Deployment, lines: u64) -> Vec<Organization> {
    let quiet = lines.div_ceil(4);
    let entries = NAMES.map(|name| entry(name, if name == NAMES[BUSY] { lines } else { quiet }));
    let mut found = Vec::new();
    for organization in deployment.import(entries.into()).await {
        let id = organization.id.to_string();
        let [all, narrow] = organization.keys.as_slice() else {
            panic!("two keys");
        };
        let ids = async |table: &str| -> Vec<String> {
            let query = format!("SELECT id FROM {table} WHERE organization_id = $1 ORDER BY id");
            let query = sqlx::query_scalar(sqlx::AssertSqlSafe(query)).bind(&id);
            query.fetch_all(&deployment.superuser_pool).await.unwrap()
        };
        found.push(Organization {
            key: all.key.reveal().to_owned(),
            narrow_key: narrow.key.reveal().to_owned(),
            partners: ids("partners").await,
            payouts: ids("payouts").await,
            lines: ids("commission_lines").await,
            id,
        });
    }
    found
}
