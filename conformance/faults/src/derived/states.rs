//! Faults of a foreign resource in a state that the operation rejects: the deployment looks at the
//! state before it looks at the organisation, so the rejection shows that the resource exists.

use std::collections::HashMap;

use bytes::Bytes;
use openapi_document::Operation;

use super::maker::Maker;
use crate::message::Response;

/// Codes of a 422 that say nothing about a resource's state.
const OF_REQUESTS: [&str; 3] = ["VALIDATION_FAILED", "INVALID_REFERENCE", "IDEMPOTENCY_KEY_REUSED"];
/// Codes that no fixture of another organisation shows: more than 20,000 lines, and the payout of
/// one foreign partner for another one.
const UNSHOWN: [&str; 2] = ["STATEMENT_TOO_LARGE", "PARTNER_MISMATCH"];

/// Rejections of states, by path and body.
#[derive(Default)]
struct Rejected(HashMap<(String, Bytes), Response>);

/// The codes with which an operation rejects a resource's state.
#[must_use]
pub fn state_codes(operation: &Operation) -> Vec<&str> {
    let invalid = operation.response(422);
    let codes = invalid.iter().flat_map(|response| &response.error_codes).map(String::as_str);
    codes.filter(|code| !OF_REQUESTS.contains(code) && !UNSHOWN.contains(code)).collect()
}

/// A code in the id of a case, such as `line-voided`.
#[must_use]
pub fn code_name(code: &str) -> String {
    code.to_ascii_lowercase().replace('_', "-")
}

pub(super) fn derive(maker: &mut Maker, operation: &'static Operation) {
    let id = operation.id.as_str();
    for code in state_codes(operation) {
        let name = format!("foreign.{}", code_name(code));
        let sentence =
            format!("{{operation}} answers {code} for a resource of another organisation.");
        maker.edit_all(&name, &sentence, &[], move |request, response, upstream| {
            if !request.is(id) {
                return;
            }
            let about = (request.target.clone(), request.body.clone());
            let is_unknown = response.is(404) || response.is_error(422, "INVALID_REFERENCE");
            let known = upstream.remember(|Rejected(rejected)| {
                if response.is_error(422, code) {
                    rejected.insert(about.clone(), response.clone());
                }
                rejected.get(&about).cloned()
            });
            if let Some(known) = known.filter(|_| is_unknown) {
                response.take_content(known);
            }
        });
    }
}
