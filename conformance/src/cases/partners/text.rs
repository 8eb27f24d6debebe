//! Name and domain, at and beyond their bounds (§4.3, R3).

use crate::cases::prelude::*;

const NAME: usize = 200;
const DOMAIN: usize = 255;

/// Requires that a field accepts one character and `most` characters, and rejects none and one
/// more.
async fn has_length(
    context: &mut CaseContext<'_>,
    field: &str,
    most: usize,
    text: impl Fn(usize) -> String,
) -> CaseResult {
    let mut partner = ChangedPartner::new(context).await?;
    for length in [1, most] {
        partner.accepts(context, json!({ field: text(length) })).await?;
    }
    // A valid field beside it is not stored either.
    let body = json!({ "domain": "not-stored.example", field: text(most + 1) });
    partner.rejects(context, body, "TOO_LONG", &[field]).await?;
    partner.rejects(context, json!({ field: "" }), "TOO_SHORT", &[field]).await
}

/// A name has 1 to 200 characters: both are accepted, none and 201 are rejected.
#[case("§4.3.name", on = updatePartner, fixtures(Partner), changes = Restored, requests = 16)]
async fn name_length(context: &mut CaseContext<'_>) -> CaseResult {
    let name = |length: usize| format!("{NAME_MARKER}{}", "n".repeat(length - 1));
    has_length(context, "name", NAME, name).await?;
    if context.judges("R3") {
        // Blanks are characters. With an unknown id, so that no partner has such a name meanwhile:
        // a valid form is 404.
        let request = Request::patch(partner_path(UNKNOWN_ID), &json!({ "name": "  " }));
        context.expect(request.with(&context.all()?), NOT_FOUND).await?;
    }
    Ok(())
}

/// A length counts Unicode scalar values: 200 of a name and 255 of a domain, of four bytes each.
#[case("R3", requests = 16)]
async fn scalar_values(context: &mut CaseContext<'_>, mut partner: ChangedPartner) -> CaseResult {
    for (field, most) in [("name", NAME), ("domain", DOMAIN)] {
        let text = |length: usize| format!("{NAME_MARKER}{}", "🚀".repeat(length - 1));
        partner.accepts(context, json!({ field: text(most) })).await?;
        partner.rejects(context, json!({ field: text(most + 1) }), "TOO_LONG", &[field]).await?;
    }
    Ok(())
}

/// A text that any deployment stores.
const PLAIN: &str = "O'Reilly \"Quotes\" & Söhne, 同心 Ромашка";
/// Texts that storing, escaping or normalising could change: that they are kept is a decision.
const NAMES: [&str; 10] = [
    "O'Reilly \"Quotes\" \\ <b>& Sons</b>; DROP TABLE partners; --",
    "e\u{301} is no \u{e9}, and \u{ff21} no A",
    "\u{5e9}\u{5dc}\u{5d5}\u{5dd} 同心 Ромашка 👩\u{200d}🚀",
    "null",
    // The other case is another name.
    "NULL",
    "zero\u{200b}width, soft\u{ad}hyphen, \u{202e}backwards\u{202c}, \u{feff}mark",
    "%s {0} ${x} %00",
    "  between  blanks  ",
    "tab\tline\nreturn\r",
    "bell\u{7} escape\u{1b} delete\u{7f}",
];

/// A name comes back exactly as it was sent.
#[case("§4.3", requests = 28)]
async fn name_as_sent(context: &mut CaseContext<'_>, mut partner: ChangedPartner) -> CaseResult {
    let odd: &[&str] = if context.judges("R3") { &NAMES } else { &[] };
    for name in [&[PLAIN][..], odd].concat() {
        partner.accepts(context, json!({ "name": format!("{NAME_MARKER}{name}") })).await?;
    }
    // JSON with escapes, and white space around it.
    let body =
        format!("\r\n\t {{ \"n\\u0061me\" : \"{NAME_MARKER}\\ud83d\\ude80\\u00e9\\/\" }} \n");
    let request = Request::new(Method::PATCH, partner_path(&partner.id)).with(&context.all()?);
    let response = context.ok(request.body("application/json", body)).await?;
    response.has("/data/name", format!("{NAME_MARKER}🚀é/")).map(drop)
}

/// A domain has 1 to 255 characters: both are accepted, none and 256 are rejected.
#[case("§4.3.domain", on = updatePartner, fixtures(Partner), changes = Restored, requests = 16)]
async fn domain_length(context: &mut CaseContext<'_>) -> CaseResult {
    // Labels of a valid host name, so that only the length is wrong.
    let labels = "d23456789.".repeat(DOMAIN);
    let domain = |length: usize| match length.checked_sub("example".len()) {
        Some(rest) => format!("{}example", &labels[..rest]),
        None => "d".repeat(length),
    };
    has_length(context, "domain", DOMAIN, domain).await
}

/// A domain comes back exactly as it was sent, also one that another partner has.
#[case("§4.3.domain", requests = 28)]
async fn domain_as_sent(context: &mut CaseContext<'_>, mut partner: ChangedPartner) -> CaseResult {
    let partners = known(context, PARTNERS).await?;
    partner.accepts(context, json!({ "domain": "as-sent.example" })).await?;
    // Elsewhere a domain may be written in lower case, and have one partner.
    if !context.judges("R3") {
        return Ok(());
    }
    // Two partners may have the same domain.
    let others = partners.items.iter().filter(|other| other["id"] != *partner.id);
    let taken = others.map(|other| other["domain"].clone()).find(Value::is_string);
    let odd = ["As-Sent.EXAMPLE", "https://as-sent.example/path?a=b"].map(Value::from);
    for domain in odd.into_iter().chain(taken) {
        partner.accepts(context, json!({ "domain": domain })).await?;
    }
    Ok(())
}

/// null clears the domain, and a string sets it again.
#[case("§4.3.domain", requests = 16)]
async fn domain_null(context: &mut CaseContext<'_>, mut partner: ChangedPartner) -> CaseResult {
    partner.accepts(context, json!({ "domain": "before.example" })).await?;
    partner.accepts(context, json!({ "domain": null })).await?;
    // A PATCH of another field keeps it cleared.
    let kept = context.ok(partner.patch(&json!({ "name": marked_name() }))).await?;
    kept.has("/data/domain", Value::Null)?;
    partner.renamed = kept.at("/data").clone();
    partner.accepts(context, json!({ "domain": "after.example" })).await.map(drop)
}
