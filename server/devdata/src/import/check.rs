//! The rules between entries, which no schema can state: local names that exist, ids used once,
//! lines that agree with their payouts. They depend on the file alone, not on the database.

use std::collections::{HashMap, HashSet};

use payout_server::tools::{Kind, Logo, NOTE_LIMIT_CHARACTERS, Pdf};
use rust_decimal::Decimal;

use super::{
    Violation,
    format::{
        Base64, Dataset, Instant, KeyState, LineEntry, LocalName, Named, OrganizationEntry,
        PayoutEntry,
    },
    rows,
};

/// Every broken rule; an empty list means that the file can be imported.
pub(super) fn violations(dataset: &Dataset) -> Vec<Violation> {
    let mut check = Check::default();
    let mut names = HashSet::new();
    for (index, organization) in dataset.organizations.iter().enumerate() {
        let at = format!("/organizations/{index}");
        check.unique(&mut names, format!("{at}/name"), &organization.name);
        let id = organization.id.as_deref();
        check.id(Kind::Organization, format!("{at}/id"), id);
        // Ids are unique within an organisation: two organisations may use the same one.
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
        let users = self.names(at, "users", Kind::User, &organization.users);
        let tiers = self.names(at, "tiers", Kind::Tier, &organization.tiers);
        let phases = self.names(at, "phases", Kind::Phase, &organization.phases);
        let templates = &organization.experience_templates;
        let kind = Kind::ExperienceTemplate;
        let templates = self.names(at, "experienceTemplates", kind, templates);
        let partners = self.names(at, "partners", Kind::Partner, &organization.partners);
        let mut external_ids = HashSet::new();
        for (index, partner) in organization.partners.iter().enumerate() {
            let at = format!("{at}/partners/{index}");
            if let Some(external_id) = &partner.external_id {
                self.unique(&mut external_ids, format!("{at}/externalId"), external_id);
            }
            let references = [
                ("tier", &partner.tier, &tiers),
                ("phase", &partner.phase, &phases),
                ("experienceTemplate", &partner.experience_template, &templates),
                ("owner", &partner.owner, &users),
                ("manager", &partner.manager, &users),
            ];
            for (field, name, known) in references {
                self.reference(format!("{at}/{field}"), name.as_ref(), known);
            }
            self.times(&at, partner.created_at.as_ref(), partner.updated_at.as_ref());
        }
        let logo = organization.template.logo.as_ref();
        self.content(format!("{at}/template/logo"), logo, |png| Logo::from_png(&png));
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
                self.add(
                    format!("{at}/endedAt"),
                    "an active key has not ended: use `expiresInDays`, or another `state`",
                );
            }
            if key.state != KeyState::Active && key.expires_in_days.is_some() {
                self.add(
                    format!("{at}/expiresInDays"),
                    "only an active key expires later: use `endedAt`",
                );
            }
        }
    }

    /// Decodes base64 and reads it by `parse`.
    fn content<T, E: ToString>(
        &mut self,
        pointer: String,
        text: Option<&Base64>,
        parse: impl FnOnce(Vec<u8>) -> Result<T, E>,
    ) {
        let Some(text) = text else { return };
        match text.decode().map(parse) {
            Some(Ok(_)) => {}
            Some(Err(error)) => self.add(pointer, error.to_string()),
            None => self.add(pointer, "is not base64"),
        }
    }

    fn payouts(&mut self, at: &str, organization: &OrganizationEntry, partners: &Names<'_>) {
        self.names(at, "payouts", Kind::Payout, &organization.payouts);
        for (index, payout) in organization.payouts.iter().enumerate() {
            let at = format!("{at}/payouts/{index}");
            self.reference(format!("{at}/partner"), Some(&payout.partner), partners);
            let batch_id = payout.batch_id.as_deref();
            self.form(Kind::PayoutBatch, format!("{at}/batchId"), batch_id);
            let start = self.instant(format!("{at}/periodStart"), Some(&payout.period_start));
            let end = self.instant(format!("{at}/periodEnd"), Some(&payout.period_end));
            if start.is_some() && end.is_some() && end <= start {
                self.add(format!("{at}/periodEnd"), "must be later than periodStart");
            }
            self.times(&at, payout.created_at.as_ref(), payout.updated_at.as_ref());
            let pdf = payout.uploaded_statement.as_ref();
            self.content(format!("{at}/uploadedStatement"), pdf, |bytes| Pdf::new(bytes.into()));
            let note = payout.metadata.as_ref().and_then(|metadata| metadata.get("statementNote"));
            if note.is_some_and(|note| note.chars().count() > NOTE_LIMIT_CHARACTERS) {
                let message = format!("has more than {NOTE_LIMIT_CHARACTERS} characters");
                self.add(format!("{at}/metadata/statementNote"), message);
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
            let is_in_payout = line.is_in_payout();
            let payout = line.payout.as_ref().map(|name| (name, payouts.get(name)));
            match payout {
                Some((name, None)) => {
                    self.add(format!("{at}/payout"), unknown(name));
                }
                Some((name, Some((_, payout)))) => {
                    self.attached(&at, line, payout);
                    let amount = line.amount.parse().unwrap_or_default();
                    // 18 digits times 100,000 lines stay far below what a Decimal holds.
                    let sum = sums.entry(name).or_default();
                    *sum = sum.saturating_add(amount.saturating_mul(rows::count(line).into()));
                }
                None if is_in_payout == Some(true) => {
                    self.add(format!("{at}/status"), "IN_PAYOUT requires a `payout`");
                }
                None => {}
            }
        }
        let limit = Decimal::from(10_i64.pow(18));
        for (name, sum) in sums {
            if let Some((index, _)) = payouts.get(name).filter(|_| sum.abs() >= limit) {
                self.add(
                    format!("{at}/payouts/{index}"),
                    "the sum of its lines has more than 18 digits before the point",
                );
            }
        }
    }

    fn attached(&mut self, at: &str, line: &LineEntry, payout: &PayoutEntry) {
        if line.partner != payout.partner {
            let message = format!("is not the payout's partner, {:?}", payout.partner.0);
            self.add(format!("{at}/partner"), message);
        }
        if line.currency != payout.currency {
            let message = format!("is not the payout's currency, {}", payout.currency.0);
            self.add(format!("{at}/currency"), message);
        }
        if line.is_in_payout() == Some(false) {
            self.add(format!("{at}/status"), "a line with a `payout` is IN_PAYOUT");
        }
    }

    fn repeated(&mut self, at: &str, line: &LineEntry, idempotency_keys: &mut HashSet<String>) {
        for number in 1..=rows::count(line) {
            if let Some(first) = &line.id {
                let pointer = format!("{at}/id");
                let Some(id) = Kind::CommissionLine.offset(first, number - 1) else {
                    self.add(pointer, format!("{first:?} is not `cln_` and a ULID"));
                    return;
                };
                self.id(Kind::CommissionLine, pointer, Some(&id));
            }
            if let Some(template) = &line.idempotency_key {
                let key = rows::numbered(template, number);
                if !idempotency_keys.insert(key.clone()) {
                    let message =
                        format!("{key:?} is used twice; a repeated line needs `{{n}}` in it");
                    self.add(format!("{at}/idempotencyKey"), message);
                    return;
                }
            }
        }
    }

    fn names<'a>(
        &mut self,
        at: &str,
        list: &str,
        kind: Kind,
        entries: &'a [impl Named],
    ) -> Names<'a> {
        let mut names = Names::new();
        for (index, entry) in entries.iter().enumerate() {
            let name = entry.local_name();
            if !names.insert(name) {
                self.add(format!("{at}/{list}/{index}/ref"), duplicate(&name.0));
            }
            self.id(kind, format!("{at}/{list}/{index}/id"), entry.id());
        }
        names
    }

    /// Ids of one organisation are unique.
    fn id(&mut self, kind: Kind, pointer: String, id: Option<&str>) {
        self.form(kind, pointer.clone(), id);
        if let Some(id) = id.filter(|id| !self.ids.insert((*id).to_owned())) {
            self.add(pointer, duplicate(id));
        }
    }

    fn form(&mut self, kind: Kind, pointer: String, id: Option<&str>) {
        if let Some(id) = id.filter(|id| !kind.is_valid(id)) {
            let message = format!("{id:?} is not `{}` and a ULID", kind.prefix());
            self.add(pointer, message);
        }
    }

    fn reference(&mut self, pointer: String, name: Option<&LocalName>, known: &Names<'_>) {
        if let Some(name) = name.filter(|name| !known.contains(name)) {
            self.add(pointer, unknown(name));
        }
    }

    fn unique<'a>(&mut self, seen: &mut HashSet<&'a str>, pointer: String, text: &'a str) {
        if !seen.insert(text) {
            self.add(pointer, duplicate(text));
        }
    }

    fn times(&mut self, at: &str, created: Option<&Instant>, updated: Option<&Instant>) {
        let created_at = self.instant(format!("{at}/createdAt"), created);
        let updated_at = self.instant(format!("{at}/updatedAt"), updated);
        match (created_at, updated_at) {
            (None, Some(_)) if created.is_none() => {
                self.add(format!("{at}/updatedAt"), "requires a `createdAt`");
            }
            (Some(created_at), Some(updated_at)) if updated_at < created_at => {
                self.add(format!("{at}/updatedAt"), "is before createdAt");
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
            self.add(pointer, format!("{:?}: no such day or time exists", instant.0));
        }
        parsed
    }

    fn add(&mut self, pointer: String, message: impl Into<String>) {
        self.violations.push(Violation { pointer, message: message.into() });
    }
}

fn duplicate(text: &str) -> String {
    format!("{text:?} is used twice")
}

fn unknown(name: &LocalName) -> String {
    format!("no entry has the `ref` {:?}", name.0)
}

#[cfg(test)]
mod tests;
