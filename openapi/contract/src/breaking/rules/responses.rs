//! Rules about statuses, responses and their headers.

use super::{
    bodies::{enter_schemas, media_types},
    parameters::representation,
};
use crate::breaking::{
    change::{
        Direction,
        Level::{self, Breaking, Compatible, Warning},
    },
    object::Object,
    rule::{At, Findings, Kind, Pair},
    step::Step,
};

pub(super) fn statuses<'d>(found: &mut Findings<'_, 'd>, map: &str) {
    let pair = found.pair;
    let responses = |object: &Object<'d>| -> Responses<'d> {
        let all = object.members(map).into_iter();
        all.filter(|(status, _)| !status.starts_with("x-")).collect()
    };
    let (old, new) = (responses(&pair.old), responses(&pair.new));
    for (is_success, rules) in [
        (true, ["response-success-status-removed", "response-success-status-added"]),
        (false, ["response-error-status-removed", "response-error-status-added"]),
    ] {
        let of_kind = |object: &Object<'d>| {
            let all = responses(object).into_iter();
            all.filter(|(status, _)| status.starts_with('2') == is_success).collect()
        };
        found.one_sided(rules, of_kind, is_same, |found, status| {
            found.direction = Direction::Response;
            found.inside(step(status));
            found.word("status", status);
            let level = match &found.place {
                At::Old(_) => level_of_removed(status, &new),
                At::New(pointer) => level_of_added(pair, status, pointer, &old),
            };
            found.level(level.filter(|_| is_success).unwrap_or(found.level));
        });
    }
    found.enter_members(map, Kind::Response, step);
    // A status of one side alone had the response of its class, or has it now.
    for (own, others, is_new) in [(&new, &old, true), (&old, &new, false)] {
        let alone = |(status, _): &&(&str, String)| !others.iter().any(|it| is_same(&it.0, status));
        for (status, pointer) in own.iter().filter(alone) {
            if let Some(other) = covering(status, others) {
                let (old, new) = if is_new { (other, pointer) } else { (pointer, other) };
                found.enter_at(step(status), Kind::Response, old, new);
            }
        }
    }
}

/// The statuses, and the pointers of their responses.
type Responses<'d> = Vec<(&'d str, String)>;

fn step(status: &str) -> Step {
    Step::Part("response", status.to_ascii_uppercase())
}

/// Returns the level of a further success, if it is not that of the rule.
fn level_of_added(pair: &Pair<'_>, status: &str, at: &str, old: &Responses<'_>) -> Option<Level> {
    if covering(status, old).is_some() {
        return Some(Compatible);
    }
    let after = Object::at(pair.new.document, at);
    let has_same_body = |(_, pointer): &(&str, String)| {
        let before = Object::at(pair.old.document, pointer);
        match (before.get("content"), after.get("content")) {
            (Some(_), Some(_)) => {
                pair.equality.are_equal(&before.pointer("content"), &after.pointer("content"))
            }
            (before, after) => before == after,
        }
    };
    // Clients read the body that they know.
    let mut successes = old.iter().filter(|(status, _)| status.starts_with('2')).peekable();
    let is_unreadable = successes.peek().is_some() && !successes.any(has_same_body);
    is_unreadable.then_some(Breaking)
}

/// Returns the level of a removed success, if it is not that of the rule.
fn level_of_removed(status: &str, new: &Responses<'_>) -> Option<Level> {
    let is_narrowed =
        status.eq_ignore_ascii_case("2XX") && new.iter().any(|(status, _)| status.starts_with('2'));
    is_narrowed.then_some(Compatible)
}

/// Returns the response for the class of a status, such as `4XX`, or for all other statuses.
/// `default` is not for successes beside others.
fn covering<'r>(status: &str, responses: &'r Responses<'_>) -> Option<&'r String> {
    let find = |name: &str| responses.iter().find(|(other, _)| is_same(&name, other));
    let is_success = |status: &str| status.starts_with('2');
    let has_success = responses.iter().any(|(status, _)| is_success(status));
    let by_default = || find("default").filter(|_| !(is_success(status) && has_success));
    let range = format!("{}XX", status.get(..1)?);
    find(&range).or_else(by_default).map(|(_, pointer)| pointer)
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
    // A header `Content-Type` is ignored: the media type says it.
    let headers = |response: &Object<'d>| {
        let mut headers = response.members("headers");
        headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
        headers
    };
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
    representation(found, "response-header");
    enter_schemas(found);
}

fn is_same(one: &&str, other: &&str) -> bool {
    one.eq_ignore_ascii_case(other)
}
