//! What the day did to each line and payout must be possible in some order of the day's actions; at
//! the end of the year, every sum agrees.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use super::{
    Conversion, Year,
    day::{Action, Done, printed},
    model::{Act, Click, Fate, Line, Payout, Rate, Status, end_of_month},
    rows::Row,
};

/// What a day did.
#[derive(Default)]
pub(super) struct Routine {
    /// The end of the period of the day's batches, and their payouts.
    batch: Option<(DateTime<Utc>, BTreeSet<String>)>,
    /// Stages that payouts were moved to, and whether the request succeeded and was repeated.
    pub(super) moves: BTreeMap<String, (&'static str, bool, bool)>,
    reversed: BTreeSet<String>,
    /// Declined lines, and whether the request succeeded.
    declined: BTreeMap<String, bool>,
    created: BTreeSet<String>,
}

impl Routine {
    /// Returns true if one of the day's batches made this payout.
    pub(super) fn is_new(&self, payout: &str) -> bool {
        self.batch.as_ref().is_some_and(|(_, payouts)| payouts.contains(payout))
    }
}

impl Year {
    /// Takes over what became of the day.
    pub(super) async fn settle(&mut self, today: DateTime<Utc>, done: &[Done]) {
        let mut day = Routine::default();
        for done in done {
            self.take(today, done, &mut day).await;
        }
        let mut touched: Vec<String> =
            day.reversed.iter().chain(day.declined.keys()).cloned().collect();
        let is_over = |line: &Line| {
            let is_due =
                line.matures_at.is_some_and(|due| line.status == Status::Expected && due <= today);
            is_due || line.status == Status::Pending && day.batch.is_some()
        };
        let over = self.books.lines.iter().filter(|(_, line)| is_over(line));
        touched.extend(over.map(|(id, _)| id.clone()));
        let rows = Row::read(&self.deployment.superuser_pool, &self.organization, &touched, today);
        let (rows, had_lines) = (rows.await, self.books.filled());
        let mut owed: Vec<(String, String, i128)> = Vec::new();
        let (known, new): (Vec<_>, Vec<_>) =
            rows.iter().partition(|row| self.books.lines.contains_key(&row.id));
        for row in known {
            owed.extend(self.take_line(today, row, &day));
        }
        let claw_backs = new.iter().map(|row| self.take_claw_back(row, &day));
        let mut made: Vec<_> = claw_backs.collect();
        for row in new {
            self.books.lines.insert(row.id.clone(), row.claw_back());
        }
        made.sort();
        owed.sort();
        assert_eq!(made, owed, "claw-backs of {today}");
        self.books.claw_backs += u64::try_from(made.len()).unwrap();
        self.take_payouts(today, &had_lines, &day).await;
    }

    /// Takes over the responses of an action.
    async fn take(&mut self, today: DateTime<Utc>, done: &Done, day: &mut Routine) {
        let first = done.responses.first().map(|(response, _)| response);
        match &done.action {
            Action::Click(link) => {
                let id = done.click.clone().unwrap_or_default();
                let is_disabled = self.books.links[*link].disabled_at.is_some();
                assert_eq!(id.is_empty(), is_disabled, "a disabled link makes no click");
                if !is_disabled {
                    self.books.clicks.push(Click { id, link: *link, created_at: today });
                }
            }
            Action::Order(key, bodies) => self.take_order(today, key, bodies, done, day),
            Action::Reverse(key, _) => {
                let conversion = self.books.conversions.get_mut(key).unwrap();
                let at = conversion.reversed_at.get_or_insert_with(|| {
                    day.reversed.extend(conversion.line.clone());
                    printed(today)
                });
                for (response, _) in &done.responses {
                    assert_eq!(
                        (response.status, &response.body["data"]["reversedAt"]),
                        (200, &Value::from(at.as_str())),
                        "{response:?}"
                    );
                }
            }
            Action::Decline(line) => {
                let response = first.unwrap();
                let rejected = ["LINE_NOT_IN_PAYOUT", "LINE_LOCKED"];
                assert!(response.status == 200 || rejected.contains(&&*response.code), "{done:?}");
                day.declined.insert(line.clone(), response.status == 200);
            }
            Action::Stage(payout, stage) => {
                let (response, is_repeated) = &done.responses[0];
                let is_rejected = response.code == "INVALID_STAGE_TRANSITION";
                assert!(response.status == 200 || is_rejected, "{done:?}");
                day.moves.insert(payout.clone(), (stage, response.status == 200, *is_repeated));
            }
            Action::Batch(end) => {
                let batch = first.unwrap();
                assert_eq!(batch.status, 201, "{done:?}");
                let payouts = self.payouts_of(&batch.body["data"], *end).await;
                let (_, all) = day.batch.get_or_insert_with(|| (*end, BTreeSet::new()));
                all.extend(payouts);
            }
            Action::Mature | Action::MatureCommand => {}
        }
    }

