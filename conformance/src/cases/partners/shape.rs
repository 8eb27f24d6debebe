//! What a partner shows (§2.1, V2, V5, V8, V9), in the list and alone.
//!
//! They refuse to look at one partner: each field is null for some, and set for others.

use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use serde_json::{Map, Value};

use crate::{
    case::{Case, CaseContext, CaseOutcome, definition::runs},
    cases::lists::walk::{PARTNERS, Walk, known},
    exchange::{Request, request::escaped},
};

/// The cases.
pub(in crate::cases) const CASES: &[Case] = &[
    Case::new(
        "partners.fields",
        "Each field that a partner has is of its type.",
        "§2.1",
        runs!(fields),
    )
    .on("listPartners"),
    Case::new(
        "partners.all-keys",
        "Every key of a partner is always there, in the list and alone, and only ten of them may be null.",
        "V5",
        runs!(all_keys),
    )
    .on("getPartner")
    .requests(10),
    Case::new(
        "partners.people",
        "owner and manager are null or have id, name and email, and managerEmail is the manager's.",
        "V8",
        runs!(people),
    )
    .on("listPartners"),
    Case::new(
        "partners.crm-properties",
        "crmProperties are the company's, overlaid by the partner object's.",
        "V9",
        runs!(crm_properties),
    )
    .on("listPartners"),
    Case::new(
        "partners.times",
        "createdAt and updatedAt are in UTC with milliseconds, in order, and past.",
        "§2.1.createdAt",
        runs!(times),
    )
    .on("listPartners"),
];

/// What a field may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    TextOrNull,
    Texts,
    Map,
    MapOrNull,
}

use Kind::{Map as Object, MapOrNull, Text, TextOrNull, Texts};

const FIELDS: [(&str, Kind); 19] = [
    ("id", Text),
    ("name", Text),
    ("domain", TextOrNull),
    ("externalCompanyId", TextOrNull),
    ("externalId", TextOrNull),
    ("externalIdType", TextOrNull),
    ("managerEmail", TextOrNull),
    ("categories", Texts),
    ("tierId", TextOrNull),
    ("phaseId", TextOrNull),
    ("experienceTemplateId", TextOrNull),
    ("owner", MapOrNull),
    ("manager", MapOrNull),
    ("partnerObjectCrmProperties", Object),
    ("companyCrmProperties", Object),
    ("crmProperties", Object),
    ("status", Text),
    ("createdAt", Text),
    ("updatedAt", Text),
];

impl Kind {
    fn is(self, value: &Value) -> bool {
        match self {
            Text => value.is_string(),
            TextOrNull => value.is_string() || value.is_null(),
            Texts => value
                .as_array()
                .is_some_and(|items| items.iter().all(Value::is_string)),
            Object => value.is_object(),
            MapOrNull => value.is_object() || value.is_null(),
        }
    }
}

fn failed(walk: &Walk, what: &str, expected: &str, partner: &Value) -> CaseOutcome {
    walk.failed(what, expected, partner.to_string())
}

async fn fields(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let partners = known(context, PARTNERS).await?;
    for partner in &partners.items {
        for (name, kind) in FIELDS {
            // Which are always there, and which may be null, the specification leaves open (V5).
            let is_unsaid = partner.get(name).is_none_or(Value::is_null) && name != "id";
            let value = &partner[name];
            if !kind.is(value) && !is_unsaid {
                let what = format!("A partner's {name} is of another type.");
                return Err(failed(&partners, &what, "the type of §2.1", partner));
            }
        }
        if !partner["id"].is_string() || partner["id"] == "" {
            return Err(failed(&partners, "A partner has no id.", "an id", partner));
        }
    }
    Ok(())
}

/// Every key is there, each with what V5 allows.
fn missing_key(partner: &Value) -> Option<&'static str> {
    let mut fields = FIELDS.iter();
    let wrong = fields.find(|(name, kind)| !partner.get(*name).is_some_and(|value| kind.is(value)));
    wrong.map(|(name, _)| *name)
}

