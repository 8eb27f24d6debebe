//! One partner (§2.1, §4.2, §4.3): read by both ids, and changed field by field.

mod change;
mod concurrent;
mod ids;
mod read;
mod references;
mod shape;
mod text;
mod unchanged;

use crate::cases::prelude::*;

/// Requires that a response shows the expected resource, but for these fields. Only a PATCH
/// response may leave a partner's template out (§2.1, V5).
pub(crate) fn shows(response: &Response, expected: &Value, but: &[&str]) -> CaseResult {
    response.is(200)?;
    let shown = response.at("/data");
    let names = expected.as_object().into_iter().flatten();
    for (name, value) in names.filter(|(name, _)| !but.contains(&name.as_str())) {
        if name == "experienceTemplateId" && shown.get(name).is_none() {
            continue;
        }
        let what = format!("The field {name} has another value.");
        let is_same = shown.get(name) == Some(value);
        response.that(is_same, &what, &value.to_string(), &shown[name].to_string())?;
    }
    Ok(())
}

/// Returns true if a listed partner and one read alone show the same; without decisions only the
/// fields that both have are compared.
pub(super) fn is_same_partner(context: &CaseContext<'_>, listed: &Value, single: &Value) -> bool {
    if context.judges("V5") {
        return listed == single;
    }
    let fields = listed.as_object().into_iter().flatten();
    let mut shared = fields.filter_map(|(name, value)| Some((value, single.get(name)?)));
    shared.all(|(listed, single)| listed == single)
}

/// The pointer in a partner to what a field of a PATCH sets, where it is shown.
fn pointer(field: &str) -> Option<String> {
    match field {
        "portalAccess" => None,
        "partnerOwnerId" => Some("/owner/id".to_owned()),
        field => Some(format!("/{field}")),
    }
}

impl ChangedPartner {
    /// Requires that a PATCH is accepted and shows what it sets, that it keeps what it does not
    /// name (R2.absent, unless decisions are off), and that reading shows the same.
    async fn accepts(
        &mut self,
        context: &mut CaseContext<'_>,
        body: Value,
    ) -> CaseResult<Response> {
        let response = context.ok(self.patch(&body)).await?;
        response.has("/data/id", self.id.as_str())?;
        let read = context.send(self.get()).await?;
        shows(&read, response.at("/data"), &[])?;
        let mut named = vec!["updatedAt".to_owned()];
        for (field, value) in body.as_object().into_iter().flatten() {
            let Some(pointer) = pointer(field) else { continue };
            read.has(&format!("/data{pointer}"), value.clone())?;
            named.extend(pointer.split('/').nth(1).map(str::to_owned));
        }
        if context.judges("R2.absent") {
            let named: Vec<&str> = named.iter().map(String::as_str).collect();
            shows(&response, &self.renamed, &named)?;
        }
        self.renamed = read.at("/data").clone();
        Ok(response)
    }

    /// Requires that a PATCH is rejected with this code for each of these fields, and that the
    /// partner stays unchanged.
    async fn rejects(
        &self,
        context: &mut CaseContext<'_>,
        body: Value,
        code: &str,
        fields: &[&str],
    ) -> CaseResult {
        let is_reference = code == INVALID_REFERENCE.1;
        let error = if is_reference { INVALID_REFERENCE } else { VALIDATION_FAILED };
        let response = context.expect(self.patch(&body), error).await?;
        let issues = fields.iter().map(|field| format!("body /{field} {code}"));
        let issues: Vec<String> = issues.collect();
        context.has_issues(&response, &issues.iter().map(String::as_str).collect::<Vec<_>>())?;
        self.stays(context).await
    }

    /// Requires that reading shows the partner unchanged.
    async fn stays(&self, context: &mut CaseContext<'_>) -> CaseResult {
        let read = context.send(self.get()).await?;
        shows(&read, &self.renamed, &[])
    }
}
