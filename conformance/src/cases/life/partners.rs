//! Partners, created or matched by their domain (X1).

use super::{made, one_is_made, posting};
use crate::cases::{partners::shows, prelude::*};

fn named(domain: &str) -> Value {
    json!({ "name": marked_name(), "domain": domain })
}

/// A creation with the domain of a partner, in other letters, updates that partner.
#[case("X1", on = createPartner, keys(Sandbox), changes = Irreversible)]
async fn matched(context: &mut CaseContext<'_>) -> CaseResult {
    let domain = format!("{}.example", marker());
    let first = made(context, PARTNERS.path, &named(&domain)).await?;
    first.has("/data/status", "pending")?.has("/data/externalId", Value::Null)?;
    let body = named(&domain.to_uppercase());
    let matched = context.ok(posting(context, PARTNERS.path, &body)?).await?;
    matched.has("/data/id", first.text("/data/id"))?;
    matched.has("/data/name", body["name"].clone())?.has("/data/domain", body["domain"].clone())?;
    let read = Request::get(partner_path(first.text("/data/id"))).with(&context.all()?);
    shows(&context.ok(read).await?, matched.at("/data"), &[])?;
    context.snapshot_of_random(&matched, &["/data/domain", "/data/createdAt"]);
    Ok(())
}

/// A creation updates the oldest of several partners with its domain.
#[case("X1", on = createPartner, keys(Sandbox), changes = Irreversible, requests = 12)]
async fn oldest_matched(context: &mut CaseContext<'_>) -> CaseResult {
    let domain = format!("{}.example", marker());
    let mut partners = Vec::new();
    for _ in 0..3 {
        let made = made(context, PARTNERS.path, &named(&format!("{}.example", marker()))).await?;
        partners.push(partner_path(made.text("/data/id")));
    }
    // The oldest is not the first that has the domain.
    let mut others = Vec::new();
    for path in partners.iter().rev() {
        let patch = Request::patch(path, &json!({ "domain": domain })).with(&context.all()?);
        others.push((path, context.ok(patch).await?));
    }
    let Some((_, oldest)) = others.pop() else { return Ok(()) };
    let matched = context.ok(posting(context, PARTNERS.path, &named(&domain))?).await?;
    matched.has("/data/id", oldest.text("/data/id"))?;
    for (path, other) in others {
        let read = context.ok(Request::get(path).with(&context.all()?)).await?;
        shows(&read, other.at("/data"), &[])?;
    }
    Ok(())
}

/// A creation without a domain makes a new partner each time.
#[case("X1", on = createPartner, keys(Sandbox), changes = Irreversible)]
async fn without_domain(context: &mut CaseContext<'_>) -> CaseResult {
    let body = json!({ "name": marked_name(), "domain": null });
    let first = made(context, PARTNERS.path, &body).await?;
    let second = made(context, PARTNERS.path, &body).await?;
    let [first_id, id] = [&first, &second].map(|made| made.text("/data/id"));
    second.that(first_id != id, "Two partners without a domain are one.", "another id", id)
}

/// Concurrent creations of one domain make one partner.
#[case("X1", on = createPartner, keys(Sandbox), changes = Irreversible)]
async fn at_once(context: &mut CaseContext<'_>) -> CaseResult {
    let request = posting(context, PARTNERS.path, &named(&format!("{}.example", marker())))?;
    one_is_made(&concurrently(context, vec![request; 4]).await?)
}

/// A partner that is created with an experience template is active.
#[case("X1", on = createPartner, keys(Sandbox), fixtures(SandboxTemplate),
       changes = Irreversible)]
async fn published(context: &mut CaseContext<'_>) -> CaseResult {
    let template = context.fixture(Fixture::SandboxTemplate)?;
    let body = json!({ "name": marked_name(), "experienceTemplateId": template });
    let made = made(context, PARTNERS.path, &body).await?;
    made.has("/data/status", "active")?.has("/data/experienceTemplateId", template).map(drop)
}
