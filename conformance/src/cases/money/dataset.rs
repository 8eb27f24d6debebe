//! The project's data set, as a deployment with the feature `seeded` holds it.
//!
//! It refuses to be asked about a deployment without that feature: values of others are their own.

use rust_decimal::Decimal;
use serde_json::Value;

const FILE: &str = include_str!("../../../dataset.json");
/// The organisation of the key `all`.
const JUDGED: &str = "main";

/// The organisation that is judged.
pub(in crate::cases) struct Dataset(Value);

impl Dataset {
    /// Reads it.
    pub(in crate::cases) fn read() -> Self {
        let file: Value = serde_json::from_str(FILE).expect("a test holds that the file is JSON");
        let organizations = file["organizations"].as_array().into_iter().flatten();
        let mut judged = organizations.filter(|organization| organization["name"] == JUDGED);
        Self(judged.next().cloned().unwrap_or_default())
    }

    /// Its payouts.
    pub(in crate::cases) fn payouts(&self) -> &[Value] {
        self.0["payouts"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The payout with this local name.
    pub(in crate::cases) fn payout(&self, name: &str) -> Option<&Value> {
        self.payouts().iter().find(|payout| payout["ref"] == name)
    }

    /// The partner with this local name.
    pub(in crate::cases) fn partner(&self, name: &Value) -> Option<&Value> {
        let mut partners = self.0["partners"].as_array().into_iter().flatten();
        partners.find(|partner| &partner["ref"] == name)
    }

    /// The sum of a payout's lines.
    pub(in crate::cases) fn amount(&self, payout: &Value) -> Decimal {
        let lines = self.lines().filter(|line| line["payout"] == payout["ref"]);
        let amounts = lines.map(|line| {
            let amount = line["amount"].as_str().unwrap_or_default();
            let amount: Decimal = amount.parse().unwrap_or_default();
            amount * Decimal::from(line["repeat"].as_u64().unwrap_or(1))
        });
        amounts.sum()
    }

    /// The `idempotencyKey` of the line with this description: the file counts both alike.
    pub(in crate::cases) fn idempotency_key(&self, description: &str) -> Option<String> {
        self.lines().find_map(|line| {
            let (before, after) = line["description"].as_str()?.split_once("{n}")?;
            let number = description.strip_prefix(before)?.strip_suffix(after)?;
            number.parse::<u64>().ok()?;
            let key = line["idempotencyKey"].as_str()?;
            Some(key.replace("{n}", number))
        })
    }

    fn lines(&self) -> impl Iterator<Item = &Value> {
        self.0["commissionLines"].as_array().into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_sums_and_keys_are_counted_with_descriptions() {
        let dataset = Dataset::read();
        let amount = |name| {
            let payout = dataset.payout(name).unwrap();
            format!("{:.2}", dataset.amount(payout))
        };
        assert_eq!(amount("huge"), "90071992547409.93");
        assert_eq!(amount("negative"), "-25.25");
        assert_eq!(amount("forty-one"), "410.41");
        assert_eq!(amount("empty"), "0.00");
        let key = dataset.idempotency_key("Commission on order 3, to be detached by tests");
        assert_eq!(key.as_deref(), Some("detach-3"));
        let none = "Commission without an idempotency key on order 3, to be detached by tests";
        assert_eq!(dataset.idempotency_key(none), None);
    }
}
