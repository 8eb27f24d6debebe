//! A thousand organisations, each with a key and a payout, and limits that no bench reaches.

use serde_json::{Value, json};

use crate::bench::subject::Content;

pub(super) const ORGANIZATIONS: usize = 1_000;
/// The organisation of the candidates on one organisation.
pub(super) const HOT: usize = 0;

/// The highest limits that can be imported; [`PREPARATION`] raises the minute's.
const REQUESTS_PER_MINUTE: u32 = 1_000_000;
const CREDITS_PER_MONTH: u32 = 1_000_000_000;

/// pgbench cannot store the text of a thousand keys, so each organisation gets a second key whose
/// hash follows from its number. One organisation may get more than a million requests a minute.
pub(super) const PREPARATION: &str = "
    INSERT INTO api_keys (organization_id, id, name, hash, last_four, scopes, api_version,
                          expires_at)
    SELECT organization_id, 'key_' || substr(id, 5), 'pgbench',
           sha256(('bench' || substr(id, 9)::bigint)::bytea), 'none',
           ARRAY['commissions:read', 'commissions:write'], 'v1', service_now() + interval '1 year'
      FROM payouts;
    UPDATE meters SET requests_per_minute = 2000000000;";

pub(super) fn content() -> Content {
    let organizations: Vec<_> = (0..ORGANIZATIONS).map(organization).collect();
    Content {
        description: "1,000 organisations",
        data: json!({ "organizations": organizations }),
        lines: None,
    }
}

/// [`scripts`](super::scripts) computes the same from the organisation's number.
pub(super) fn payout_id(organization: usize) -> String {
    format!("pay_01BE{organization:022}")
}

/// The path of getPayout.
pub(super) fn payout_path(organization: usize) -> String {
    format!("/api/v1/payouts/{}", payout_id(organization))
}

fn organization(number: usize) -> Value {
    json!({
        "name": format!("bench {number}"),
        "limits": {
            "requestsPerMinute": REQUESTS_PER_MINUTE,
            "creditsPerMonth": CREDITS_PER_MONTH,
        },
        "keys": [{ "name": "all", "scopes": ["commissions:read", "commissions:write"] }],
        "partners": [{
            "ref": "nordlys", "name": format!("Nordlys Consulting {number}"), "status": "active",
        }],
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
    fn each_organisation_has_the_requested_payout() {
        let content = content();
        let organizations = content.data["organizations"].as_array().unwrap();
        assert_eq!(organizations.len(), ORGANIZATIONS);
        for (number, organization) in organizations.iter().enumerate() {
            let id = organization["payouts"][0]["id"].as_str().unwrap();
            assert_eq!(payout_path(number), format!("/api/v1/payouts/{id}"));
            assert_eq!(id.len(), "pay_".len() + 26);
        }
    }
}
