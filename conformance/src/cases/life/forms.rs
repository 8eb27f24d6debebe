//! Forms, and what is submitted with them (X15).

use super::{Owner, made, posting};
use crate::cases::prelude::*;
use chrono::{SecondsFormat, TimeDelta, Utc};

const FORMS: &str = "/api/v1/forms";

fn submissions(context: &CaseContext<'_>) -> CaseResult<String> {
    Ok(format!("{FORMS}/{}/submissions", context.fixture(Fixture::SandboxForm)?))
}

/// The schema of a form has each of its fields, and requires those that are required.
#[case("X15", on = getForm, fixtures(Form))]
async fn schema(context: &mut CaseContext<'_>) -> CaseResult {
    let path = format!("{FORMS}/{}", context.fixture(Fixture::Form)?);
    let form = context.ok(Request::get(path).with(&context.all()?)).await?;
    let fields = form.at("/data/fields").as_array().cloned().unwrap_or_default();
    let keys = |is_listed: fn(&Value) -> bool| {
        let listed = fields.iter().filter(|field| is_listed(field));
        listed.map(|field| field["key"].clone()).collect::<Vec<_>>()
    };
    let properties = form.at("/data/schema/properties").as_object();
    let properties = properties.into_iter().flatten().map(|(key, _)| json!(key));
    let properties = Value::from(properties.collect::<Vec<_>>());
    form.same("The schema has other fields.", &keys(|_| true).into(), &properties)?;
    form.has("/data/schema/required", keys(|field| field["required"] == true))?;
    form.has("/data/schema/additionalProperties", false).map(drop)
}

/// A submission is shown as it was made, waits for a review, and is in the list.
#[case("X15", on = createFormSubmission, fixtures(SandboxForm))]
async fn submitted(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let fields = json!({ "company": "Acme Ltd", "existingCustomer": true });
    let body = json!({ "fields": fields, "partnerId": owner.partner, "email": "jo@acme.example" });
    let created = made(context, &submissions(context)?, &body).await?;
    created.has("/data/fields", fields)?.has("/data/partnerId", owner.partner.as_str())?;
    created.has("/data/email", "jo@acme.example")?.has("/data/externalKey", Value::Null)?;
    created.has("/data/status", "PENDING")?.has("/data/formVersion", 1)?;
    created.has("/data/submittedAt", created.at("/data/createdAt").clone())?;
    let query = format!("/api/v1/form-submissions?partnerId={}&status=PENDING", owner.partner);
    let list = context.ok(Request::get(query).with(&context.all()?)).await?;
    list.has("/data/0", created.at("/data").clone())?.has("/data/1", Value::Null).map(drop)
}

/// Everything that does not fit the form is named at once.
#[case("X15.rejected", on = createFormSubmission, fixtures(SandboxForm))]
async fn rejected(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let path = submissions(context)?;
    let fields = json!({ "existingCustomer": "yes", "unknown": "x" });
    let body = json!({ "fields": fields, "partnerId": owner.partner });
    let request = posting(context, &path, &body)?;
    let rejected = context.expect(request, FORM_REJECTED).await?;
    let issues = [
        "body /fields/company REQUIRED",
        "body /fields/existingCustomer WRONG_TYPE",
        "body /fields/unknown UNKNOWN_FIELD",
    ];
    context.has_issues(&rejected, &issues)?;
    let long = json!({ "fields": { "company": "x".repeat(101) } });
    let request = posting(context, &path, &long)?;
    let rejected = context.expect(request, FORM_REJECTED).await?;
    context.has_issues(&rejected, &["body /fields/company TOO_LONG"])
}

/// A known external key is answered with its submission, whatever the body says.
#[case("X15.key", on = createFormSubmission, fixtures(SandboxForm))]
async fn external_key(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let path = submissions(context)?;
    let key = marked_name();
    let first = json!({ "fields": { "company": "Acme Ltd" }, "externalKey": key });
    let created = made(context, &path, &first).await?;
    let others = [
        first,
        json!({ "fields": {}, "externalKey": key }),
        json!({ "fields": {}, "externalKey": key, "partnerId": owner.partner }),
        json!({ "fields": {}, "externalKey": key, "partnerId": "nobody-has-this-id" }),
    ];
    for body in others {
        let known = context.ok(posting(context, &path, &body)?).await?;
        known.has("/data", created.at("/data").clone())?;
        let random = ["/data/createdAt", "/data/submittedAt", "/data/externalKey"];
        context.snapshot_of_random(&known, &random);
    }
    Ok(())
}

/// The time of a submission is near that of the request.
#[case("X15.time", on = createFormSubmission, fixtures(SandboxForm))]
async fn time(context: &mut CaseContext<'_>, owner: Owner) -> CaseResult {
    let path = submissions(context)?;
    let body = |ahead: TimeDelta| {
        let at = (Utc::now() + ahead).to_rfc3339_opts(SecondsFormat::Millis, true);
        let fields = json!({ "company": "Acme Ltd" });
        (json!({ "fields": fields, "partnerId": owner.partner, "submittedAt": at }), at)
    };
    let month = TimeDelta::days(30);
    let margin = TimeDelta::hours(1);
    let (valid, at) = body(margin - month);
    made(context, &path, &valid).await?.has("/data/submittedAt", at)?;
    for (ahead, issue) in
        [(-month - margin, "body /submittedAt TOO_SMALL"), (margin, "body /submittedAt TOO_LARGE")]
    {
        let request = posting(context, &path, &body(ahead).0)?;
        let rejected = context.expect(request, VALIDATION_FAILED).await?;
        context.has_issues(&rejected, &[issue])?;
    }
    Ok(())
}
