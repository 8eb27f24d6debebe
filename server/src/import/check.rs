//! The rules between entries, which no schema can state: names that lead somewhere, ids used once, lines that agree
//! with their payouts.
//!
//! It refuses to look at the database: whether a file is sound is the file's affair.

use std::collections::{HashMap, HashSet};

use rust_decimal::Decimal;

use super::{
    Violation,
    format::{Dataset, LineEntry, LocalName, OrganizationEntry, PayoutEntry},
    format::{Instant, LineStatus, NamedEntry},
    resolve,
};
use crate::{
    id::Kind,
    keys::KeyState,
    payouts::model::NOTE_LIMIT_CHARACTERS,
    statements::{document::Logo, upload::Pdf},
};

/// Every broken rule; empty means that the file can be imported.
#[must_use]
pub fn violations(dataset: &Dataset) -> Vec<Violation> {
    let mut check = Check::default();
    let mut names = HashSet::new();
    for (index, organization) in dataset.organizations.iter().enumerate() {
        let at = format!("/organizations/{index}");
        check.unique(&mut names, format!("{at}/name"), &organization.name);
        let id = organization.id.as_deref();
        check.id(Kind::Organization, format!("{at}/id"), id);
        // Everything else is the organisation's own: two of them may well use one id.
        let organization_ids = std::mem::take(&mut check.ids);
        check.organization(&at, organization);
        check.ids = organization_ids;
    }
    check.violations
}

#[derive(Default)]
struct Check {
    violations: Vec<Violation>,
    ids: HashSet<String>,
}

/// Local names of one kind.
type Names<'a> = HashSet<&'a LocalName>;

impl Check {
    fn organization(&mut self, at: &str, organization: &OrganizationEntry) {
        self.keys(at, organization);
        let users = self.names(
            at,
            "users",
            Kind::User,
            organization
                .users
                .iter()
                .map(|user| (&user.local_name, &user.id)),
        );
        let mut named = |place, kind, entries: &'_ [NamedEntry]| -> HashSet<LocalName> {
            let pairs = entries.iter().map(|entry| (&entry.local_name, &entry.id));
            self.names(at, place, kind, pairs)
                .into_iter()
                .cloned()
                .collect()
        };
        let tiers = named("tiers", Kind::Tier, &organization.tiers);
        let phases = named("phases", Kind::Phase, &organization.phases);
        let templates = named(
            "experienceTemplates",
            Kind::ExperienceTemplate,
            &organization.experience_templates,
        );
        let partner_names = organization
            .partners
            .iter()
            .map(|partner| (&partner.local_name, &partner.id));
        let partners = self.names(at, "partners", Kind::Partner, partner_names);
        let mut external_ids = HashSet::new();
        for (index, partner) in organization.partners.iter().enumerate() {
            let at = format!("{at}/partners/{index}");
            if let Some(external_id) = &partner.columns.external_id {
                self.unique(&mut external_ids, format!("{at}/externalId"), external_id);
            }
            let references = [
                ("tier", &partner.tier, tiers.iter().collect::<Names<'_>>()),
                ("phase", &partner.phase, phases.iter().collect()),
                (
                    "experienceTemplate",
                    &partner.experience_template,
                    templates.iter().collect(),
                ),
                ("owner", &partner.owner, users.clone()),
                ("manager", &partner.manager, users.clone()),
            ];
            for (field, name, known) in references {
                self.reference(format!("{at}/{field}"), name.as_ref(), &known);
            }
            self.times(
                &at,
                partner.created_at.as_ref(),
                partner.updated_at.as_ref(),
            );
        }
        self.template(at, organization);
        self.payouts(at, organization, &partners);
        self.lines(at, organization, &partners);
    }

    fn keys(&mut self, at: &str, organization: &OrganizationEntry) {
        let mut names = HashSet::new();
        for (index, key) in organization.keys.iter().enumerate() {
            let at = format!("{at}/keys/{index}");
            self.unique(&mut names, format!("{at}/name"), &key.name);
            self.instant(format!("{at}/endedAt"), key.ended_at.as_ref());
            if key.state == KeyState::Active && key.ended_at.is_some() {
                self.refuse(
                    format!("{at}/endedAt"),
                    "an active key has not ended; give `expiresInDays`, or another `state`",
                );
            }
            if key.state != KeyState::Active && key.expires_in_days.is_some() {
                self.refuse(
                    format!("{at}/expiresInDays"),
                    "only an active key has a life before it; give `endedAt`",
                );
            }
        }
    }

