//! Faults of a foreign resource in a state that the operation rejects: the deployment looks at the
//! state before it looks at the organisation, so the rejection shows that the resource exists.

use std::collections::HashMap;

use bytes::Bytes;
use openapi_document::Operation;

use super::maker::Maker;
use crate::{
    document::{code_name, state_codes},
    exchange::Response,
};

/// Rejections of states, by path and body.
#[derive(Default)]
struct Rejected(HashMap<(String, Option<Bytes>), Response>);

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
            let is_unknown =
                response.has_status(404) || response.has_error(422, "INVALID_REFERENCE");
            let known = upstream.remember(|Rejected(rejected)| {
                if response.has_error(422, code) {
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
