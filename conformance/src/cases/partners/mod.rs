//! One partner (§2.1, §4.2, §4.3): read by both ids, and changed field by field.

mod change;
mod concurrent;
mod ids;
mod read;
mod references;
pub(super) mod rejections;
mod shape;
mod text;
mod unchanged;

use crate::cases::prelude::*;

/// That a response shows what is expected of a partner, but for these fields. Only a PATCH response
/// may leave the template out (§2.1, V5).
fn shows(response: &Response, expected: &Value, but: &[&str]) -> CaseResult {
    response.is(200)?;
    let shown = response.at("/data");
    let names = expected.as_object().into_iter().flatten();
    for (name, value) in names.filter(|(name, _)| !but.contains(&name.as_str())) {
        if name == "experienceTemplateId" && shown.get(name).is_none() {
            continue;
        }
        response.that(
            shown.get(name) == Some(value),
            &format!("The partner's {name} has another value."),
            &value.to_string(),
            &shown[name].to_string(),
        )?;
    }
    Ok(())
}
