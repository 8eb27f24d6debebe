//! Payouts after a day, and the sums of the year.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde_json::Value;

use super::{
    Books, Conversion, Year,
    check::Routine,
    model::{Status, cents, money, stages},
};
use crate::histories::send;

/// Cents by partner, currency and what they are.
type Sums = BTreeMap<(String, String, String), i128>;

impl Books {
    /// The payouts that have lines.
    pub(super) fn filled(&self) -> BTreeSet<String> {
        self.lines.values().filter_map(|line| line.payout.clone()).collect()
    }

    fn sums(&self) -> Sums {
        let mut sums = Sums::new();
        for line in self.lines.values() {
            let what = match (line.status, &line.payout) {
                (Status::InPayout, Some(payout)) => &*self.payouts[payout].stage,
                (Status::Expected, None) => "EXPECTED",
                (Status::Pending, None) => "PENDING",
                (Status::Voided, None) => "VOIDED",
                _ => panic!("{line:?} is in a payout, or is not"),
            };
            let mut add = |what: &str| {
                let key = (line.partner.clone(), line.currency.clone(), what.to_owned());
                *sums.entry(key).or_default() += line.cents;
            };
            add(what);
            if line.matures_at.is_none() {
                add("claw-backs");
            }
        }
        sums
    }
}

impl Year {
    /// Every payout has a stage that the day can have led to, and the sum of its lines.
    pub(super) async fn take_payouts(
        &mut self,
        today: DateTime<Utc>,
        had_lines: &BTreeSet<String>,
        day: &Routine,
    ) {
        let rows: Vec<(String, String, String)> = sqlx::query_as(
            "SELECT id, stage, amount::text FROM payouts WHERE organization_id = $1",
        )
        .bind(self.organization.as_str())
        .fetch_all(&self.deployment.superuser_pool)
        .await
        .unwrap();
        assert_eq!(rows.len(), self.books.payouts.len(), "each payout is of a batch");
        let mut amounts: BTreeMap<&String, i128> = BTreeMap::new();
        for line in self.books.lines.values() {
            if let Some(payout) = &line.payout {
                *amounts.entry(payout).or_default() += line.cents;
            }
        }
        for (id, stage, amount) in rows {
            let sum = amounts.get(&id);
            assert_eq!(amount, money(sum.copied().unwrap_or(0)), "{today}: {id}");
            let payout = self.books.payouts.get_mut(&id).unwrap();
            // A batch makes no payout without lines.
            let is_emptied = sum.is_none() && (had_lines.contains(&id) || day.is_new(&id));
            let (to, succeeded, is_repeated) = match day.moves.get(&id) {
                Some((to, succeeded, is_repeated)) => (Some(*to), *succeeded, *is_repeated),
                None => (None, true, false),
            };
            let possible = stages(&payout.stage, to, is_emptied, is_repeated);
            assert!(
                possible.contains(&(stage.clone(), succeeded)),
                "{today}: {id} is {stage} after {to:?} ({succeeded}), and not {possible:?}"
            );
            payout.stage = stage;
        }
    }

    /// Database and lists agree with the books.
    pub(super) async fn check_all(&self) {
        let rows: Vec<(String, String, String, String)> = sqlx::query_as(
            "SELECT partner_id, currency, what, sum(amount)::text
               FROM (SELECT line.partner_id, line.currency, line.amount,
                            coalesce(payout.stage, line.status) AS what
                       FROM commission_lines AS line
                       LEFT JOIN payouts AS payout
                              ON payout.organization_id = $1 AND payout.id = line.payout_id
                      WHERE line.organization_id = $1
                      UNION ALL
                     SELECT line.partner_id, line.currency, line.amount, 'claw-backs'
                       FROM commission_lines AS line
                      WHERE line.organization_id = $1 AND NOT EXISTS (
                            SELECT FROM conversions AS conversion
                             WHERE conversion.organization_id = $1
                               AND conversion.commission_line_id = line.id)) AS amounts
              GROUP BY partner_id, currency, what",
        )
        .bind(self.organization.as_str())
        .fetch_all(&self.deployment.superuser_pool)
        .await
        .unwrap();
        let found = rows.into_iter();
        let found =
            found.map(|(partner, currency, what, sum)| ((partner, currency, what), cents(&sum)));
        assert_eq!(found.collect::<Sums>(), self.books.sums());
        let listed = self.list().await;
        assert_eq!(listed.len(), self.books.conversions.len(), "each order is one conversion");
        for shown in &listed {
            let key = shown["externalId"].as_str().or(shown["clickId"].as_str()).unwrap();
            let conversion = &self.books.conversions[key];
            conversion.is_shown(shown);
            assert_eq!(Conversion::read(shown).reversed_at, conversion.reversed_at, "{shown}");
        }
    }

    /// Every conversion, page by page.
    async fn list(&self) -> Vec<Value> {
        let (mut all, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("/api/v1/affiliate/conversions?limit=100{cursor}");
            let target = &self.deployment.target;
            let request = |replica| target.request(replica, Method::GET, &path, &self.key);
            let (response, _) = send(0, request).await;
            assert_eq!(response.status, 200, "{response:?}");
            all.extend(response.body["data"].as_array().unwrap().iter().cloned());
            match response.body["pagination"]["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return all,
            }
        }
    }
}
