//! Faults of what comes back: statuses, resources, and what they cost.

use openapi_document::{Method, Operation};
use serde_json::Value;

use super::{idempotency::is_refused, maker::Maker};
use crate::target::Role;

const OTHER: Role = Role::OtherOrganization;

pub(super) fn derive(maker: &mut Maker, operation: &'static Operation) {
    maker.edit("answer", "{operation} leaves out a required field.", |_, response| {
        response.edit_resources(|resource| {
            let first = resource.keys().next().cloned();
            first.and_then(|name| resource.shift_remove(&name));
        });
        // A refusal of the fixture's state.
        if response.has_status(422) && !is_refused(response) {
            response.edit_json(|body| {
                body["error"].as_object_mut().and_then(|error| error.shift_remove("message"));
            });
        }
    });
    if operation.path.contains('{') {
        maker.edit("id.unknown", "{operation} of an unknown id is 403.", |_, response| {
            if response.has_status(404) {
                response.set_code(403, "INSUFFICIENT_SCOPE");
            }
        });
        let sentence = "{operation} reaches another organisation's data.";
        if operation.method == Method::Get {
            maker.again("id.foreign", sentence, &[OTHER], |request, response, upstream| {
                response.has_status(404).then(|| upstream.in_role(OTHER, request))
            });
        } else {
            // Whatever it did there could not be undone, so it only shows that the id exists.
            maker.edit("id.foreign", sentence, |request, response| {
                if response.has_status(404) && request.id().is_some_and(|id| id.contains('_')) {
                    response.set_code(403, "INSUFFICIENT_SCOPE");
                }
            });
        }
    }
    charged(maker, operation, "cost.scope", 403);
    charged(maker, operation, "cost.version", 400);
    charged(maker, operation, "cost.parameter", 422);
    if operation.body.is_some() {
        charged(maker, operation, "cost.body", 400);
    }
    if operation.response(201).is_some() {
        let id = operation.id.as_str();
        let sentence = "{operation} costs two credits and does not say so.";
        maker.edit_all("cost.answer", sentence, &[], move |request, response, upstream| {
            let is_done =
                response.status.is_success() || response.has_status(422) && !is_refused(response);
            upstream.charge(request, response, (is_done && request.is(id)).into());
        });
        example_answered(maker, operation);
    }
    let sentence = "{operation} beyond the minute's allowance is 403.";
    maker.edit("minute.exhausted", sentence, |_, response| {
        if response.has_status(429) {
            response.set_code(403, "INSUFFICIENT_SCOPE");
        }
    });
    maker.edit("credits.exhausted", "{operation} without credits is 403.", |_, response| {
        if response.has_status(402) {
            response.set_code(403, "INSUFFICIENT_SCOPE");
        }
    });
}

/// What was made has the members of the document's example, whatever the body says.
fn example_answered(maker: &mut Maker, operation: &'static Operation) {
    let media = operation.body.as_ref().and_then(|body| body.content.first());
    let Some(example) = media.and_then(|media| media.examples.first()) else { return };
    let sentence = "{operation} makes the document's example of every body.";
    maker.edit("answer.members", sentence, move |_, response| {
        response.edit_resources(|resource| {
            for (name, value) in example.value.as_object().into_iter().flatten() {
                resource.entry(name).and_modify(|shown| shown.clone_from(value));
            }
        });
    });
}

/// A response that costs a credit more quietly: only the next one shows it.
fn charged(maker: &mut Maker, operation: &'static Operation, case: &str, status: u16) {
    let id = operation.id.as_str();
    let sentence = format!("A {status} of {{operation}} costs a credit and does not say so.");
    maker.edit_all(case, &sentence, &[], move |request, response, upstream| {
        let is_charged = response.has_status(status) && request.is(id);
        upstream.charge(request, response, is_charged.into());
    });
}

/// The items of a page.
pub(super) fn items(body: &Value) -> Vec<Value> {
    body["data"].as_array().cloned().unwrap_or_default()
}
