//! Faults of pages, cursors and filters, of every operation that answers with pages.

use openapi_document::{Location, Operation, Parameter};
use serde_json::Value;

use super::{maker::Maker, outcomes::items};
use crate::{
    document::DOCUMENT,
    document::{field_of_items, is_opaque, kebab},
    target::Role,
};

const OTHER: Role = Role::OtherOrganization;
const LIMIT: &str = "limit";
const CURSOR: &str = "cursor";
const OF_PAGES: [&str; 2] = [LIMIT, CURSOR];

pub(super) fn derive(maker: &mut Maker, operation: &'static Operation) {
    if !of_query(operation).any(|parameter| parameter.name == CURSOR) {
        return;
    }
    maker.rewrite("page.limit", "{operation} ignores limit.", |request| {
        request.retain_parameters(|name, _| name != LIMIT)
    });
    maker.rewrite("page.default-limit", "{operation} has another default limit.", |request| {
        if request.parameter(LIMIT).is_none() {
            *request = request.with_parameter(LIMIT, "20");
        }
    });
    maker.rewrite("page.limit-outside", "{operation} takes limit=0 for limit=1.", |request| {
        if request.parameter(LIMIT).as_deref() == Some("0") {
            *request = request.with_parameter(LIMIT, "1");
        }
    });
    maker.edit("page.all", "{operation} leaves out an item of each page.", |_, response| {
        response.edit_items(|items| {
            if items.len() > 1 {
                items.pop();
            }
        })
    });
    maker.edit("page.order", "{operation} lists each page backwards.", |_, response| {
        response.edit_items(|items| items.reverse())
    });
    cursors(maker, operation);
    foreign_items(maker, operation);
    filters(maker, operation);
}

fn of_query(operation: &'static Operation) -> impl Iterator<Item = &'static Parameter> {
    operation.parameters.iter().filter(|parameter| parameter.location == Location::Query)
}

fn cursors(maker: &mut Maker, operation: &'static Operation) {
    let has_filters = of_query(operation).count() > OF_PAGES.len();
    let cases = ["cursor.malformed", "cursor.of-another-list", "cursor.of-other-filters"];
    for case in &cases[..if has_filters { 3 } else { 2 }] {
        let sentence =
            format!("{{operation}} begins again where a cursor is not its own ({case}).");
        maker.again(case, &sentence, &[], |request, response, _| {
            let mut first = request.clone();
            first.retain_parameters(|name, _| name != CURSOR);
            response.has_error(400, "INVALID_CURSOR").then_some(first)
        });
    }
}

fn foreign_items(maker: &mut Maker, operation: &'static Operation) {
    let id = operation.id.as_str();
    maker.exchange_all(
        "list.foreign",
        "{operation} shows items of another organisation.",
        &[OTHER, Role::All],
        move |request, upstream| {
            Box::pin(async move {
                let mut response = upstream.send(&request).await;
                if !request.is(id) {
                    return response;
                }
                let theirs = upstream.send(&upstream.in_role(OTHER, &request)).await;
                let theirs = theirs.json.map(|body| items(&body)).unwrap_or_default();
                response.edit_items(|items| {
                    let is_new = |item: &&Value| items.iter().all(|own| own["id"] != item["id"]);
                    if let Some(item) = theirs.iter().find(is_new)
                        && let Some(last) = items.last_mut()
                    {
                        *last = item.clone();
                    }
                });
                response
            })
        },
    );
}

fn filters(maker: &mut Maker, operation: &'static Operation) {
    let is_filter = |parameter: &&Parameter| !OF_PAGES.contains(&parameter.name.as_str());
    for parameter in of_query(operation).filter(is_filter) {
        let name = parameter.name.as_str();
        if field_of_items(operation, name).is_some() {
            let case = format!("filter.{}.only", kebab(name));
            let sentence = format!("{{operation}} ignores {name}.");
            maker.rewrite(&case, &sentence, move |request| {
                request.retain_parameters(|other, _| other != name);
            });
        }
        let pointer = parameter.schema_pointer.as_deref().unwrap_or_default();
        let is_id = DOCUMENT.shape(pointer).is_ok_and(|shape| {
            let is_plain = ["enum", "pattern"].iter().all(|it| shape.keyword(it).is_none());
            is_plain && !is_opaque(&shape)
        });
        if !is_id {
            continue;
        }
        let case = format!("filter.{}", kebab(name));
        let sentence = format!("{{operation}} filters another organisation's items by {name}.");
        maker.again(&case, &sentence, &[OTHER], move |request, response, upstream| {
            let is_empty = response.json.as_ref().is_some_and(|body| items(body).is_empty());
            let is_filtered = request.parameter(name).is_some();
            (is_empty && is_filtered).then(|| upstream.in_role(OTHER, request))
        });
    }
}
