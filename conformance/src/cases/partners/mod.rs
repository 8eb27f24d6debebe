//! One partner (§2.1, §4.2, §4.3): read by both ids, and changed field by field.

mod change;
mod concurrent;
pub(super) mod faults;
pub(super) mod faults_of_patches;
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

/// Requires that a PATCH keeps what it does not name (R2.absent), unless decisions are off.
fn keeps(
    context: &CaseContext<'_>,
    response: &Response,
    before: &Value,
    but: &[&str],
) -> CaseResult {
    response.is(200)?;
    if context.judges("R2.absent") { shows(response, before, but) } else { Ok(()) }
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
