//! What the specification says of conversions, their lines and payouts (X4, X5, X8, X18–X20), in
//! whole cents. It knows nothing of the server's code.

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike as _, TimeDelta, TimeZone as _, Utc};

/// The stages that follow each stage (X4).
const STAGES: [(&str, &[&str]); 11] = [
    (
        "DRAFT",
        &[
            "PENDING_REVIEW",
            "APPROVED",
            "PENDING_INVOICE",
            "PENDING_PAYMENT",
            "DECLINED",
            "POSTPONED",
            "BLOCKED",
        ],
    ),
    (
        "PENDING_REVIEW",
        &["DRAFT", "APPROVED", "PENDING_INVOICE", "DECLINED", "POSTPONED", "BLOCKED"],
    ),
    (
        "APPROVED",
        &[
            "PENDING_REVIEW",
            "PENDING_INVOICE",
            "SCHEDULED",
            "PENDING_PAYMENT",
            "PAID",
            "DECLINED",
            "POSTPONED",
            "BLOCKED",
        ],
    ),
    (
        "PENDING_INVOICE",
        &["APPROVED", "SCHEDULED", "PENDING_PAYMENT", "DECLINED", "POSTPONED", "BLOCKED"],
    ),
    (
        "SCHEDULED",
        &["APPROVED", "PENDING_PAYMENT", "PAID", "FAILED", "POSTPONED", "DECLINED", "BLOCKED"],
    ),
    ("PENDING_PAYMENT", &["APPROVED", "PAID", "FAILED", "BLOCKED"]),
    ("FAILED", &["APPROVED", "SCHEDULED", "PENDING_PAYMENT", "BLOCKED", "DECLINED"]),
    ("BLOCKED", &["PENDING_REVIEW", "APPROVED", "SCHEDULED", "PENDING_PAYMENT", "DECLINED"]),
    ("POSTPONED", &["DRAFT", "PENDING_REVIEW"]),
    ("DECLINED", &["DRAFT", "PENDING_REVIEW"]),
    ("PAID", &["PENDING_PAYMENT", "FAILED"]),
];

/// What a link pays.
#[derive(Clone, Copy, Debug)]
pub enum Rate {
    /// In hundredths of a per cent.
    Percent(i128),
    /// Cents, in euros.
    Fixed(i128),
}

/// A link, and the partner that earns.
#[derive(Clone, Debug)]
pub struct Link {
    pub code: String,
    pub partner: String,
    pub plan: String,
    pub rate: Rate,
    pub hold_days: i64,
    pub window_days: i64,
    pub disabled_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug)]
pub struct Click {
    pub id: String,
    pub link: usize,
    pub created_at: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Expected,
    Pending,
    InPayout,
    Voided,
}

#[derive(Clone, Debug)]
pub struct Line {
    pub partner: String,
    pub currency: String,
    pub cents: i128,
    pub source_cents: i128,
    pub plan: String,
    pub description: String,
    pub period_end: DateTime<Utc>,
    /// `None` for a claw-back, which is pending from the beginning.
    pub matures_at: Option<DateTime<Utc>>,
    pub status: Status,
    pub payout: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Payout {
    pub partner: String,
    pub currency: String,
    pub stage: String,
}

/// What happens to a line on a day, in an unknown order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act<'a> {
    Create,
    /// Its hold is over.
    Mature,
    /// Its period is over.
    Batch,
    Decline,
    Reverse,
    /// Its payout is moved to this stage.
    Stage(&'a str),
}

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fate<'a> {
    /// `None` before it is created.
    pub status: Option<Status>,
    pub stage: Option<&'a str>,
    pub is_declined: bool,
    pub is_clawed_back: bool,
}

/// A stage, and whether the request to move it there succeeded.
pub type Move = (String, bool);

impl Rate {
    /// The commission in cents: half a cent is rounded away from zero, and no amount is negative.
    pub fn commission(self, cents: i128) -> i128 {
        match self {
            Self::Percent(hundredths) => (2 * cents * hundredths + 10_000) / 20_000,
            Self::Fixed(cents) => cents,
        }
    }
}

