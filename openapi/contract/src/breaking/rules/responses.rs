//! Rules about statuses, responses and their headers.

use super::bodies::media_types;
use crate::breaking::{
    change::{Direction, Level::Warning},
    object::Object,
    rule::{At, Findings},
    step::Step,
};

/// Compares the statuses of a map of responses.
pub(super) fn statuses(found: &mut Findings<'_, '_>, map: &str) {
    for (is_success, rules) in [
        (true, ["response-success-status-removed", "response-success-status-added"]),
        (false, ["response-error-status-removed", "response-error-status-added"]),
    ] {
        let statuses = |object: &Object<'_>| {
            let mut statuses = named(object, map);
            statuses.retain(|(status, _)| !status.starts_with("x-"));
            statuses.retain(|(status, _)| status.starts_with('2') == is_success);
            statuses
        };
        found.one_sided(rules, statuses, is_same, |found, status| {
            found.direction = Direction::Response;
            found.inside(Step::Part("response", status.to_ascii_uppercase()));
            found.word("status", status);
        });
    }
}

pub(super) fn response(found: &mut Findings<'_, '_>) {
    media_types(found);
    let codes = |response: &Object<'_>| {
        let codes = response.texts("x-error-codes").into_iter().map(str::to_owned);
        codes.map(|code| (code, response.pointer("x-error-codes"))).collect()
    };
    let rules = ["response-error-code-removed", "response-error-code-added"];
    found.one_sided(rules, codes, String::eq, |found, code| {
        found.detail(code);
    });
    let headers = |response: &Object<'_>| named(response, "headers");
    let rules = ["response-header-removed", "response-header-added"];
    let old = found.pair.old.document;
    found.one_sided(rules, headers, is_same, |found, name| {
        found.inside(Step::Part("header", name.to_ascii_lowercase()));
        let is_optional = |pointer: &str| !Object::at(old, pointer).flag("required");
        if matches!(&found.place, At::Old(pointer) if is_optional(pointer)) {
            found.level(Warning);
        }
    });
}

pub(super) fn header(found: &mut Findings<'_, '_>) {
    let rules = ["response-header-became-required", "response-header-became-optional"];
    found.toggled("required", |header| header.flag("required"), rules);
}

fn named(object: &Object<'_>, map: &str) -> Vec<(String, String)> {
    let members = object.members(map).into_iter();
    members.map(|(name, pointer)| (name.to_owned(), pointer)).collect()
}

fn is_same(one: &String, other: &String) -> bool {
    one.eq_ignore_ascii_case(other)
}
