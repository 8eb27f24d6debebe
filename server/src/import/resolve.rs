//! From entries to rows: local names become ids, absent ids are made, repeated lines are written out, sums computed.
//!
//! It refuses a file that has not been checked: here every name leads somewhere.

use std::collections::{BTreeMap, HashMap};

use chrono::TimeDelta;
use rust_decimal::Decimal;
use serde::Serialize;

use super::format::{
    Instant, LineEntry, LineStatus, LocalName, NamedEntry, OrganizationEntry, PartnerEntry,
    PayoutEntry, PayoutStage,
};
use crate::{id::Kind, partners::model::PartnerColumns, statements::upload::Pdf};

/// Everything of one organisation but itself and its keys.
#[derive(Debug, Default)]
pub struct Rows {
    /// Rows of `users`.
    pub users: Vec<UserRow>,
    /// Rows of `tiers`.
    pub tiers: Vec<NamedRow>,
    /// Rows of `phases`.
    pub phases: Vec<NamedRow>,
    /// Rows of `experience_templates`.
    pub experience_templates: Vec<NamedRow>,
    /// Rows of `partners`.
    pub partners: Vec<PartnerRow>,
    /// Rows of `payouts`.
    pub payouts: Vec<PayoutRow>,
    /// Rows of `commission_lines`.
    pub commission_lines: Vec<LineRow>,
    /// Uploaded statements, by the id of their payout.
    pub uploaded_statements: Vec<(String, Pdf)>,
}

/// A row, its columns by name.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct UserRow {
    pub id: String,
    pub name: String,
    pub email: String,
}

/// A row, its columns by name.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct NamedRow {
    pub id: String,
    pub name: String,
}

/// A row, its columns by name.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct PartnerRow {
    pub id: String,
    #[serde(flatten)]
    pub columns: PartnerColumns,
    pub tier_id: Option<String>,
    pub phase_id: Option<String>,
    pub experience_template_id: Option<String>,
    pub owner_id: Option<String>,
    pub manager_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Instant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Instant>,
}

/// A row, its columns by name.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct PayoutRow {
    pub id: String,
    pub partner_id: String,
    pub batch_id: String,
    pub period_start: Instant,
    pub period_end: Instant,
    pub amount: String,
    pub currency: String,
    pub stage: PayoutStage,
    pub po_number: Option<String>,
    pub metadata: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Instant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Instant>,
}

/// A row, its columns by name.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct LineRow {
    pub id: String,
    pub partner_id: String,
    pub payout_id: Option<String>,
    pub description: String,
    pub amount: String,
    pub source_amount: String,
    pub currency: String,
    pub status: LineStatus,
    pub plan_name: String,
    pub period_end: Instant,
    pub idempotency_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Instant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Instant>,
}

type Ids = HashMap<LocalName, String>;

/// The rows of a checked organisation.
#[must_use]
pub fn rows(organization: OrganizationEntry) -> Rows {
    let mut users_by_name = Ids::new();
    let users = organization.users.into_iter().map(|user| {
        let id = user.id.unwrap_or_else(|| Kind::User.generate());
        users_by_name.insert(user.local_name, id.clone());
        UserRow {
            id,
            name: user.name,
            email: user.email,
        }
    });
    let users = users.collect();
    let (tiers, tier_ids) = named(organization.tiers, Kind::Tier);
    let (phases, phase_ids) = named(organization.phases, Kind::Phase);
    let (experience_templates, template_ids) =
        named(organization.experience_templates, Kind::ExperienceTemplate);
    let known = Known {
        users: users_by_name,
        tiers: tier_ids,
        phases: phase_ids,
        templates: template_ids,
    };

    let mut partner_ids = Ids::new();
    let partners = organization.partners.into_iter().map(|mut partner| {
        let id = partner
            .id
            .take()
            .unwrap_or_else(|| Kind::Partner.generate());
        partner_ids.insert(partner.local_name.clone(), id.clone());
        known.partner(id, partner)
    });
    let partners = partners.collect();

    let mut payout_ids = Ids::new();
    let mut sums: HashMap<String, Decimal> = HashMap::new();
    let mut uploaded_statements = Vec::new();
    let payouts = organization.payouts.into_iter().map(|mut payout| {
        let id = payout.id.take().unwrap_or_else(|| Kind::Payout.generate());
        if let Some(pdf) = payout.uploaded_statement.take() {
            let pdf = Pdf::new(pdf.decode().expect("checked").into()).expect("checked");
            uploaded_statements.push((id.clone(), pdf));
        }
        payout_ids.insert(payout.local_name.clone(), id.clone());
        sums.insert(id.clone(), Decimal::ZERO);
        payout_row(id, payout, &partner_ids)
    });
    let mut payouts: Vec<PayoutRow> = payouts.collect();

    let mut commission_lines = Vec::new();
    for line in &organization.commission_lines {
        let partner_id = id_of(&partner_ids, &line.partner);
        let payout_id = line.payout.as_ref().map(|name| id_of(&payout_ids, name));
        for number in 1..=count(line) {
            if let Some(sum) = payout_id.as_ref().and_then(|id| sums.get_mut(id)) {
                *sum += line.amount.parse().expect("checked");
            }
            commission_lines.push(line_row(line, number, &partner_id, payout_id.clone()));
        }
    }
    for payout in &mut payouts {
        payout.amount = format!("{:.2}", sums[&payout.id]);
    }
    Rows {
        users,
        tiers,
        phases,
        experience_templates,
        partners,
        payouts,
        commission_lines,
        uploaded_statements,
    }
}

