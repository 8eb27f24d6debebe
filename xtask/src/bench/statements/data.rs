//! 64 organisations, each with a payout of 25 lines for repeated calls; the first one also with
//! payouts for first calls. No bench reaches the limits.

use serde_json::{Value, json};

/// Organisations of repeated calls.
pub(super) const ORGANIZATIONS: usize = 64;
/// Lines of a usual statement, and of a long one.
pub(super) const USUAL_LINES: u32 = 25;
pub(super) const LONG_LINES: u32 = 2_000;

const REQUESTS_PER_MINUTE: u32 = 1_000_000;
const CREDITS_PER_MONTH: u32 = 1_000_000_000;

/// What is imported, and the ids of its payouts.
#[derive(Debug)]
pub(super) struct Data {
    /// For `payout-server import`.
    pub(super) file: Value,
    /// One of 25 lines per organisation, for repeated calls.
    pub(super) repeated: Vec<String>,
    /// Of 25 lines, for first calls.
    pub(super) usual: Vec<String>,
    /// Of 2,000 lines, for first calls.
    pub(super) long: Vec<String>,
}

impl Data {
    /// With this number of payouts for first calls.
    pub(super) fn new(usual: usize, long: usize) -> Self {
        let mut numbers = 0_u32..;
        let mut payouts = |count: usize| -> Vec<String> {
            numbers
                .by_ref()
                .take(count)
                .map(|number| format!("pay_01BE{number:022}"))
                .collect()
        };
        let (repeated, usual, long) = (payouts(ORGANIZATIONS), payouts(usual), payouts(long));
        let organizations = repeated.iter().enumerate().map(|(index, payout)| {
            let mut entries = vec![(payout, USUAL_LINES)];
            if index == 0 {
                entries.extend(usual.iter().map(|payout| (payout, USUAL_LINES)));
                entries.extend(long.iter().map(|payout| (payout, LONG_LINES)));
            }
            organization(index, &entries)
        });
        Self {
            file: json!({ "organizations": organizations.collect::<Vec<_>>() }),
            repeated,
            usual,
            long,
        }
    }
}

fn organization(index: usize, payouts: &[(&String, u32)]) -> Value {
    let lines = payouts.iter().map(|(payout, lines)| {
        json!({
            "partner": "nordlys", "payout": payout.to_lowercase(), "repeat": lines,
            "description":
                format!("Annual plan Kestrel Analytics premium, order {{n}} of {payout}"),
            "amount": "1234.50", "sourceAmount": "12345.00", "currency": "EUR",
            "planName": "Reseller 2026", "periodEnd": "2026-04-28T23:59:59.999Z",
            "createdAt": "2026-04-20T09:00:00.000Z",
        })
    });
    let made = payouts.iter().map(|(payout, _)| {
        json!({
            "ref": payout.to_lowercase(), "id": payout, "partner": "nordlys",
            "periodStart": "2026-04-01T00:00:00.000Z", "periodEnd": "2026-04-30T23:59:59.999Z",
            "currency": "EUR", "stage": "PENDING_REVIEW", "poNumber": "PO-2026-0042",
            "metadata": { "statementNote": "Payment follows within 14 days." },
        })
    });
    json!({
        "name": format!("bench {index}"),
        "limits": {
            "requestsPerMinute": REQUESTS_PER_MINUTE,
            "creditsPerMonth": CREDITS_PER_MONTH,
        },
        "billing": {
            "legalName": "Meridian Software GmbH", "addressLine1": "Am Sandtorkai 27",
            "postalCode": "20457", "city": "Hamburg", "country": "Germany",
            "financeEmail": "finance@meridian.example", "vatNumber": "DE123456789",
        },
        "keys": [{ "name": "all", "scopes": ["commissions:read", "commissions:write"] }],
        "partners": [{
            "ref": "nordlys", "name": format!("Nordlys Consulting {index}"), "status": "active",
        }],
        "payouts": made.collect::<Vec<_>>(),
        "commissionLines": lines.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_payout_is_imported_once_with_its_lines() {
        let data = Data::new(3, 2);
        let organizations = data.file["organizations"].as_array().unwrap();
        assert_eq!(organizations.len(), ORGANIZATIONS);
        let payouts = organizations
            .iter()
            .flat_map(|organization| organization["payouts"].as_array().unwrap());
        let imported: BTreeSet<&str> = payouts
            .map(|payout| payout["id"].as_str().unwrap())
            .collect();
        let requested: Vec<&String> = data
            .repeated
            .iter()
            .chain(&data.usual)
            .chain(&data.long)
            .collect();
        assert_eq!(imported.len(), requested.len());
        assert!(
            requested
                .iter()
                .all(|payout| imported.contains(payout.as_str()))
        );
        let lines = organizations[0]["commissionLines"].as_array().unwrap();
        let counts: Vec<u64> = lines
            .iter()
            .map(|line| line["repeat"].as_u64().unwrap())
            .collect();
        assert_eq!(counts, [25, 25, 25, 25, 2_000, 2_000]);
    }
}
