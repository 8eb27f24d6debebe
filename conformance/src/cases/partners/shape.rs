//! The fields of a partner (§2.1, V2, V5, V8, V9), in the list and alone. Types and required keys
//! are invariants of every response.

use chrono::{DateTime, TimeDelta, Utc};

use crate::cases::prelude::*;

/// Every key of a partner is always present, in the list and alone, and only ten may be null.
#[case("V5", on = getPartner, requests = 10)]
async fn all_keys(context: &mut CaseContext<'_>) -> CaseResult {
    let partners = known(context, PARTNERS).await?;
    // Alone: the one with the fewest values, and the one with the most.
    let mut items: Vec<&Value> = partners.items.iter().collect();
    items.sort_by_key(|item| item.to_string().len());
    for partner in items.first().into_iter().chain(items.last()) {
        let path = partner_path(partner["id"].as_str().unwrap_or_default());
        context.ok(Request::get(path).with(&context.all()?)).await?;
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
            return Err(partners.failed(what, "null, or id, name and email", partner.to_string()));
        }
        let email = partner["manager"].get("email").unwrap_or(&Value::Null);
        if partner["managerEmail"] != *email {
            let what = "managerEmail is not the manager's email.";
            return Err(partners.failed(what, email.to_string(), partner.to_string()));
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
            return Err(partners.failed(what, &expected, partner.to_string()));
        }
    }
    CaseOutcome::missing_if(
        !is_overlaid,
        "a partner whose object and company share a CRM property",
    )?;
    Ok(())
}

/// createdAt and updatedAt are in order, and in the past.
#[case("§2.1.createdAt", on = listPartners)]
async fn times(context: &mut CaseContext<'_>) -> CaseResult {
    // Clocks differ.
    let latest = Utc::now() + TimeDelta::minutes(10);
    let partners = known(context, PARTNERS).await?;
    let at = |partner: &Value, name: &str| partner[name].as_str()?.parse::<DateTime<Utc>>().ok();
    for partner in &partners.items {
        // Which fields may be null is a decision; their form is an invariant.
        let (Some(created), Some(updated)) = (at(partner, "createdAt"), at(partner, "updatedAt"))
        else {
            continue;
        };
        if updated < created || updated > latest {
            let what = "A partner was updated before it was created, or in the future.";
            let expected = "createdAt, then updatedAt, then now";
            return Err(partners.failed(what, expected, partner.to_string()));
        }
    }
    Ok(())
}