    /// The new payouts of a batch, one of a partner and currency.
    async fn payouts_of(&mut self, batch: &Value, end: DateTime<Utc>) -> Vec<String> {
        let rows: Vec<(String, String, String, DateTime<Utc>)> = sqlx::query_as(
            "SELECT id, partner_id, currency, period_end FROM payouts
              WHERE organization_id = $1 AND batch_id = $2",
        )
        .bind(self.organization.as_str())
        .bind(batch["id"].as_str().unwrap())
        .fetch_all(&self.deployment.superuser_pool)
        .await
        .unwrap();
        assert_eq!(Some(u64::try_from(rows.len()).unwrap()), batch["payoutCount"].as_u64());
        let owners: BTreeSet<_> = rows.iter().map(|row| (&row.1, &row.2)).collect();
        assert_eq!(owners.len(), rows.len(), "one payout of a partner and currency");
        let payouts = rows.into_iter().map(|(id, partner, currency, period_end)| {
            assert_eq!(period_end, end);
            let payout = Payout { partner, currency, stage: "DRAFT".to_owned() };
            assert!(self.books.payouts.insert(id.clone(), payout).is_none(), "{id} is new");
            id
        });
        payouts.collect()
    }

    /// An order is recorded once; what it became is what all its responses say.
    fn take_order(
        &mut self,
        today: DateTime<Utc>,
        key: &str,
        bodies: &[Value],
        done: &Done,
        day: &mut Routine,
    ) {
        let data = |index: usize| &done.responses[index].0.body["data"];
        let count = |status: &str| {
            (0..bodies.len()).filter(|index| data(*index)["status"] == status).count()
        };
        if let Some(known) = self.books.conversions.get(key) {
            assert_eq!(count("DUPLICATE"), bodies.len(), "{done:?}");
            (0..bodies.len()).for_each(|index| known.is_shown(data(index)));
            self.books.duplicates += u64::try_from(bodies.len()).unwrap();
            return;
        }
        let body = &bodies[0];
        let click = self.books.clicks.iter().find(|click| body["clickId"] == *click.id);
        let occurred_at = body["occurredAt"].as_str().map_or(today, |time| time.parse().unwrap());
        let reasons = click.map_or(vec!["UNKNOWN_CLICK"], |click| {
            self.books.links[click.link].ignores(click, occurred_at)
        });
        if !reasons.is_empty() {
            for (response, _) in &done.responses {
                let data = &response.body["data"];
                let reason = data["reason"].as_str().unwrap_or_default();
                assert!(response.status == 200 && reasons.contains(&reason), "{done:?}");
                assert!(data["id"].is_null() && data["status"] == "IGNORED", "{done:?}");
            }
            self.books.ignored += u64::try_from(bodies.len()).unwrap();
            return;
        }
        let recorded = count("RECORDED");
        let is_repeated = done.responses.iter().any(|(_, is_repeated)| *is_repeated);
        assert!(recorded == 1 || recorded == 0 && is_repeated, "{done:?}");
        assert_eq!(recorded + count("DUPLICATE"), bodies.len(), "{done:?}");
        self.books.duplicates += u64::try_from(bodies.len() - recorded).unwrap();
        let link = self.books.links[click.unwrap().link].clone();
        let conversion = Conversion::read(data(0));
        (0..bodies.len()).for_each(|index| conversion.is_shown(data(index)));
        assert_eq!(conversion.created_at, printed(today), "{done:?}");
        let first = bodies.iter().any(|body| {
            (&body["amount"], &body["currency"]) == (&data(0)["amount"], &data(0)["currency"])
        });
        assert!(first, "no request had this amount: {done:?}");
        let (commission, currency) = match link.rate {
            Rate::Percent(_) => (link.rate.commission(conversion.cents), &*conversion.currency),
            Rate::Fixed(_) => (link.rate.commission(0), "EUR"),
        };
        assert_eq!(conversion.line.is_some(), commission != 0, "{done:?}");
        if let Some(id) = &conversion.line {
            let line = Line {
                partner: link.partner,
                currency: currency.to_owned(),
                cents: commission,
                source_cents: conversion.cents,
                plan: link.plan,
                description: match body["externalId"].as_str() {
                    Some(order) => format!("Conversion {order}"),
                    None => format!("Conversion {}", conversion.id),
                },
                period_end: end_of_month(occurred_at),
                matures_at: Some(occurred_at + TimeDelta::days(link.hold_days)),
                status: Status::Expected,
                payout: None,
            };
            assert!(self.books.lines.insert(id.clone(), line).is_none(), "a line of its own");
            day.created.insert(id.clone());
        }
        self.books.conversions.insert(key.to_owned(), conversion);
    }

