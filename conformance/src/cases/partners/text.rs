//! Name and domain, at their bounds (§4.3, R3).
//!
//! They refuse a bound without its neighbour: what is one longer must be refused, what is at the bound accepted.

use hyper::Method;
use serde_json::{Value, json};

use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes},
    cases::{
        borrowed::{Borrowed, MARK, borrows, marked_name, shows},
        lists::walk::{PARTNERS, known},
    },
    exchange::Request,
    target::Fixture,
};

const NAME: usize = 200;
const DOMAIN: usize = 255;

/// The cases.
pub(in crate::cases) const CASES: &[Case] = &[
    Case::new(
        "partners.patch-name-length",
        "A name has 1 to 200 characters: both are accepted, none and 201 are refused.",
        "§4.3.name",
        borrows!(name_length),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(12),
    Case::new(
        "partners.patch-scalar-values",
        "A length counts Unicode scalar values: 200 of a name and 255 of a domain are accepted, of four bytes each, and no more.",
        "R3",
        borrows!(scalar_values),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(12),
    Case::new(
        "partners.patch-name-as-sent",
        "A name comes back as it was sent: no blank, letter or sign of it is changed.",
        "§4.3",
        borrows!(name_as_sent),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(24),
    Case::new(
        "partners.patch-name-with-nul",
        "U+0000 in a name or domain is refused.",
        "R3",
        borrows!(with_nul),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored),
    Case::new(
        "partners.patch-domain-length",
        "A domain has 1 to 255 characters: both are accepted, none and 256 are refused.",
        "§4.3.domain",
        borrows!(domain_length),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(12),
    Case::new(
        "partners.patch-domain-as-sent",
        "A domain comes back in the letters it was sent in, also one that another partner has.",
        "§4.3.domain",
        borrows!(domain_as_sent),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(24),
    Case::new(
        "partners.patch-domain-null",
        "null clears the domain, and a string sets it again.",
        "§4.3.domain",
        borrows!(domain_null),
    )
    .on("updatePartner")
    .fixtures(&[Fixture::Partner])
    .changes(Changes::Restored)
    .requests(12),
];

/// A field takes this value, and shows it afterwards.
async fn accepts(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
    field: &str,
    value: &Value,
) -> Result<Value, CaseOutcome> {
    let response = context
        .send(partner.patch(&json!({ field: value })))
        .await?;
    response
        .is(200)?
        .has(&format!("/data/{field}"), value.clone())?;
    let read = context.send(partner.get()).await?;
    shows(&read, response.at("/data"), &[])?;
    Ok(response.at("/data").clone())
}

/// A field refuses this value, and the partner stays what it is.
async fn refuses(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
    body: &Value,
    issue: &str,
    now: &Value,
) -> Result<(), CaseOutcome> {
    let response = context.send(partner.patch(body)).await?;
    context.is_violation(&response, &[issue])?;
    let read = context.send(partner.get()).await?;
    shows(&read, now, &[])
}

async fn name_length(context: &mut CaseContext<'_>, partner: &Borrowed) -> Result<(), CaseOutcome> {
    let name = |length: usize| json!(format!("{MARK}{}", "n".repeat(length - 1)));
    accepts(context, partner, "name", &name(1)).await?;
    let now = accepts(context, partner, "name", &name(NAME)).await?;
    let body = json!({ "name": name(NAME + 1) });
    refuses(context, partner, &body, "body /name TOO_LONG", &now).await?;
    let body = json!({ "name": "" });
    refuses(context, partner, &body, "body /name TOO_SHORT", &now).await?;
    if context.with_decisions() {
        // Blanks count as any characters do. Asked of nobody: a sound form is 404, and no partner has such a name meanwhile.
        let body = json!({ "name": "  " });
        let request = Request::patch("/api/v1/partners/nobody-has-this-id", &body);
        let response = context.send(request.with(&context.all()?)).await?;
        context.is_error(&response, 404, "NOT_FOUND")?;
    }
    Ok(())
}

async fn scalar_values(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    for (field, most) in [("name", NAME), ("domain", DOMAIN)] {
        let text = |length: usize| json!(format!("{MARK}{}", "🚀".repeat(length - 1)));
        let now = accepts(context, partner, field, &text(most)).await?;
        let body = json!({ field: text(most + 1) });
        let issue = format!("body /{field} TOO_LONG");
        refuses(context, partner, &body, &issue, &now).await?;
    }
    Ok(())
}

/// What storing, escaping or normalising would change.
const NAMES: [&str; 7] = [
    "O'Reilly \"Quotes\" \\ <b>& Sons</b>; DROP TABLE partners; --",
    "e\u{301} is no \u{e9}, and \u{ff21} no A",
    "\u{5e9}\u{5dc}\u{5d5}\u{5dd} 同心 Ромашка 👩\u{200d}🚀",
    "null",
    // In other letters' case alone it is another name.
    "NULL",
    "zero\u{200b}width, soft\u{ad}hyphen, \u{202e}backwards\u{202c}, \u{feff}mark",
    "%s {0} ${x} %00",
];
/// What a deployment of other decisions may refuse.
const BLANKS: [&str; 3] = [
    "  between  blanks  ",
    "tab\tline\nreturn\r",
    "bell\u{7} escape\u{1b} delete\u{7f}",
];

async fn name_as_sent(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    let blanks = BLANKS.into_iter().filter(|_| context.with_decisions());
    let names: Vec<&str> = NAMES.into_iter().chain(blanks).collect();
    for name in names {
        accepts(context, partner, "name", &json!(format!("{MARK}{name}"))).await?;
    }
    // JSON may be written otherwise: with escapes, and white space around it.
    let body = format!("\r\n\t {{ \"n\\u0061me\" : \"{MARK}\\ud83d\\ude80\\u00e9\\/\" }} \n");
    let path = format!("/api/v1/partners/{}", partner.id);
    let request = Request::new(Method::PATCH, path).with(&context.all()?);
    let request = request.body("application/json", body);
    let response = context.send(request).await?;
    response.is(200)?.has("/data/name", format!("{MARK}🚀é/"))?;
    Ok(())
}

async fn with_nul(context: &mut CaseContext<'_>, partner: &Borrowed) -> Result<(), CaseOutcome> {
    let now = partner.begin(context).await?;
    let body = json!({ "name": format!("{MARK}\0") });
    refuses(context, partner, &body, "body /name BAD_FORMAT", &now).await?;
    let body = json!({ "domain": "a\0.example" });
    refuses(context, partner, &body, "body /domain BAD_FORMAT", &now).await
}

async fn domain_length(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    partner.begin(context).await?;
    // Labels of a real name, so that one who looks at the form finds nothing wrong with it.
    let domain = |length: usize| {
        let labels = "d23456789.".repeat(DOMAIN);
        let tail = "example";
        json!(format!("{}{tail}", &labels[..length - tail.len()]))
    };
    accepts(context, partner, "domain", &json!("d")).await?;
    let now = accepts(context, partner, "domain", &domain(DOMAIN)).await?;
    let body = json!({ "domain": domain(DOMAIN + 1) });
    refuses(context, partner, &body, "body /domain TOO_LONG", &now).await?;
    let body = json!({ "domain": "" });
    refuses(context, partner, &body, "body /domain TOO_SHORT", &now).await
}

async fn domain_as_sent(
    context: &mut CaseContext<'_>,
    partner: &Borrowed,
) -> Result<(), CaseOutcome> {
    partner.begin(context).await?;
    let partners = known(context, PARTNERS).await?;
    let others = partners.items.iter();
    let others = others.filter(|other| other["id"] != *partner.id);
    let mut domains = others.map(|other| &other["domain"]);
    for domain in [
        "As-Sent.EXAMPLE",
        "as-sent.example",
        "https://as-sent.example/path?a=b",
    ] {
        accepts(context, partner, "domain", &json!(domain)).await?;
    }
    // A domain is no name of a partner: two may have one. Where no partner has any there is nothing to try.
    if let Some(taken) = domains.find(|domain| domain.is_string()) {
        accepts(context, partner, "domain", taken).await?;
    }
    Ok(())
}

async fn domain_null(context: &mut CaseContext<'_>, partner: &Borrowed) -> Result<(), CaseOutcome> {
    partner.begin(context).await?;
    accepts(context, partner, "domain", &json!("before.example")).await?;
    accepts(context, partner, "domain", &json!(null)).await?;
    // And what is not named stays cleared.
    let body = json!({ "name": marked_name() });
    let kept = context.send(partner.patch(&body)).await?;
    kept.is(200)?.has("/data/domain", json!(null))?;
    accepts(context, partner, "domain", &json!("after.example")).await?;
    Ok(())
}
