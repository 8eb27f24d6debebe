//! What a partner shows (§2.1, V2, V5, V8, V9), in the list and alone. Types and required keys are
//! invariants of every response.

use chrono::{DateTime, FixedOffset, TimeDelta, Utc};

use crate::cases::prelude::*;

fn failed(walk: &Walk, what: &str, expected: &str, partner: &Value) -> CaseOutcome {
    walk.failed(what, expected, partner.to_string())
}

/// Each field that a partner has is of its type.
#[case("§2.1", on = listPartners)]
async fn fields(context: &mut CaseContext<'_>) -> CaseResult {
    let partners = known(context, PARTNERS).await?;
    match partners.ids().contains(&"") {
        false => Ok(()),
        true => Err(partners.failed("A partner has no id.", "an id", "none, or an empty one")),
    }
}

/// Every key of a partner is always present, in the list and alone, and only ten may be null.
#[case("V5", on = getPartner, requests = 10)]
async fn all_keys(context: &mut CaseContext<'_>) -> CaseResult {
    let partners = known(context, PARTNERS).await?;
    // Alone: the one with the fewest values, and the one with the most.
    let mut items: Vec<&Value> = partners.items.iter().collect();
    items.sort_by_key(|item| item.to_string().len());
    let key = context.all()?;
    for partner in items.first().into_iter().chain(items.last()) {
        let id = partner["id"].as_str().unwrap_or_default();
        let request = Request::get(partner_path(id)).with(&key);
        context.ok(request).await?;
    }
    Ok(())
}

fn is_person(value: &Value) -> bool {
    let is_text = |name: &str| value[name].as_str() > Some("");
    value.is_null() || ["id", "name", "email"].into_iter().all(is_text)
}

/// owner and manager are null or have id, name and email, and managerEmail is the manager's.
#[case("V8", on = listPartners)]
async fn people(context: &mut CaseContext<'_>) -> CaseResult {
    let partners = known(context, PARTNERS).await?;
    for partner in &partners.items {
        if !is_person(&partner["owner"]) || !is_person(&partner["manager"]) {
            let what = "An owner or manager is incomplete.";
            return Err(failed(&partners, what, "null, or id, name and email", partner));
        }
        let email = partner["manager"].get("email").unwrap_or(&Value::Null);
        if partner["managerEmail"] != *email {
            let what = "managerEmail is not the manager's email.";
            return Err(failed(&partners, what, &email.to_string(), partner));
        }
    }
    CaseOutcome::missing_if(
        partners.items.iter().all(|partner| partner["manager"].is_null()),
        "a partner with a manager",
    )?;
    Ok(())
}

/// crmProperties are the company's, overlaid by those of the partner object.
#[case("V9", on = listPartners)]
async fn crm_properties(context: &mut CaseContext<'_>) -> CaseResult {
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
    CaseOutcome::missing_if(
        !is_overlaid,
        "a partner whose object and company share a CRM property",
    )?;
    Ok(())
}

/// A time in UTC with exactly three fraction digits.
fn instant(value: &Value) -> Option<DateTime<FixedOffset>> {
    let text = value.as_str()?;
    let head = text.strip_suffix('Z').or_else(|| text.strip_suffix("+00:00"))?;
    let (_, fraction) = head.split_once('.')?;
    let is_fraction = fraction.len() == 3 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = DateTime::parse_from_rfc3339(text).ok()?;
    is_fraction.then_some(parsed)
}

/// createdAt and updatedAt are in UTC with milliseconds, in order, and in the past.
#[case("§2.1.createdAt", on = listPartners)]
async fn times(context: &mut CaseContext<'_>) -> CaseResult {
    // Clocks differ.
    let latest = Utc::now() + TimeDelta::minutes(10);
    let partners = known(context, PARTNERS).await?;
    for partner in &partners.items {
        // Which fields may be null is a decision.
        let is_null = partner["createdAt"].is_null() || partner["updatedAt"].is_null();
        if is_null && !context.judges("V5") {
            continue;
        }
        let (created, updated) = (instant(&partner["createdAt"]), instant(&partner["updatedAt"]));
        let (Some(created), Some(updated)) = (created, updated) else {
            let what = "createdAt or updatedAt is not a date-time in UTC with milliseconds.";
            return Err(failed(&partners, what, "such as 2026-05-20T09:30:00.000Z", partner));
        };
        if updated < created || updated > latest {
            let what = "A partner was updated before it was created, or in the future.";
            return Err(failed(&partners, what, "createdAt, then updatedAt, then now", partner));
        }
    }
    Ok(())
}