    /// A line has one of its possible fates. Returns what is clawed back.
    fn take_line(
        &mut self,
        today: DateTime<Utc>,
        row: &Row,
        day: &Routine,
    ) -> Option<(String, String, i128)> {
        let line = &self.books.lines[&row.id];
        line.is_shown(row);
        let stage = line.payout.as_ref().map(|payout| &*self.books.payouts[payout].stage);
        let is_created = day.created.contains(&row.id);
        let before = Fate::new((!is_created).then_some(line.status), stage);
        let mut acts = Vec::new();
        let is_due = line.matures_at.is_some_and(|due| due <= today);
        let is_over = day.batch.as_ref().is_some_and(|(end, _)| line.period_end <= *end);
        let moved = line.payout.as_ref().and_then(|payout| day.moves.get(payout));
        for (acts_today, act) in [
            (is_created, Act::Create),
            (is_due, Act::Mature),
            (is_over, Act::Batch),
            (day.declined.contains_key(&row.id), Act::Decline),
            (day.reversed.contains(&row.id), Act::Reverse),
        ] {
            acts.extend(acts_today.then_some(act));
        }
        acts.extend(moved.map(|(stage, ..)| Act::Stage(stage)));
        let status = row.status();
        let is_declined = day.declined.get(&row.id).copied().unwrap_or(false);
        let is_clawed_back = day.reversed.contains(&row.id) && status == Status::InPayout;
        let fates = before.after_any_order(&acts);
        let is_possible = fates.iter().any(|fate| {
            (fate.status, fate.is_declined, fate.is_clawed_back)
                == (Some(status), is_declined, is_clawed_back)
        });
        assert!(is_possible, "{today}: {row:?} after {acts:?} on {line:?}, and not {fates:?}");
        if let Some(payout) = &row.payout_id {
            let is_kept = line.payout.as_ref() == Some(payout);
            assert!(is_kept || line.payout.is_none() && self.takes(payout, row, day), "{row:?}");
        }
        let owed =
            is_clawed_back.then(|| (line.partner.clone(), line.currency.clone(), -line.cents));
        let line = self.books.lines.get_mut(&row.id).unwrap();
        (line.status, line.payout) = (status, row.payout_id.clone());
        owed
    }

    /// Returns true if the payout is of today's batches and of the line's partner and currency.
    fn takes(&self, payout: &str, row: &Row, day: &Routine) -> bool {
        let (is_new, payout) = (day.is_new(payout), &self.books.payouts[payout]);
        is_new && (&payout.partner, &payout.currency) == (&row.partner_id, &row.currency)
    }

    /// A new line that no order made is pending or, where its period is over, in a payout.
    fn take_claw_back(&self, row: &Row, day: &Routine) -> (String, String, i128) {
        let is_over = day.batch.as_ref().is_some_and(|(end, _)| row.period_end <= *end);
        let is_taken = || row.payout_id.as_ref().is_some_and(|payout| self.takes(payout, row, day));
        let is_possible = row.status() == Status::Pending || is_over && is_taken();
        assert!(is_possible, "{row:?}");
        (row.partner_id.clone(), row.currency.clone(), row.cents())
    }
}
