//! Rules about statuses, responses and their headers.

use super::bodies::{enter_schemas, media_types};
use crate::breaking::{
    change::{Direction, Level::Warning},
    object::Object,
    rule::{At, Findings, Kind},
    step::Step,
};

pub(super) fn statuses<'d>(found: &mut Findings<'_, 'd>, map: &str) {
    for (is_success, rules) in [
        (true, ["response-success-status-removed", "response-success-status-added"]),
        (false, ["response-error-status-removed", "response-error-status-added"]),
    ] {
        let is_it = |(status, _): &(&str, String)| {
            status.starts_with('2') == is_success && !status.starts_with("x-")
        };
        let statuses =
            |object: &Object<'d>| object.members(map).into_iter().filter(is_it).collect();
        found.one_sided(rules, statuses, is_same, |found, status| {
            found.direction = Direction::Response;
            found.inside(Step::Part("response", status.to_ascii_uppercase()));
            found.word("status", status);
        });
    }
    let step = |status: &str| Step::Part("response", status.to_ascii_uppercase());
    found.enter_members(map, Kind::Response, step);
}

pub(super) fn response<'d>(found: &mut Findings<'_, 'd>) {
    media_types(found);
    let codes = |response: &Object<'d>| {
        let codes = response.texts("x-error-codes").into_iter();
        codes.map(|code| (code, response.pointer("x-error-codes"))).collect()
    };
    let rules = ["response-error-code-removed", "response-error-code-added"];
    found.one_sided(
        rules,
        codes,
        |one, other| one == other,
        |found, code| {
            found.detail(*code);
        },
    );
    let headers = |response: &Object<'d>| response.members("headers");
    let rules = ["response-header-removed", "response-header-added"];
    let old = found.pair.old.document;
    found.one_sided(rules, headers, is_same, |found, name| {
        found.inside(Step::Part("header", name.to_ascii_lowercase()));
        let is_optional = |pointer: &str| !Object::at(old, pointer).flag("required");
        if matches!(&found.place, At::Old(pointer) if is_optional(pointer)) {
            found.level(Warning);
        }
    });
    let step = |name: &str| Step::Part("header", name.to_ascii_lowercase());
    found.enter_members("headers", Kind::Header, step);
}

pub(super) fn header(found: &mut Findings<'_, '_>) {
    let rules = ["response-header-became-required", "response-header-became-optional"];
    found.toggled("required", |header| header.flag("required"), rules);
    enter_schemas(found);
}

fn is_same(one: &&str, other: &&str) -> bool {
    one.eq_ignore_ascii_case(other)
}
