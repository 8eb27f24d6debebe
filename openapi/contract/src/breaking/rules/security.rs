//! Rules about what a client must prove. A requirement is one of several alternatives, and each is
//! a set of schemes with scopes.

use std::collections::{BTreeMap, BTreeSet};

use openapi_document::pointer::join;
use serde_json::Value;

use crate::breaking::{
    object::Object,
    rule::{Findings, Kind},
    step::Step,
};

type Alternative<'d> = BTreeMap<&'d str, BTreeSet<&'d str>>;

pub(super) fn requirements<'d>(found: &mut Findings<'_, 'd>) {
    let pair = found.pair;
    let (old, new) = (alternatives(&pair.old), alternatives(&pair.new));
    for (rule, own, others) in
        [("security-alternative-removed", &old, &new), ("security-alternative-added", &new, &old)]
    {
        let suffices = |own: &Alternative<'_>, other: &Alternative<'_>| {
            other.keys().all(|scheme| own.contains_key(scheme))
        };
        for own in own.iter().filter(|own| !others.iter().any(|other| suffices(own, other))) {
            found.add(rule, pair.in_new("")).detail(name(own));
        }
    }
    for (rule, place, own, others) in [
        ("security-scope-added", pair.in_new(""), &new, &old),
        ("security-scope-removed", pair.in_old(""), &old, &new),
    ] {
        for own in own {
            // Scopes are compared with those of the alternative of the same schemes.
            let Some(other) = others.iter().find(|other| other.keys().eq(own.keys())) else {
                continue;
            };
            for (scheme, scopes) in own {
                for scope in scopes.difference(&other[scheme]) {
                    let change = found.add(rule, place.clone());
                    change.detail(format!("{scheme} {scope}"));
                    change.word("scheme", scheme).word("scope", scope);
                }
            }
        }
    }
    let names = |security: &[Alternative<'d>]| -> BTreeSet<&'d str> {
        security.iter().flat_map(|one| one.keys().copied()).collect()
    };
    for name in names(&old).intersection(&names(&new)) {
        let at = join("/components/securitySchemes", name);
        let step = Step::Part("security scheme", (*name).to_owned());
        found.enter_at(step, Kind::SecurityScheme, &at, &at);
    }
}

pub(super) fn scheme(found: &mut Findings<'_, '_>) {
    let pair = found.pair;
    for member in ["type", "in", "name", "scheme", "openIdConnectUrl"] {
        if pair.old.text(member) != pair.new.text(member) {
            found.add("security-scheme-changed", pair.at(member)).detail(member);
        }
    }
    if pair.old.get("flows") != pair.new.get("flows") {
        found.add("security-flow-changed", pair.at("flows"));
    }
}

/// Returns the alternatives; the empty one if nothing is required.
fn alternatives<'d>(security: &Object<'d>) -> Vec<Alternative<'d>> {
    let list = security.parts.iter().filter_map(|part| part.value.as_array()).flatten();
    let scheme = |(scheme, scopes): (&'d String, &'d Value)| {
        let scopes = scopes.as_array().into_iter().flatten().filter_map(Value::as_str);
        (scheme.as_str(), scopes.collect())
    };
    let alternative =
        |value: &'d Value| value.as_object().into_iter().flatten().map(scheme).collect();
    let alternatives: Vec<Alternative<'d>> = list.map(alternative).collect();
    if alternatives.is_empty() { vec![Alternative::new()] } else { alternatives }
}

fn name(alternative: &Alternative<'_>) -> String {
    if alternative.is_empty() {
        return "no credentials".to_owned();
    }
    alternative.keys().copied().collect::<Vec<_>>().join(" and ")
}
