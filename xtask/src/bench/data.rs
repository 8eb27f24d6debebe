//! Organisations to import, with limits that no bench reaches.

use serde_json::{Value, json};

pub(crate) fn payout_id(number: usize) -> String {
    format!("pay_01BE{number:022}")
}

/// The organisation `bench <number>`; a payout is its number and its count of commission lines.
pub(crate) fn organization(number: usize, payouts: &[(usize, usize)]) -> Value {
    let with_lines = payouts.iter().filter(|(_, lines)| *lines > 0);
    let lines = with_lines.map(|(payout, lines)| {
        json!({
            "partner": "nordlys", "payout": format!("payout-{payout}"), "repeat": lines,
            "description": "Annual plan Kestrel Analytics premium, order {n} of this payout",
            "amount": "1234.50", "sourceAmount": "12345.00", "currency": "EUR",
            "planName": "Reseller 2026", "periodEnd": "2026-04-28T23:59:59.999Z",
            "createdAt": "2026-04-20T09:00:00.000Z",
        })
    });
    let payouts = payouts.iter().map(|(payout, _)| {
        json!({
            "ref": format!("payout-{payout}"), "id": payout_id(*payout), "partner": "nordlys",
            "periodStart": "2026-04-01T00:00:00.000Z", "periodEnd": "2026-04-30T23:59:59.999Z",
            "currency": "EUR", "stage": "PENDING_REVIEW", "poNumber": "PO-2026-0042",
            "metadata": { "statementNote": "Payment follows within 14 days." },
        })
    });
    json!({
        "name": format!("bench {number}"),
        "limits": { "requestsPerMinute": 1_000_000, "creditsPerMonth": 1_000_000_000 },
        "billing": {
            "legalName": "Meridian Software GmbH", "addressLine1": "Am Sandtorkai 27",
            "postalCode": "20457", "city": "Hamburg", "country": "Germany",
            "financeEmail": "finance@meridian.example", "vatNumber": "DE123456789",
        },
        "keys": [{ "name": "all", "scopes": ["commissions:read", "commissions:write"] }],
        "partners": [{
            "ref": "nordlys", "name": format!("Nordlys Consulting {number}"), "status": "active",
        }],
        "payouts": payouts.collect::<Vec<_>>(),
        "commissionLines": lines.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn organisation_has_its_payouts_and_their_lines() {
        let organization = organization(7, &[(7, 25), (64, 2_000), (65, 0)]);
        let payouts = organization["payouts"].as_array().unwrap();
        let ids: Vec<_> = payouts.iter().map(|payout| payout["id"].as_str()).collect();
        let expected = [7, 64, 65].map(payout_id);
        assert_eq!(ids, expected.each_ref().map(|id| Some(id.as_str())));
        assert!(expected.iter().all(|id| id.len() == "pay_".len() + 26));
        let lines = organization["commissionLines"].as_array().unwrap();
        let counts: Vec<_> = lines.iter().map(|line| line["repeat"].as_u64()).collect();
        assert_eq!(counts, [Some(25), Some(2_000)]);
        assert_eq!(lines[1]["payout"], payouts[1]["ref"]);
    }
}
