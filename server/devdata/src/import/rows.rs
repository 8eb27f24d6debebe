//! From entries to rows: local names become ids, absent ids are generated, repeated lines are
//! written out, and amounts of payouts are summed up.
//!
//! The file has been checked before: every local name has an entry here.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use payout_server::tools::{Kind, Pdf};
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::{Map, Value};

use super::format::{LineEntry, LineStatus, OrganizationEntry, PayoutEntry};

/// Columns by name. Names that are no column are ignored by the table.
pub(super) type Row = Map<String, Value>;
/// Ids by local name.
type Ids = HashMap<String, String>;

/// Everything of one organisation but itself, its settings and its keys.
#[derive(Debug)]
pub(super) struct Rows {
    /// Tables with their rows, in an order that satisfies the foreign keys.
    pub(super) tables: [(&'static str, Vec<Row>); 8],
    /// Uploaded statements, by the id of their payout.
    pub(super) uploaded_statements: Vec<(String, Pdf)>,
}

/// The rows of a checked organisation.
pub(super) fn rows(mut organization: OrganizationEntry) -> Rows {
    let (users, user_ids) = identified(&organization.users, Kind::User);
    let (tiers, tier_ids) = identified(&organization.tiers, Kind::Tier);
    let (phases, phase_ids) = identified(&organization.phases, Kind::Phase);
    let templates = &organization.experience_templates;
    let (templates, template_ids) = identified(templates, Kind::ExperienceTemplate);

    let (mut partners, partner_ids) = identified(&organization.partners, Kind::Partner);
    for partner in &mut partners {
        refer(partner, "tier", "tier_id", &tier_ids);
        refer(partner, "phase", "phase_id", &phase_ids);
        refer(partner, "experience_template", "experience_template_id", &template_ids);
        refer(partner, "owner", "owner_id", &user_ids);
        refer(partner, "manager", "manager_id", &user_ids);
    }

    let pdfs = organization.payouts.iter_mut().map(uploaded_statement).collect::<Vec<_>>();
    let (mut payouts, payout_ids) = identified(&organization.payouts, Kind::Payout);
    let mut uploaded_statements = Vec::new();
    for (payout, pdf) in payouts.iter_mut().zip(pdfs) {
        refer(payout, "partner", "partner_id", &partner_ids);
        payout.entry("batch_id").or_insert_with(|| Kind::PayoutBatch.generate().into());
        uploaded_statements.extend(pdf.map(|pdf| (text(payout, "id"), pdf)));
    }

    let mut sums: HashMap<String, Decimal> = HashMap::new();
    let mut lines = Vec::new();
    for entry in &organization.commission_lines {
        let mut row = as_row(entry);
        refer(&mut row, "partner", "partner_id", &partner_ids);
        refer(&mut row, "payout", "payout_id", &payout_ids);
        if let Some(payout) = &entry.payout {
            let amount = entry.amount.parse().expect("checked");
            *sums.entry(payout_ids[&payout.0].clone()).or_default() +=
                amount * Decimal::from(count(entry));
        }
        lines.extend((0..count(entry)).map(|number| line(entry, row.clone(), number)));
    }
    for payout in &mut payouts {
        let sum = sums.get(&text(payout, "id")).copied().unwrap_or_default();
        payout.insert("amount".to_owned(), format!("{sum:.2}").into());
    }
    Rows {
        tables: [
            ("users", users),
            ("tiers", tiers),
            ("phases", phases),
            ("experience_templates", templates),
            ("partners", partners),
            ("payout_batches", batches(&payouts)),
            ("payouts", payouts),
            ("commission_lines", lines),
        ],
        uploaded_statements,
    }
}

/// How many lines an entry makes.
pub(crate) fn count(line: &LineEntry) -> u32 {
    line.repeat.unwrap_or(1)
}

/// A text of the `number`th repeated line, counted from 1.
pub(super) fn numbered(template: &str, number: u32) -> String {
    template.replace("{n}", &number.to_string())
}

/// The rows of entries with a local name, and their ids by it.
fn identified(entries: &[impl Serialize], kind: Kind) -> (Vec<Row>, Ids) {
    let mut ids = Ids::new();
    let rows = entries.iter().map(|entry| {
        let mut row = as_row(entry);
        row.entry("id").or_insert_with(|| kind.generate().into());
        ids.insert(text(&row, "ref"), text(&row, "id"));
        row
    });
    (rows.collect(), ids)
}

/// A row without what the entry leaves out: there the table's default holds.
fn as_row(entry: &impl Serialize) -> Row {
    let Ok(Value::Object(mut row)) = serde_json::to_value(entry) else {
        unreachable!("entries are objects with string keys");
    };
    row.retain(|_, value| !value.is_null());
    if let (None, Some(created_at)) = (row.get("updated_at"), row.get("created_at")) {
        let created_at = created_at.clone();
        row.insert("updated_at".to_owned(), created_at);
    }
    row
}

/// Adds the column for a reference by local name.
fn refer(row: &mut Row, field: &str, column: &str, ids: &Ids) {
    if let Some(name) = row.get(field).and_then(Value::as_str) {
        let id = ids[name].as_str().into();
        row.insert(column.to_owned(), id);
    }
}

/// A batch for each that a payout names, over the periods of its payouts.
fn batches(payouts: &[Row]) -> Vec<Row> {
    let mut batches: BTreeMap<&str, Row> = BTreeMap::new();
    for payout in payouts {
        let batch = batches.entry(payout["batch_id"].as_str().unwrap_or_default()).or_default();
        let mut keep = |column: &str, is_further: fn(&DateTime<Utc>, &DateTime<Utc>) -> bool| {
            let instant =
                |row: &Row| -> Option<DateTime<Utc>> { row.get(column)?.as_str()?.parse().ok() };
            let Some(own) = instant(payout) else { return };
            if instant(batch).is_none_or(|known| is_further(&own, &known)) {
                batch.insert(column.to_owned(), payout[column].clone());
            }
        };
        keep("period_start", |own, known| own < known);
        keep("period_end", |own, known| own > known);
        keep("created_at", |own, known| own < known);
    }
    let rows = batches.into_iter().map(|(id, mut row)| {
        row.insert("id".to_owned(), id.into());
        row
    });
    rows.collect()
}

fn uploaded_statement(payout: &mut PayoutEntry) -> Option<Pdf> {
    let pdf = payout.uploaded_statement.take()?;
    Some(Pdf::new(pdf.decode().expect("checked").into()).expect("checked"))
}

/// The line after `number` others of its entry, from the row that they share.
fn line(entry: &LineEntry, mut row: Row, number: u32) -> Row {
    let kind = Kind::CommissionLine;
    let id = match &entry.id {
        Some(first) => kind.offset(first, number).expect("checked"),
        None => kind.generate(),
    };
    row.insert("id".to_owned(), id.into());
    for name in ["description", "idempotency_key"] {
        if let Some(Value::String(template)) = row.get_mut(name) {
            *template = numbered(template, number + 1);
        }
    }
    for name in ["created_at", "updated_at"] {
        if let Some(Value::String(instant)) = row.get_mut(name) {
            let first: DateTime<Utc> = instant.parse().expect("checked");
            let later = first + TimeDelta::seconds(number.into());
            *instant = later.to_rfc3339_opts(SecondsFormat::Millis, true);
        }
    }
    let is_attached = entry.payout.is_some();
    row.entry("status").or_insert_with(|| {
        let status = if is_attached { LineStatus::IN_PAYOUT } else { LineStatus::PENDING };
        status.into()
    });
    row
}

fn text(row: &Row, name: &str) -> String {
    row[name].as_str().unwrap_or_default().to_owned()
}