/// How many lines an entry makes.
#[must_use]
pub fn count(line: &LineEntry) -> u32 {
    line.repeat.unwrap_or(1)
}

/// A text of the `number`th repeated line.
#[must_use]
pub fn numbered(template: &str, number: u32) -> String {
    template.replace("{n}", &number.to_string())
}

/// Ids by local name of what a partner refers to.
struct Known {
    users: Ids,
    tiers: Ids,
    phases: Ids,
    templates: Ids,
}

impl Known {
    fn partner(&self, id: String, partner: PartnerEntry) -> PartnerRow {
        let of = |ids: &Ids, name: Option<LocalName>| name.map(|name| id_of(ids, &name));
        PartnerRow {
            id,
            columns: partner.columns,
            tier_id: of(&self.tiers, partner.tier),
            phase_id: of(&self.phases, partner.phase),
            experience_template_id: of(&self.templates, partner.experience_template),
            owner_id: of(&self.users, partner.owner),
            manager_id: of(&self.users, partner.manager),
            updated_at: partner.updated_at.or_else(|| partner.created_at.clone()),
            created_at: partner.created_at,
        }
    }
}

fn named(entries: Vec<NamedEntry>, kind: Kind) -> (Vec<NamedRow>, Ids) {
    let mut ids = Ids::new();
    let rows = entries.into_iter().map(|entry| {
        let id = entry.id.unwrap_or_else(|| kind.generate());
        ids.insert(entry.local_name, id.clone());
        NamedRow {
            id,
            name: entry.name,
        }
    });
    (rows.collect(), ids)
}

fn payout_row(id: String, payout: PayoutEntry, partner_ids: &Ids) -> PayoutRow {
    PayoutRow {
        id,
        partner_id: id_of(partner_ids, &payout.partner),
        batch_id: payout
            .batch_id
            .unwrap_or_else(|| Kind::PayoutBatch.generate()),
        period_start: payout.period_start,
        period_end: payout.period_end,
        amount: String::new(),
        currency: payout.currency.0,
        stage: payout.stage,
        po_number: payout.po_number,
        metadata: payout.metadata,
        updated_at: payout.updated_at.or_else(|| payout.created_at.clone()),
        created_at: payout.created_at,
    }
}

fn line_row(line: &LineEntry, number: u32, partner_id: &str, payout_id: Option<String>) -> LineRow {
    let id = line.id.as_ref().map(|first| {
        Kind::CommissionLine
            .offset(first, number - 1)
            .expect("checked")
    });
    let attached = if payout_id.is_some() {
        LineStatus::InPayout
    } else {
        LineStatus::Pending
    };
    let later = |instant: Option<&Instant>| {
        let instant = instant?.parse().expect("checked") + TimeDelta::seconds((number - 1).into());
        Some(Instant(
            instant.to_rfc3339_opts(chrono::SecondsFormat::Millis, true),
        ))
    };
    LineRow {
        id: id.unwrap_or_else(|| Kind::CommissionLine.generate()),
        partner_id: partner_id.to_owned(),
        payout_id,
        description: numbered(&line.description, number),
        amount: line.amount.0.clone(),
        source_amount: line.source_amount.0.clone(),
        currency: line.currency.0.clone(),
        status: line.status.unwrap_or(attached),
        plan_name: line.plan_name.clone(),
        period_end: line.period_end.clone(),
        idempotency_key: line
            .idempotency_key
            .as_ref()
            .map(|template| numbered(template, number)),
        created_at: later(line.created_at.as_ref()),
        updated_at: later(line.updated_at.as_ref().or(line.created_at.as_ref())),
    }
}

fn id_of(ids: &Ids, name: &LocalName) -> String {
    ids.get(name)
        .cloned()
        .expect("checked: every reference leads somewhere")
}