impl Link {
    /// The reasons for which a conversion of the click is ignored; none if it is recorded.
    pub fn ignores(&self, click: &Click, occurred_at: DateTime<Utc>) -> Vec<&'static str> {
        let is_disabled = self.disabled_at.is_some_and(|disabled| occurred_at >= disabled);
        let window = TimeDelta::days(self.window_days);
        let reasons = [
            (occurred_at < click.created_at, "BEFORE_CLICK"),
            (occurred_at > click.created_at + window, "CLICK_EXPIRED"),
            (is_disabled, "LINK_DISABLED"),
        ];
        reasons.iter().filter(|(holds, _)| *holds).map(|(_, reason)| *reason).collect()
    }
}

impl<'a> Fate<'a> {
    pub fn new(status: Option<Status>, stage: Option<&'a str>) -> Self {
        Self { status, stage, is_declined: false, is_clawed_back: false }
    }

    /// What can become of a line, in all orders of what happens to it.
    pub fn after_any_order(self, acts: &[Act<'a>]) -> BTreeSet<Self> {
        if acts.is_empty() {
            return BTreeSet::from([self]);
        }
        let mut fates = BTreeSet::new();
        for (index, act) in acts.iter().enumerate() {
            let mut rest = acts.to_vec();
            rest.remove(index);
            fates.extend(self.after(*act).after_any_order(&rest));
        }
        fates
    }

    fn after(mut self, act: Act<'a>) -> Self {
        match (act, self.status) {
            (Act::Create, None) => self.status = Some(Status::Expected),
            (Act::Mature, Some(Status::Expected)) => self.status = Some(Status::Pending),
            (Act::Batch, Some(Status::Pending)) => {
                (self.status, self.stage) = (Some(Status::InPayout), Some("DRAFT"));
            }
            (Act::Decline, Some(Status::InPayout)) if !self.is_locked() => {
                (self.status, self.is_declined) = (Some(Status::Voided), true);
            }
            (Act::Reverse, Some(Status::InPayout)) if self.is_locked() => {
                self.is_clawed_back = true;
            }
            (Act::Reverse, Some(_)) => self.status = Some(Status::Voided),
            (Act::Stage(to), Some(Status::InPayout)) => {
                self.stage = self.stage.map(|from| if follows(from, to) { to } else { from });
            }
            _ => {}
        }
        self
    }

    fn is_locked(&self) -> bool {
        self.stage.is_some_and(locks_lines)
    }
}

fn locks_lines(stage: &str) -> bool {
    ["SCHEDULED", "PENDING_PAYMENT", "PAID"].contains(&stage)
}

fn follows(from: &str, to: &str) -> bool {
    let row = STAGES.iter().find(|(stage, _)| *stage == from).expect("a stage of X4");
    row.1.contains(&to)
}

/// Where a payout can be after a request to move it, and after its last line has gone (X8).
pub fn stages(from: &str, to: Option<&str>, is_emptied: bool, is_repeated: bool) -> Vec<Move> {
    let moved = |(from, _): &Move| match to {
        Some(to) if from == to || follows(from, to) => (to.to_owned(), true),
        _ => (from.clone(), false),
    };
    let emptied = |(from, succeeded): &Move| match follows(from, "DECLINED") {
        true => ("DECLINED".to_owned(), *succeeded),
        false => (from.clone(), *succeeded),
    };
    let start = (from.to_owned(), true);
    if !is_emptied {
        return vec![if to.is_some() { moved(&start) } else { start }];
    }
    if to.is_none() {
        return vec![emptied(&start)];
    }
    let mut possible = vec![moved(&emptied(&start))];
    let first = moved(&start);
    // A payout that is being paid keeps its lines.
    if !locks_lines(&first.0) {
        possible.push(emptied(&first));
        possible.extend(is_repeated.then(|| moved(&emptied(&first))));
    }
    possible
}

/// The last millisecond of a UTC month.
pub fn end_of_month(time: DateTime<Utc>) -> DateTime<Utc> {
    let (year, month) = (time.year(), time.month());
    let next = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    let next = Utc.with_ymd_and_hms(next.0, next.1, 1, 0, 0, 0).single();
    next.expect("a first of a month") - TimeDelta::milliseconds(1)
}

/// Cents as the API writes them.
pub fn money(cents: i128) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100)
}

/// Money as the API writes it, in cents.
pub fn cents(money: &str) -> i128 {
    let (whole, hundredths) = money.split_once('.').expect("two digits");
    assert_eq!(hundredths.len(), 2, "{money}");
    format!("{whole}{hundredths}").parse().expect("money")
}