    fn template(&mut self, at: &str, organization: &OrganizationEntry) {
        let Some(logo) = &organization.template.logo else {
            return;
        };
        let pointer = format!("{at}/template/logo");
        match logo.decode().map(|png| Logo::from_png(&png)) {
            Some(Ok(_)) => {}
            Some(Err(error)) => self.refuse(pointer, error.to_string()),
            None => self.refuse(pointer, "is not base64"),
        }
    }

    fn uploaded_statement(&mut self, at: &str, payout: &PayoutEntry) {
        let Some(pdf) = &payout.uploaded_statement else {
            return;
        };
        let pointer = format!("{at}/uploadedStatement");
        match pdf.decode().map(|bytes| Pdf::new(bytes.into())) {
            Some(Ok(_)) => {}
            Some(Err(error)) => self.refuse(pointer, error.to_string()),
            None => self.refuse(pointer, "is not base64"),
        }
    }

    fn payouts(&mut self, at: &str, organization: &OrganizationEntry, partners: &Names<'_>) {
        let payout_names = organization
            .payouts
            .iter()
            .map(|payout| (&payout.local_name, &payout.id));
        self.names(at, "payouts", Kind::Payout, payout_names);
        for (index, payout) in organization.payouts.iter().enumerate() {
            let at = format!("{at}/payouts/{index}");
            self.reference(format!("{at}/partner"), Some(&payout.partner), partners);
            if let Some(batch) = payout
                .batch_id
                .as_deref()
                .filter(|id| !Kind::PayoutBatch.is_valid(id))
            {
                self.refuse(
                    format!("{at}/batchId"),
                    format!("{batch:?} is not `pbt_` and a ULID"),
                );
            }
            let start = self.instant(format!("{at}/periodStart"), Some(&payout.period_start));
            let end = self.instant(format!("{at}/periodEnd"), Some(&payout.period_end));
            if start.is_some() && end.is_some() && end < start {
                self.refuse(format!("{at}/periodEnd"), "is before periodStart");
            }
            self.times(&at, payout.created_at.as_ref(), payout.updated_at.as_ref());
            self.uploaded_statement(&at, payout);
            let note = payout
                .metadata
                .as_ref()
                .and_then(|metadata| metadata.get("statementNote"));
            if note.is_some_and(|note| note.chars().count() > NOTE_LIMIT_CHARACTERS) {
                let message = format!("has more than {NOTE_LIMIT_CHARACTERS} characters");
                self.refuse(format!("{at}/metadata/statementNote"), message);
            }
        }
    }

    fn lines(&mut self, at: &str, organization: &OrganizationEntry, partners: &Names<'_>) {
        let payouts: HashMap<&LocalName, (usize, &PayoutEntry)> = organization
            .payouts
            .iter()
            .enumerate()
            .map(|(index, payout)| (&payout.local_name, (index, payout)))
            .collect();
        let mut sums: HashMap<&LocalName, Decimal> = HashMap::new();
        let mut idempotency_keys = HashSet::new();
        for (index, line) in organization.commission_lines.iter().enumerate() {
            let at = format!("{at}/commissionLines/{index}");
            self.reference(format!("{at}/partner"), Some(&line.partner), partners);
            self.instant(format!("{at}/periodEnd"), Some(&line.period_end));
            self.times(&at, line.created_at.as_ref(), line.updated_at.as_ref());
            self.repeated(&at, line, &mut idempotency_keys);
            let payout = line.payout.as_ref().map(|name| (name, payouts.get(name)));
            match payout {
                Some((name, None)) => {
                    self.refuse(format!("{at}/payout"), unknown(name));
                }
                Some((name, Some((_, payout)))) => {
                    self.attached(&at, line, payout);
                    let amount = line.amount.parse().unwrap_or_default();
                    // 18 digits times 100,000 lines stay far below what a Decimal holds.
                    let sum = sums.entry(name).or_default();
                    *sum = sum.saturating_add(amount.saturating_mul(resolve::count(line).into()));
                }
                None if line.status == Some(LineStatus::InPayout) => {
                    self.refuse(format!("{at}/status"), "IN_PAYOUT asks for a `payout`");
                }
                None => {}
            }
        }
        let limit = Decimal::from(10_i64.pow(18));
        for (name, sum) in sums {
            if let Some((index, _)) = payouts.get(name).filter(|_| sum.abs() >= limit) {
                self.refuse(
                    format!("{at}/payouts/{index}"),
                    "the sum of its lines has more than 18 digits before the point",
                );
            }
        }
    }

