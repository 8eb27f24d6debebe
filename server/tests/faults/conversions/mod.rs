//! A year of conversions: orders, repeated orders, refunds, holds that end, batches, payments and
//! declines at once on two servers, some of which are killed. A model knows what can become of each
//! line in a day, whichever request came first, and agrees with the database to the cent.

mod check;
mod day;
mod model;
mod rows;
mod sums;

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike as _, TimeDelta, Utc};
use payout_server::{
    affiliate::{
        model::{Amount, Rate as ServerRate},
        operator::{NewLink, store},
    },
    id::OrganizationId,
    postgres::Tenants,
};
use rust_decimal::Decimal;
use serde_json::json;

use self::{
    day::{Action, Client, Done},
    model::{Click, Line, Link, Payout, Rate, end_of_month},
};
use crate::{
    state_invariants::broken,
    support::{
        Deployment, Options, dataset,
        scale::{factor, random, report_max, report_sum, seed},
    },
};

/// Random events in the quick form.
const EVENTS: u64 = 2_000;
const DAYS: i64 = 365;
/// In the past: the servers compare `occurredAt` with their machine's clock too.
const BEGIN: &str = "2025-01-01T12:00:00Z";
/// The clock moves by so many days: each move makes every session plan its statements again.
const QUICK_STEP_DAYS: i64 = 3;
/// From this factor on it moves by one.
const FACTOR_OF_SINGLE_DAYS: u64 = 5;
const CURRENCIES: [&str; 3] = ["EUR", "USD", "CHF"];
/// A link that is disabled in the middle of the year.
const DISABLED: usize = 3;
const DISABLED_ON: i64 = 180;
/// A server is killed on one of so many days on which the clock moves.
const DAYS_PER_KILL: u64 = 12;

/// An order, and what it became.
#[derive(Clone, Debug)]
struct Conversion {
    id: String,
    click: String,
    line: Option<String>,
    cents: i128,
    currency: String,
    created_at: String,
    reversed_at: Option<String>,
}

/// The organisation as the model knows it. An order without a number has its click's id as key.
#[derive(Debug, Default)]
struct Books {
    links: Vec<Link>,
    clicks: Vec<Click>,
    conversions: BTreeMap<String, Conversion>,
    lines: BTreeMap<String, Line>,
    payouts: BTreeMap<String, Payout>,
    /// Lines that claw back another one.
    claw_backs: u64,
    ignored: u64,
    duplicates: u64,
}

