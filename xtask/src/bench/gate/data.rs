//! A thousand organisations, each with a key and a payout, as a file for `payout-devdata import`; and the keys that pgbench
//! finds by an organisation's number.
//!
//! It refuses limits that a bench could meet: a request that is turned away is a cheap one.

use serde_json::{Value, json};

use crate::bench::call::Call;

/// Organisations over which calls are spread.
pub(crate) const ORGANIZATIONS: usize = 1_000;
/// The one that is called for alone.
pub(crate) const HOT: usize = 0;

/// The most that the server imports; [`PREPARATION`] raises the minute's beyond it.
const REQUESTS_PER_MINUTE: u32 = 1_000_000;
const CREDITS_PER_MONTH: u32 = 1_000_000_000;

/// What is not imported. pgbench cannot hold the text of a thousand keys, so each organisation gets a second one, whose
/// hash follows from its number. And a minute of one organisation may see more than a million requests here.
pub(crate) const PREPARATION: &str = "
    INSERT INTO api_keys (organization_id, id, name, hash, last_four, scopes, api_version, expires_at)
    SELECT organization_id, 'key_' || substr(id, 5), 'pgbench', sha256(('bench' || substr(id, 9)::bigint)::bytea), 'none',
           ARRAY['commissions:read', 'commissions:write'], 'v1', service_now() + interval '1 year'
      FROM payouts;
    UPDATE meters SET requests_per_minute = 2000000000;";

/// The file.
pub(crate) fn file() -> Value {
    json!({ "organizations": (0..ORGANIZATIONS).map(organization).collect::<Vec<_>>() })
}

/// The id of an organisation's payout; [`scripts`](super::scripts) makes the same of its number.
pub(crate) fn payout_id(organization: usize) -> String {
    format!("pay_01BE{organization:022}")
}

/// Name of an organisation's key in the file of keys.
pub(crate) fn key_name(organization: usize) -> String {
    format!("BENCH_{organization}_ALL")
}

/// What is measured: getPayout of an organisation's payout.
pub(crate) fn call(organization: usize, key: &str) -> Call {
    Call {
        method: "GET",
        path: format!("/api/v1/payouts/{}", payout_id(organization)),
        key: Some(key.to_owned()),
    }
}

fn organization(number: usize) -> Value {
    json!({
        "name": format!("bench {number}"),
        "limits": { "requestsPerMinute": REQUESTS_PER_MINUTE, "creditsPerMonth": CREDITS_PER_MONTH },
        "keys": [{ "name": "all", "scopes": ["commissions:read", "commissions:write"] }],
        "partners": [{ "ref": "nordlys", "name": format!("Nordlys Consulting {number}"), "status": "active" }],
        "payouts": [{
            "ref": "payout", "id": payout_id(number), "partner": "nordlys",
            "periodStart": "2026-04-01T00:00:00.000Z", "periodEnd": "2026-04-30T23:59:59.999Z",
            "currency": "EUR", "stage": "PENDING_REVIEW", "poNumber": "PO-2026-0042",
            "metadata": { "statementNote": "Payment follows within 14 days." },
        }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_organisation_has_the_payout_that_is_called_for() {
        let file = file();
        let organizations = file["organizations"].as_array().unwrap();
        assert_eq!(organizations.len(), ORGANIZATIONS);
        for (number, organization) in organizations.iter().enumerate() {
            let id = organization["payouts"][0]["id"].as_str().unwrap();
            assert_eq!(call(number, "secret").path, format!("/api/v1/payouts/{id}"));
            assert_eq!(id.len(), "pay_".len() + 26);
        }
    }

    #[test]
    fn key_is_named_as_the_server_names_it() {
        assert_eq!(key_name(7), "BENCH_7_ALL");
    }
}