async fn all_keys(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let partners = known(context, PARTNERS).await?;
    for partner in &partners.items {
        if let Some(name) = missing_key(partner) {
            let what =
                format!("A listed partner's {name} is missing, or null although it never is.");
            return Err(failed(&partners, &what, "every key of §2.1", partner));
        }
    }
    // Alone: that with the fewest values, and that with the most.
    let mut items: Vec<&Value> = partners.items.iter().collect();
    items.sort_by_key(|item| item.to_string().len());
    let key = context.all()?;
    for partner in items.first().into_iter().chain(items.last()) {
        let id = partner["id"].as_str().unwrap_or_default();
        let request = Request::get(format!("/api/v1/partners/{}", escaped(id)));
        let response = context.send(request.with(&key)).await?;
        response.is(200)?;
        let wrong = missing_key(response.at("/data"));
        response.that(
            wrong.is_none(),
            "A partner has not all keys.",
            "every key of §2.1",
            &format!(
                "{} is missing, or null although it never is",
                wrong.unwrap_or_default()
            ),
        )?;
    }
    Ok(())
}

fn is_person(value: &Value) -> bool {
    let is_text = |name: &str| value[name].as_str() > Some("");
    value.is_null() || ["id", "name", "email"].into_iter().all(is_text)
}

async fn people(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let partners = known(context, PARTNERS).await?;
    for partner in &partners.items {
        if !is_person(&partner["owner"]) || !is_person(&partner["manager"]) {
            let what = "An owner or manager is no person.";
            return Err(failed(
                &partners,
                what,
                "null, or id, name and email",
                partner,
            ));
        }
        let email = partner["manager"].get("email").unwrap_or(&Value::Null);
        if partner["managerEmail"] != *email {
            let what = "managerEmail is not the manager's email.";
            return Err(failed(&partners, what, &email.to_string(), partner));
        }
    }
    if partners
        .items
        .iter()
        .all(|partner| partner["manager"].is_null())
    {
        return Err(CaseOutcome::missing("a partner with a manager"));
    }
    Ok(())
}

async fn crm_properties(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let partners = known(context, PARTNERS).await?;
    let mut is_overlaid = false;
    for partner in &partners.items {
        let of = |name: &str| partner[name].as_object().cloned().unwrap_or_default();
        let (company, object) = (of("companyCrmProperties"), of("partnerObjectCrmProperties"));
        is_overlaid |= company.keys().any(|name| object.contains_key(name));
        let mut together: Map<String, Value> = company;
        together.extend(object);
        if of("crmProperties") != together {
            let what = "crmProperties are not the company's, overlaid by the partner object's.";
            let expected = Value::Object(together).to_string();
            return Err(failed(&partners, what, &expected, partner));
        }
    }
    if !is_overlaid {
        return Err(CaseOutcome::missing(
            "a partner whose object and company share a CRM property",
        ));
    }
    Ok(())
}

/// In UTC, with exactly three digits of a second.
fn instant(value: &Value) -> Option<DateTime<FixedOffset>> {
    let text = value.as_str()?;
    let head = text
        .strip_suffix('Z')
        .or_else(|| text.strip_suffix("+00:00"))?;
    let (_, fraction) = head.split_once('.')?;
    let is_fraction = fraction.len() == 3 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = DateTime::parse_from_rfc3339(text).ok()?;
    is_fraction.then_some(parsed)
}

async fn times(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    // Clocks differ a little.
    let latest = Utc::now() + TimeDelta::minutes(10);
    let partners = known(context, PARTNERS).await?;
    for partner in &partners.items {
        let (created, updated) = (
            instant(&partner["createdAt"]),
            instant(&partner["updatedAt"]),
        );
        let (Some(created), Some(updated)) = (created, updated) else {
            let what = "createdAt or updatedAt is no date-time in UTC with milliseconds.";
            return Err(failed(
                &partners,
                what,
                "such as 2026-05-20T09:30:00.000Z",
                partner,
            ));
        };
        if updated < created || updated > latest {
            let what = "A partner was updated before it was created, or has yet to be.";
            return Err(failed(
                &partners,
                what,
                "createdAt, then updatedAt, then now",
                partner,
            ));
        }
    }
    Ok(())
}
