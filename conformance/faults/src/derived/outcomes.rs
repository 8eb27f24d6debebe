//! Faults of what comes back: statuses, resources, and what they cost.

use payout_openapi::Operation;
use serde_json::Value;

use super::maker::Maker;
use crate::{message::Request, operations::DOCUMENT, upstream::Upstream};

const OTHER: &str = "other_organization";

pub(super) fn derive(maker: &mut Maker, operation: &'static Operation) {
    let id = &operation.id;
    maker.edit("answer", format!("{id} leaves out a required field."), |_, response| {
        response.edit_resources(|resource| {
            let first = resource.keys().next().cloned();
            first.and_then(|name| resource.shift_remove(&name));
        });
        // A refusal of the fixture's state.
        if response.is(422) && response.issues().is_empty() {
            response.edit_json(|body| {
                body["error"].as_object_mut().and_then(|error| error.shift_remove("message"));
            });
        }
    });
    if operation.path.contains('{') {
        maker.edit("id.unknown", format!("{id} of an unknown id is 403."), |_, response| {
            if response.is(404) {
                response.set_code(403, "INSUFFICIENT_SCOPE");
            }
        });
        maker.exchange(
            "id.foreign",
            format!("{id} reaches another organisation's data."),
            vec![OTHER.to_owned()],
            |request, upstream| {
                Box::pin(async move {
                    let response = upstream.send(&request).await;
                    if !response.is(404) {
                        return response;
                    }
                    let theirs = upstream.send(&upstream.in_role(OTHER, &request)).await;
                    if theirs.is(404) { response } else { theirs }
                })
            },
        );
    }
    charged(maker, operation, "cost.scope", 403);
    charged(maker, operation, "cost.version", 400);
    charged(maker, operation, "cost.parameter", 422);
    if operation.body.is_some() {
        charged(maker, operation, "cost.body", 400);
    }
    maker.edit("credits.exhausted", format!("{id} without credits is 429."), |_, response| {
        if response.is(402) {
            response.set_code(403, "INSUFFICIENT_SCOPE");
        }
    });
}

/// A refusal that costs a credit quietly: only the next response shows it.
fn charged(maker: &mut Maker, operation: &'static Operation, case: &str, status: u16) {
    let sentence = format!("A {status} of {} costs a credit and does not say so.", operation.id);
    maker.exchange(case, sentence, vec!["all".to_owned()], move |request, upstream| {
        Box::pin(async move {
            let response = upstream.send(&request).await;
            if response.is(status) {
                spend(upstream, &request).await;
            }
            response
        })
    });
}

async fn spend(upstream: &Upstream, request: &Request) {
    let is_list = |operation: &&Operation| {
        let mut parameters = operation.parameters.iter();
        parameters.any(|parameter| parameter.name == "cursor")
    };
    if let Some(list) = DOCUMENT.operations().iter().find(is_list) {
        let request = request.get(list.path.as_str());
        upstream.send(&upstream.in_role("all", &request)).await;
    }
}

/// The items of a page.
pub(super) fn items(body: &Value) -> Vec<Value> {
    body["data"].as_array().cloned().unwrap_or_default()
}
