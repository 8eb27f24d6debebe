//! Entries of the data set that cases need. Only fixed ids are named: a generated id would be
//! another one after the next import.

use std::collections::BTreeMap;

use payout_server::tools::Kind;
use serde::Serialize;
use serde_json::Value;

use super::{MAIN, organization_of};

/// Ids by the name of a fixture.
pub(super) type Fixtures = BTreeMap<&'static str, Fixture>;

/// One id, or several.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Fixture {
    One(String),
    Many(Vec<String>),
}

const OTHER: &str = "other";
const NO_BILLING: &str = "no_billing";
const SANDBOX: &str = "sandbox";
/// Fixture, organisation, list, and local name (`ref`) of the entry whose id it is.
const ENTRIES: [(&str, &str, &str, &str); 25] = [
    ("partner", MAIN, "partners", "nordwind"),
    ("shadow_partner", MAIN, "partners", "shadow"),
    ("tier", MAIN, "tiers", "silver"),
    ("phase", MAIN, "phases", "onboarding"),
    ("experience_template", MAIN, "experienceTemplates", "premium"),
    ("user", MAIN, "users", "kenji"),
    ("payout", MAIN, "payouts", "one-line"),
    ("batch", MAIN, "payouts", "one-line"),
    ("payout_of_many_lines", MAIN, "payouts", "forty-one"),
    ("payout_without_lines", MAIN, "payouts", "empty"),
    ("payout_uploaded", MAIN, "payouts", "uploaded"),
    ("payout_noted", MAIN, "payouts", "noted"),
    ("payout_to_detach", MAIN, "payouts", "to-detach"),
    ("payout_to_empty", MAIN, "payouts", "to-empty"),
    ("foreign_partner", OTHER, "partners", "first"),
    ("foreign_payout", OTHER, "payouts", "payout"),
    ("foreign_payout_without_lines", OTHER, "payouts", "earlier"),
    ("foreign_payout_in_another_currency", OTHER, "payouts", "dollars"),
    ("payout_no_billing", NO_BILLING, "payouts", "payout"),
    ("payout_no_billing_without_lines", NO_BILLING, "payouts", "empty"),
    ("payout_no_billing_uploaded", NO_BILLING, "payouts", "uploaded"),
    ("external_id", MAIN, "partners", "nordwind"),
    ("foreign_batch", OTHER, "payouts", "payout"),
    ("sandbox_partner", SANDBOX, "partners", "first"),
    ("sandbox_template", SANDBOX, "experienceTemplates", "template"),
];
/// Fixture, organisation and status of a line without a payout.
const UNATTACHED: [(&str, &str, &str); 5] = [
    ("line_unattached", MAIN, "PENDING"),
    ("line_expected", MAIN, "EXPECTED"),
    ("line_voided", MAIN, "VOIDED"),
    ("foreign_line_unattached", OTHER, "PENDING"),
    ("foreign_line_voided", OTHER, "VOIDED"),
];
/// Fixture, organisation and payout of the first of its lines.
const ATTACHED: [(&str, &str, &str); 2] =
    [("foreign_line", OTHER, "payout"), ("foreign_line_paid", OTHER, "paid")];

/// The fixtures of a data set. Those that it does not hold are absent.
pub(super) fn fixtures(dataset: &Value) -> Fixtures {
    let mut fixtures = Fixtures::new();
    let mut add = |name, id: Option<String>| {
        fixtures.extend(id.map(|id| (name, Fixture::One(id))));
    };
    for (name, organization, list, local_name) in ENTRIES {
        let member = match name {
            "external_id" => "externalId",
            "batch" | "foreign_batch" => "batchId",
            _ => "id",
        };
        let mut entries = entries(dataset, organization, list);
        let found = entries.find(|entry| entry["ref"] == local_name);
        add(name, found.and_then(|entry| Some(entry[member].as_str()?.to_owned())));
    }
    for (name, organization, status) in UNATTACHED {
        let mut lines = entries(dataset, organization, "commissionLines");
        let found = lines.find(|line| {
            line["payout"].is_null() && line["status"].as_str().unwrap_or("PENDING") == status
        });
        add(name, found.and_then(|line| line_ids(line).next()));
    }
    for (name, organization, payout) in ATTACHED {
        add(name, attached(dataset, organization, payout).next());
    }
    let to_detach: Vec<String> = attached(dataset, MAIN, "to-detach").collect();
    if !to_detach.is_empty() {
        fixtures.insert("lines_to_detach", Fixture::Many(to_detach));
    }
    fixtures
}

fn entries<'a>(
    dataset: &'a Value,
    organization: &str,
    list: &str,
) -> impl Iterator<Item = &'a Value> {
    let entries = organization_of(dataset, organization)[list].as_array();
    entries.into_iter().flatten()
}

/// The lines of a payout.
fn attached(dataset: &Value, organization: &str, payout: &str) -> impl Iterator<Item = String> {
    entries(dataset, organization, "commissionLines")
        .filter(move |line| line["payout"] == payout)
        .flat_map(line_ids)
}

/// The ids of a line and its repetitions.
fn line_ids(line: &Value) -> impl Iterator<Item = String> {
    let repeat = line["repeat"].as_u64().unwrap_or(1);
    let numbers = 0..u32::try_from(repeat).unwrap_or_default();
    numbers.filter_map(|number| Kind::CommissionLine.offset(line["id"].as_str()?, number))
}
