//! The random actions of a day, done at once on both servers.

use std::{
    collections::BTreeSet,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use futures_util::{StreamExt as _, future::join_all, stream};
use payout_server::{
    commission_lines::maturity::store::mature_all, id::OrganizationId, postgres::Tenants,
};
use reqwest::{Method, redirect::Policy};
use serde_json::{Value, json};

use super::{
    CURRENCIES, Year,
    model::{self, Status, end_of_month},
};
use crate::{
    histories::send,
    support::{Response, Target, load::TIMEOUT, until},
};

/// Actions at once.
const WORKERS: usize = 12;
/// Every so many clicks, one becomes an order without a number.
const WITHOUT_NUMBER: usize = 4;

#[derive(Clone, Debug)]
pub(super) enum Action {
    /// A visit of the link with this index.
    Click(usize),
    /// The same order several times at once, under its key in the model.
    Order(String, Vec<Value>),
    /// The conversion with this key, by its id.
    Reverse(String, String),
    Decline(String),
    /// Moves a payout to a stage.
    Stage(String, &'static str),
    Batch(DateTime<Utc>),
    Mature,
    /// Maturity by the operator's command.
    MatureCommand,
}

/// An action, with its responses and whether each request had to be repeated.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) action: Action,
    pub(super) responses: Vec<(Response, bool)>,
    pub(super) click: Option<String>,
}

/// What of today's draw meets on one line.
#[derive(Default)]
struct Today {
    keys: BTreeSet<String>,
    reversed: BTreeSet<String>,
    declined: BTreeSet<String>,
    staged: BTreeSet<String>,
}

pub(super) fn printed(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

impl Year {
    /// So many random events, and the day's routine: if a period has ended, two batches of it.
    pub(super) fn draw(
        &mut self,
        today: DateTime<Utc>,
        period_end: Option<DateTime<Utc>>,
        events: u64,
    ) -> Vec<Action> {
        let mut actions = vec![Action::Mature];
        if let Some(period_end) = period_end {
            actions.extend([
                Action::Batch(period_end),
                Action::Batch(period_end),
                Action::MatureCommand,
            ]);
        }
        let mut drawn = Today::default();
        for _ in 0..events {
            let action = match self.random.u8(..16) {
                0..=1 => None,
                2..=9 => self.order(today, &mut drawn),
                10 => self.repeated_order(&mut drawn),
                11..=12 => self.reversal(&mut drawn),
                13 => self.decline(&mut drawn),
                _ => self.stage(&mut drawn),
            };
            let link = self.random.usize(..self.books.links.len());
            actions.push(action.unwrap_or(Action::Click(link)));
        }
        self.random.shuffle(&mut actions);
        actions
    }

    /// A new order of a click, mostly a recent one.
    fn order(&mut self, today: DateTime<Utc>, drawn: &mut Today) -> Option<Action> {
        let (clicks, random) = (&self.books.clicks, &mut self.random);
        let oldest = if random.u8(..4) > 0 { clicks.len().saturating_sub(30) } else { 0 };
        let index = (oldest < clicks.len()).then(|| random.usize(oldest..clicks.len()))?;
        let click = if random.u8(..40) == 0 { "clk_unknown" } else { &clicks[index].id };
        let mut body = json!({ "clickId": click, "email": "buyer@shop.example" });
        self.orders += 1;
        let mut key = format!("order-{}", self.orders);
        if index % WITHOUT_NUMBER == 0 {
            key = click.to_owned();
        } else {
            body["externalId"] = json!(key);
        }
        if random.bool() {
            let back = TimeDelta::milliseconds(random.i64(0..4 * 86_400_000));
            let last_month = end_of_month(today) - TimeDelta::days(31);
            let times = [today - back, end_of_month(last_month).min(today)];
            let mut occurred_at = times[usize::from(random.u8(..4) == 0)];
            // Rarely before the click.
            if random.u8(..8) > 0 {
                occurred_at = occurred_at.max(clicks[index].created_at);
            }
            body["occurredAt"] = json!(printed(occurred_at));
        }
        let copies = if random.u8(..4) == 0 { random.usize(2..5) } else { 1 };
        let bodies = (0..copies).map(|copy| {
            let mut body = body.clone();
            let has_amount = random.u8(..20) > 0;
            if has_amount || copies > 1 {
                let cents = if random.u8(..12) == 0 { 0 } else { random.i64(1..5_000_000) };
                body["amount"] =
                    json!(model::money(i128::from(cents + i64::try_from(copy).unwrap())));
                body["currency"] = json!(CURRENCIES[random.usize(..CURRENCIES.len())]);
            }
            body
        });
        let bodies = bodies.collect();
        drawn.keys.insert(key.clone()).then_some(Action::Order(key, bodies))
    }

    /// An order that was recorded on another day, with another click and amount.
    fn repeated_order(&mut self, drawn: &mut Today) -> Option<Action> {
        let known = self.random.choice(self.books.conversions.iter())?;
        let mut body = json!({ "clickId": known.1.click, "amount": "1.00", "currency": "EUR" });
        if *known.0 != known.1.click {
            body["externalId"] = json!(known.0);
            body["clickId"] = json!("clk_unknown");
        }
        drawn.keys.insert(known.0.clone()).then(|| Action::Order(known.0.clone(), vec![body; 2]))
    }

    fn reversal(&mut self, drawn: &mut Today) -> Option<Action> {
        let (key, conversion) = self.random.choice(self.books.conversions.iter())?;
        let line = conversion.line.clone().unwrap_or_default();
        if drawn.keys.contains(key) || self.is_contended(&line, &drawn.declined, drawn) {
            return None;
        }
        let action = Action::Reverse(key.clone(), conversion.id.clone());
        drawn.keys.insert(key.clone());
        drawn.reversed.insert(line);
        Some(action)
    }

    fn decline(&mut self, drawn: &mut Today) -> Option<Action> {
        let attached = self.books.lines.iter().filter(|(_, line)| line.status == Status::InPayout);
        let line = self.random.choice(attached.map(|(id, _)| id.clone()).collect::<Vec<_>>())?;
        if self.is_contended(&line, &drawn.reversed, drawn) || !drawn.declined.insert(line.clone())
        {
            return None;
        }
        Some(Action::Decline(line))
    }

    /// Returns true if the line's payout is moved today and the line is in `others`: of a reversal,
    /// a decline and a move at once, the state afterwards does not tell which came first.
    fn is_contended(&self, line: &str, others: &BTreeSet<String>, drawn: &Today) -> bool {
        let payout = self.books.lines.get(line).and_then(|line| line.payout.as_ref());
        payout.is_some_and(|payout| drawn.staged.contains(payout)) && others.contains(line)
    }

    /// Moves a payout, often that of a line which is reversed today.
    fn stage(&mut self, drawn: &mut Today) -> Option<Action> {
        let payout_of = |line: &String| self.books.lines.get(line)?.payout.clone();
        let contended: BTreeSet<_> =
            drawn.reversed.intersection(&drawn.declined).filter_map(payout_of).collect();
        let mut payouts: Vec<String> = drawn.reversed.iter().filter_map(payout_of).collect();
        if payouts.is_empty() || self.random.bool() {
            payouts = self.books.payouts.keys().cloned().collect();
        }
        let payout = self.random.choice(payouts)?;
        if contended.contains(&payout) || !drawn.staged.insert(payout.clone()) {
            return None;
        }
        let likely: &[&str] = match &*self.books.payouts[&payout].stage {
            "DRAFT" => {
                &["APPROVED", "APPROVED", "APPROVED", "PENDING_PAYMENT", "POSTPONED", "PAID"]
            }
            "APPROVED" => &["PENDING_PAYMENT", "SCHEDULED", "PAID", "BLOCKED"],
            "SCHEDULED" => &["PENDING_PAYMENT", "PAID", "FAILED", "APPROVED"],
            "PENDING_PAYMENT" => &["PAID", "PAID", "FAILED", "SCHEDULED"],
            "FAILED" => &["APPROVED", "PENDING_PAYMENT"],
            "PAID" => &["PAID", "FAILED", "APPROVED"],
            "BLOCKED" => &["APPROVED", "PAID"],
            _ => &["DRAFT"],
        };
        Some(Action::Stage(payout, likely[self.random.usize(..likely.len())]))
    }
}

/// A client of both servers, and the operator.
pub(super) struct Client {
    target: Arc<Target>,
    visitor: reqwest::Client,
    key: String,
    tenants: Tenants,
    organization: OrganizationId,
    app_url: String,
    done: AtomicUsize,
}

impl Client {
    pub(super) fn new(
        target: Arc<Target>,
        (organization, key): (OrganizationId, String),
        (tenants, app_url): (Tenants, String),
    ) -> Self {
        let visitor = reqwest::Client::builder().redirect(Policy::none()).build().unwrap();
        let done = AtomicUsize::new(0);
        Self { target, visitor, key, tenants, organization, app_url, done }
    }

    /// Waits until so many actions are done.
    pub(super) async fn done(&self, actions: usize) {
        until("actions are done", async || self.done.load(Ordering::SeqCst) >= actions).await;
    }

    pub(super) async fn run(&self, actions: Vec<Action>) -> Vec<Done> {
        let done = stream::iter(actions.into_iter().enumerate()).map(async |(index, action)| {
            let done = self.act(index % 2, action).await;
            self.done.fetch_add(1, Ordering::SeqCst);
            done
        });
        done.buffer_unordered(WORKERS).collect().await
    }

    async fn act(&self, replica: usize, action: Action) -> Done {
        let mut click = None;
        let responses = match &action {
            Action::Click(_) => {
                click = Some(self.visit(replica, &action).await);
                Vec::new()
            }
            Action::Order(_, bodies) => {
                let path = "affiliate/conversions";
                let sent = bodies.iter().enumerate().map(|(index, body)| {
                    self.send(replica + index, (Method::POST, path), body, index % 2 == 0)
                });
                join_all(sent).await
            }
            Action::Reverse(_, id) => {
                let path = format!("affiliate/conversions/{id}/reverse");
                let body = json!({ "reason": "Refunded" });
                let twice = (0..2).map(|index| {
                    self.send(replica + index, (Method::POST, &path), &body, index == 0)
                });
                join_all(twice).await
            }
            Action::Decline(line) => {
                let (path, body) =
                    (format!("commission-lines/{line}/decline"), json!({ "reason": "DISPUTED" }));
                vec![self.send(replica, (Method::POST, &path), &body, true).await]
            }
            Action::Stage(payout, stage) => {
                let (path, body) = (format!("payouts/{payout}"), json!({ "stage": stage }));
                vec![self.send(replica, (Method::PATCH, &path), &body, false).await]
            }
            Action::Batch(end) => {
                let start = *end - TimeDelta::days(27);
                let body = json!({ "periodStart": printed(start), "periodEnd": printed(*end) });
                vec![self.send(replica, (Method::POST, "payout-batches"), &body, true).await]
            }
            Action::Mature => {
                mature_all(&self.tenants, &self.organization, |_| ()).await.unwrap();
                Vec::new()
            }
            Action::MatureCommand => {
                self.mature_by_command().await;
                Vec::new()
            }
        };
        Done { action, responses, click }
    }

    /// Sends a request, with an idempotency key of its own or without one.
    async fn send(
        &self,
        replica: usize,
        (method, path): (Method, &str),
        body: &Value,
        is_keyed: bool,
    ) -> (Response, bool) {
        let key = format!("{:032x}", fastrand::u128(..));
        let path = format!("/api/v1/{path}");
        let request = |replica| {
            let request = self.target.request(replica, method.clone(), &path, &self.key);
            match is_keyed {
                true => request.header("idempotency-key", &key).json(body),
                false => request.json(body),
            }
        };
        let (response, is_repeated) = send(replica % 2, request).await;
        (response, is_repeated && !is_keyed)
    }

    /// Visits a link until a server answers; returns the id of the click.
    async fn visit(&self, mut replica: usize, action: &Action) -> String {
        let Action::Click(link) = action else { unreachable!("a visit is a click") };
        let mut location = None;
        until("a visitor is sent on", async || {
            let address = *self.target.addresses[replica].lock().unwrap();
            let visit = self.visitor.get(format!("http://{address}/r/year-of-{link}"));
            replica = 1 - replica;
            let Ok(response) = visit.timeout(TIMEOUT).send().await else { return false };
            let target = response.headers().get("location");
            // A disabled link leads nowhere.
            location = target.map(|target| target.to_str().unwrap().to_owned());
            [302, 404].contains(&response.status().as_u16())
        })
        .await;
        let location = location.unwrap_or_default();
        location.split_once("clickId=").map_or_else(String::new, |(_, click)| click.to_owned())
    }

    async fn mature_by_command(&self) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_payout-server"));
        let arguments = ["commission-lines", "mature", "--organization"];
        command.args(arguments).arg(self.organization.as_str());
        command.env_clear().env("DATABASE_URL", &self.app_url);
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}