struct Year {
    deployment: Deployment,
    organization: OrganizationId,
    key: String,
    tenants: Tenants,
    random: fastrand::Rng,
    books: Books,
    orders: u64,
    kills: u64,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn year_of_conversions_agrees_with_the_model_to_the_cent() {
    let mut year = Year::begin().await;
    let begin: DateTime<Utc> = BEGIN.parse().unwrap();
    let events = EVENTS * factor();
    let mut drawn = 0;
    let step = if factor() < FACTOR_OF_SINGLE_DAYS { QUICK_STEP_DAYS } else { 1 };
    let mut yesterday = begin - TimeDelta::days(step);
    for day in (0..DAYS).step_by(usize::try_from(step).unwrap()) {
        let today = begin + TimeDelta::days(day);
        year.deployment.set_clock(&today.to_rfc3339()).await;
        if day == DISABLED_ON {
            year.disable(today).await;
        }
        let until = events * u64::try_from(day + step).unwrap() / u64::try_from(DAYS).unwrap();
        let period_end = (today.month() != yesterday.month()).then(|| end_of_month(yesterday));
        let actions = year.draw(today, period_end, until - drawn);
        (drawn, yesterday) = (until, today);
        let done = year.run(actions).await;
        year.settle(today, &done).await;
    }
    year.check_all().await;
    let broken = broken(&year.deployment.superuser_pool).await;
    assert!(broken.is_empty(), "seed {}: {broken:#?}", seed());
    let Books { conversions, claw_backs, ignored, duplicates, payouts, .. } = &year.books;
    for (name, count) in [
        ("conversions", u64::try_from(conversions.len()).unwrap()),
        ("duplicate orders", *duplicates),
        ("ignored orders", *ignored),
        ("claw-backs", *claw_backs),
        ("payouts of conversions", u64::try_from(payouts.len()).unwrap()),
        ("servers killed beside conversions", year.kills),
    ] {
        report_sum(name, count);
        assert!(count > 0, "no {name}: this has shown nothing");
    }
    report_max("milliseconds of the year", year.deployment.age().as_millis());
}

impl Year {
    /// An organisation with four partners and two links of each.
    async fn begin() -> Self {
        let flags = &["--acquire-seconds", "30"];
        let deployment = Deployment::start(Options { flags, ..Options::default() }).await;
        deployment.set_clock(BEGIN).await;
        let mut entry = dataset::entry("conversions", 4);
        for name in ["payouts", "commissionLines"] {
            entry[name] = json!([]);
        }
        let imported = deployment.import(vec![entry]).await.remove(0);
        let tenants = Tenants::from(&deployment.app_pool().await);
        let key = imported.keys[0].key.reveal().to_owned();
        let organization = OrganizationId::parse(&imported.id.to_string()).unwrap();
        let mut year = Self {
            deployment,
            organization,
            key,
            tenants,
            random: random(6_000),
            books: Books::default(),
            orders: 0,
            kills: 0,
        };
        let partners = "SELECT id FROM partners WHERE organization_id = $1 ORDER BY name";
        let partners: Vec<String> = sqlx::query_scalar(partners)
            .bind(year.organization.as_str())
            .fetch_all(&year.deployment.superuser_pool)
            .await
            .unwrap();
        let terms = [
            (Rate::Percent(1_250), 30, 90),
            (Rate::Fixed(2_500), 14, 30),
            (Rate::Percent(3_333), 0, 60),
            (Rate::Percent(777), 45, 90),
            (Rate::Percent(5), 7, 90),
            (Rate::Percent(10_000), 1, 10),
        ];
        for (number, (rate, hold_days, window_days)) in terms.into_iter().enumerate() {
            let partner = partners[number % partners.len()].clone();
            let (code, plan) = (format!("year-of-{number}"), format!("Plan {number}"));
            let link =
                Link { code, partner, plan, rate, hold_days, window_days, disabled_at: None };
            year.create(&link).await;
            year.books.links.push(link);
        }
        year
    }

    async fn create(&self, link: &Link) {
        let decimal = |value: i128| Decimal::try_from_i128_with_scale(value, 2).unwrap();
        let rate = match link.rate {
            Rate::Percent(hundredths) => ServerRate::Percent(decimal(hundredths)),
            Rate::Fixed(cents) => {
                ServerRate::Fixed(Amount { value: decimal(cents), currency: "EUR".to_owned() })
            }
        };
        let new = NewLink {
            partner_id: &link.partner,
            target_url: "https://shop.example/",
            plan_name: &link.plan,
            rate: &rate,
            hold_days: i32::try_from(link.hold_days).unwrap(),
            window_days: i32::try_from(link.window_days).unwrap(),
        };
        let mut transaction = self.tenants.write(&self.organization).await.unwrap();
        store::create_link(&mut transaction, &link.code, &new).await.unwrap().unwrap();
        transaction.commit().await.unwrap();
    }

    async fn disable(&mut self, today: DateTime<Utc>) {
        let mut transaction = self.tenants.write(&self.organization).await.unwrap();
        let link = &mut self.books.links[DISABLED];
        store::disable_link(&mut transaction, &link.code).await.unwrap();
        transaction.commit().await.unwrap();
        link.disabled_at = Some(today);
    }

    /// Does the actions at once on both servers, of which one may be killed in the middle of them.
    async fn run(&mut self, actions: Vec<Action>) -> Vec<Done> {
        let kill = (self.random.u64(..DAYS_PER_KILL) == 0)
            .then(|| (self.random.usize(..actions.len()), self.random.usize(..2)));
        let client = Client::new(
            self.deployment.target.clone(),
            (self.organization.clone(), self.key.clone()),
            (self.tenants.clone(), self.deployment.app_url().to_owned()),
        );
        let Some((after, victim)) = kill else { return client.run(actions).await };
        self.kills += 1;
        let kill = async {
            client.done(after).await;
            self.deployment.kill(victim);
            self.deployment.restart(victim).await;
        };
        tokio::join!(client.run(actions), kill).0
    }
}
