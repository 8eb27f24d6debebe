//! What of a data set cases ask for by name.
//!
//! It refuses what has no fixed id: it would be another one after the next import.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    id::Kind,
    import::{
        format::{Dataset, LineEntry, LineStatus, NamedEntry, OrganizationEntry},
        resolve,
    },
};

/// Ids by the name of a fixture.
pub(in crate::cli) type Fixtures = BTreeMap<&'static str, Fixture>;

/// One id, or several.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(in crate::cli) enum Fixture {
    One(String),
    Many(Vec<String>),
}

/// The fixtures of a data set; what another data set does not hold is absent.
pub(in crate::cli) fn fixtures(dataset: &Dataset) -> Fixtures {
    let mut found: Vec<(&'static str, Option<String>)> = Vec::new();
    let mut lines_to_detach = Vec::new();
    if let Some(main) = organization(dataset, "main") {
        lines_to_detach = attached(main, "to-detach");
        found.extend([
            ("partner", partner(main, "nordwind")),
            ("external_id", external_id(main, "nordwind")),
            ("shadow_partner", partner(main, "shadow")),
            ("tier", named(&main.tiers, "silver")),
            ("phase", named(&main.phases, "onboarding")),
            (
                "experience_template",
                named(&main.experience_templates, "premium"),
            ),
            ("user", user(main, "kenji")),
            ("payout", payout(main, "one-line")),
            ("payout_of_many_lines", payout(main, "forty-one")),
            ("payout_without_lines", payout(main, "empty")),
            ("payout_uploaded", payout(main, "uploaded")),
            ("payout_noted", payout(main, "noted")),
            ("payout_to_detach", payout(main, "to-detach")),
            ("payout_to_empty", payout(main, "to-empty")),
            ("line_unattached", apart(main, LineStatus::Pending)),
            ("line_expected", apart(main, LineStatus::Expected)),
            ("line_voided", apart(main, LineStatus::Voided)),
        ]);
    }
    if let Some(other) = organization(dataset, "other") {
        found.extend([
            ("foreign_partner", partner(other, "first")),
            ("foreign_payout", payout(other, "payout")),
            ("foreign_line", attached(other, "payout").into_iter().next()),
        ]);
    }
    if let Some(no_billing) = organization(dataset, "no_billing") {
        found.extend([
            ("payout_no_billing", payout(no_billing, "payout")),
            (
                "payout_no_billing_without_lines",
                payout(no_billing, "empty"),
            ),
            ("payout_no_billing_uploaded", payout(no_billing, "uploaded")),
        ]);
    }
    let found = found.into_iter();
    let mut fixtures: Fixtures = found
        .filter_map(|(name, id)| Some((name, Fixture::One(id?))))
        .collect();
    if !lines_to_detach.is_empty() {
        fixtures.insert("lines_to_detach", Fixture::Many(lines_to_detach));
    }
    fixtures
}

fn organization<'a>(dataset: &'a Dataset, name: &str) -> Option<&'a OrganizationEntry> {
    let mut all = dataset.organizations.iter();
    all.find(|organization| organization.name == name)
}

fn partner(organization: &OrganizationEntry, name: &str) -> Option<String> {
    let mut all = organization.partners.iter();
    all.find(|partner| partner.local_name.0 == name)?.id.clone()
}

fn external_id(organization: &OrganizationEntry, name: &str) -> Option<String> {
    let mut all = organization.partners.iter();
    let partner = all.find(|partner| partner.local_name.0 == name)?;
    partner.columns.external_id.clone()
}

fn payout(organization: &OrganizationEntry, name: &str) -> Option<String> {
    let mut all = organization.payouts.iter();
    all.find(|payout| payout.local_name.0 == name)?.id.clone()
}

fn user(organization: &OrganizationEntry, name: &str) -> Option<String> {
    let mut all = organization.users.iter();
    all.find(|user| user.local_name.0 == name)?.id.clone()
}

fn named(entries: &[NamedEntry], name: &str) -> Option<String> {
    let mut all = entries.iter();
    all.find(|entry| entry.local_name.0 == name)?.id.clone()
}

/// The lines of a payout.
fn attached(organization: &OrganizationEntry, payout: &str) -> Vec<String> {
    let of_payout = |line: &&LineEntry| {
        let attached = line.payout.as_ref();
        attached.is_some_and(|attached| attached.0 == payout)
    };
    let entries = organization.commission_lines.iter().filter(of_payout);
    entries.flat_map(line_ids).collect()
}

/// The first line without a payout in this state.
fn apart(organization: &OrganizationEntry, status: LineStatus) -> Option<String> {
    let mut entries = organization.commission_lines.iter();
    let found = entries
        .find(|line| line.payout.is_none() && line.status.unwrap_or(LineStatus::Pending) == status);
    line_ids(found?).next()
}

fn line_ids(line: &LineEntry) -> impl Iterator<Item = String> {
    let numbers = 0..resolve::count(line);
    let nth = |number| Kind::CommissionLine.nth_after(line.id.as_deref()?, number);
    numbers.filter_map(nth)
}
