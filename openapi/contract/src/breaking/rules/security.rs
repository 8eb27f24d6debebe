//! Rules about what a client must prove. A requirement is one of several alternatives, and each is
//! a set of schemes with scopes.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
};

use openapi_document::pointer::join;
use serde_json::Value;

use crate::breaking::{
    change::Level::Warning,
    matched::Matched,
    object::Object,
    rule::{At, Findings, Kind, Pair},
    step::Step,
};

type Alternative<'d> = BTreeMap<&'d str, BTreeSet<&'d str>>;

pub(super) fn requirements<'d>(found: &mut Findings<'_, 'd>) {
    let pair = found.pair;
    let (old, mut new) = (alternatives(&pair.old), alternatives(&pair.new));
    let same = same_schemes(pair, &old, &new);
    for alternative in &mut new {
        let own = mem::take(alternative).into_iter();
        *alternative = own.map(|(name, it)| (*same.get(name).unwrap_or(&name), it)).collect();
    }
    for own in &old {
        // The client needs these besides its own scopes, at least.
        let suffices = |new: &&Alternative<'_>| new.keys().all(|name| own.contains_key(name));
        let missing = new.iter().filter(suffices).map(|new| scopes_beyond(own, new));
        match missing.min_by_key(Vec::len) {
            Some(scopes) => add_scopes(found, "security-scope-added", pair.in_new(""), scopes),
            None => {
                found.add("security-alternative-removed", pair.in_new("")).detail(name(own));
            }
        }
    }
    let is_enough = |old: &Alternative<'_>, new: &Alternative<'_>| {
        old.keys().all(|name| new.contains_key(name)) && scopes_beyond(new, old).is_empty()
    };
    for own in new.iter().filter(|own| !old.iter().any(|old| is_enough(old, own))) {
        let changed = old.iter().filter(|old| old.keys().eq(own.keys()) && !new.contains(old));
        match changed.map(|old| scopes_beyond(own, old)).min_by_key(Vec::len) {
            Some(scopes) => add_scopes(found, "security-scope-removed", pair.in_old(""), scopes),
            None => {
                found.add("security-alternative-added", pair.in_new("")).detail(name(own));
            }
        }
    }
    let names: BTreeSet<&str> = new.iter().flat_map(|one| one.keys().copied()).collect();
    let known: BTreeSet<&str> = old.iter().flat_map(|one| one.keys().copied()).collect();
    for name in names.intersection(&known) {
        let renamed = same.iter().find(|(_, old)| *old == name).map_or(*name, |(new, _)| *new);
        let step = Step::Part("security scheme", (*name).to_owned());
        found.enter_at(step, Kind::SecurityScheme, &scheme_at(name), &scheme_at(renamed));
    }
}

/// Returns the old names of the schemes that have another name now.
fn same_schemes<'d>(
    pair: &Pair<'d>,
    old: &[Alternative<'d>],
    new: &[Alternative<'d>],
) -> BTreeMap<&'d str, &'d str> {
    let names = |all: &[Alternative<'d>], other: &Object<'d>| -> Vec<&'d str> {
        let names: BTreeSet<&str> = all.iter().flat_map(|one| one.keys().copied()).collect();
        let is_gone = |name: &&str| other.document.value().pointer(&scheme_at(name)).is_none();
        names.into_iter().filter(is_gone).collect()
    };
    let mut schemes = Matched::of(names(old, &pair.new), names(new, &pair.old));
    schemes.pair(|old, new| {
        let is_defined = pair.old.document.value().pointer(&scheme_at(old)).is_some();
        is_defined && pair.equality.are_equal(&scheme_at(old), &scheme_at(new))
    });
    schemes.both.into_iter().map(|(old, new)| (new, old)).collect()
}

fn scheme_at(name: &str) -> String {
    join("/components/securitySchemes", name)
}

/// Returns the schemes and scopes of another alternative that this one lacks, of its own schemes.
fn scopes_beyond<'d>(own: &Alternative<'d>, other: &Alternative<'d>) -> Vec<(&'d str, &'d str)> {
    let schemes = other.iter().filter_map(|(name, scopes)| Some((*name, scopes, own.get(name)?)));
    let scopes = schemes
        .flat_map(|(name, scopes, own)| scopes.difference(own).map(move |scope| (name, *scope)));
    scopes.collect()
}

fn add_scopes(found: &mut Findings<'_, '_>, rule: &str, at: At, scopes: Vec<(&str, &str)>) {
    for (scheme, scope) in scopes {
        let change = found.add(rule, at.clone());
        change.detail(format!("{scheme} {scope}"));
        change.word("scheme", scheme).word("scope", scope);
    }
}

pub(super) fn scheme(found: &mut Findings<'_, '_>) {
    let pair = found.pair;
    if pair.new.is_absent() && !pair.old.is_absent() {
        let changed = found.add("security-scheme-changed", pair.in_old("")).detail("definition");
        changed.level(Warning).says("{it} is required, and is defined no more.");
    }
    if pair.old.is_absent() || pair.new.is_absent() {
        return;
    }
    let is_header = |scheme: &Object<'_>| scheme.text("in") == Some("header");
    let are_headers = is_header(&pair.old) && is_header(&pair.new);
    for member in ["type", "in", "name", "scheme", "openIdConnectUrl"] {
        let texts = [&pair.old, &pair.new].map(|scheme| scheme.text(member).unwrap_or_default());
        let ignores_case = member == "scheme" || member == "name" && are_headers;
        let is_same = match ignores_case {
            true => texts[0].eq_ignore_ascii_case(texts[1]),
            false => texts[0] == texts[1],
        };
        if !is_same {
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