    fn attached(&mut self, at: &str, line: &LineEntry, payout: &PayoutEntry) {
        if line.partner != payout.partner {
            let message = format!("is not the payout's partner, {:?}", payout.partner.0);
            self.refuse(format!("{at}/partner"), message);
        }
        if line.currency != payout.currency {
            let message = format!("is not the payout's currency, {}", payout.currency.0);
            self.refuse(format!("{at}/currency"), message);
        }
        if line
            .status
            .is_some_and(|status| status != LineStatus::InPayout)
        {
            self.refuse(
                format!("{at}/status"),
                "a line with a `payout` is IN_PAYOUT",
            );
        }
    }

    fn repeated(&mut self, at: &str, line: &LineEntry, idempotency_keys: &mut HashSet<String>) {
        for number in 1..=resolve::count(line) {
            if let Some(first) = &line.id {
                let pointer = format!("{at}/id");
                let Some(id) = Kind::CommissionLine.offset(first, number - 1) else {
                    self.refuse(pointer, format!("{first:?} is not `cln_` and a ULID"));
                    return;
                };
                self.id(Kind::CommissionLine, pointer, Some(&id));
            }
            if let Some(template) = &line.idempotency_key {
                let key = resolve::numbered(template, number);
                if !idempotency_keys.insert(key.clone()) {
                    let message =
                        format!("{key:?} stands there twice; a repeated line needs `{{n}}` in it");
                    self.refuse(format!("{at}/idempotencyKey"), message);
                    return;
                }
            }
        }
    }

    fn names<'a>(
        &mut self,
        at: &str,
        place: &str,
        kind: Kind,
        entries: impl Iterator<Item = (&'a LocalName, &'a Option<String>)>,
    ) -> Names<'a> {
        let mut names = Names::new();
        for (index, (name, id)) in entries.enumerate() {
            if !names.insert(name) {
                self.refuse(format!("{at}/{place}/{index}/ref"), twice(&name.0));
            }
            self.id(kind, format!("{at}/{place}/{index}/id"), id.as_deref());
        }
        names
    }

    fn id(&mut self, kind: Kind, pointer: String, id: Option<&str>) {
        let Some(id) = id else { return };
        if !kind.is_valid(id) {
            self.refuse(
                pointer,
                format!("{id:?} is not `{}` and a ULID", kind.prefix()),
            );
        } else if !self.ids.insert(id.to_owned()) {
            self.refuse(pointer, twice(id));
        }
    }

    fn reference(&mut self, pointer: String, name: Option<&LocalName>, known: &Names<'_>) {
        if let Some(name) = name.filter(|name| !known.contains(name)) {
            self.refuse(pointer, unknown(name));
        }
    }

    fn unique<'a>(&mut self, seen: &mut HashSet<&'a str>, pointer: String, text: &'a str) {
        if !seen.insert(text) {
            self.refuse(pointer, twice(text));
        }
    }

    fn times(&mut self, at: &str, created: Option<&Instant>, updated: Option<&Instant>) {
        let created_at = self.instant(format!("{at}/createdAt"), created);
        let updated_at = self.instant(format!("{at}/updatedAt"), updated);
        match (created_at, updated_at) {
            (None, Some(_)) if created.is_none() => {
                self.refuse(format!("{at}/updatedAt"), "asks for a `createdAt`");
            }
            (Some(created_at), Some(updated_at)) if updated_at < created_at => {
                self.refuse(format!("{at}/updatedAt"), "is before createdAt");
            }
            _ => {}
        }
    }

    fn instant(
        &mut self,
        pointer: String,
        instant: Option<&Instant>,
    ) -> Option<chrono::DateTime<chrono::Utc>> {
        let instant = instant?;
        let parsed = instant.parse();
        if parsed.is_none() {
            self.refuse(
                pointer,
                format!("{:?}: there is no such day or time", instant.0),
            );
        }
        parsed
    }

    fn refuse(&mut self, pointer: String, message: impl Into<String>) {
        self.violations.push(Violation {
            pointer,
            message: message.into(),
        });
    }
}

fn twice(text: &str) -> String {
    format!("{text:?} stands there twice")
}

fn unknown(name: &LocalName) -> String {
    format!("no entry has the `ref` {:?}", name.0)
}

#[cfg(test)]
mod tests;
