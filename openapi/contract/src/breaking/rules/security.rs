//! Rules about what a client must prove. A requirement is one of several alternatives, and each is
//! a set of schemes with scopes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::breaking::{
    change::Level::{Breaking, Compatible, Warning},
    object::Object,
    rule::{Found, Rule},
};

pub(super) const REQUIREMENTS: &[Rule] = &[
    Rule::fixed("security-alternative-removed", Breaking, |pair| {
        let new = alternatives(&pair.new);
        let old = alternatives(&pair.old).into_iter();
        old.filter(|old| !new.iter().any(|new| new.keys().all(|scheme| old.contains_key(scheme))))
            .map(|old| {
                let sentence =
                    format!("A client that calls {{it}} with {} is rejected.", name(&old));
                Found::new(pair.in_new(""), name(&old), sentence)
            })
            .collect()
    })
    .because("What clients prove today is no longer enough."),
    Rule::fixed("security-alternative-added", Compatible, |pair| {
        let old = alternatives(&pair.old);
        let new = alternatives(&pair.new).into_iter();
        new.filter(|new| !old.iter().any(|old| old.keys().all(|scheme| new.contains_key(scheme))))
            .map(|new| {
                let sentence = format!("Clients can call {{it}} with {}.", name(&new));
                Found::new(pair.in_new(""), name(&new), sentence)
            })
            .collect()
    })
    .because("What clients prove today is still enough."),
    Rule::fixed("security-scope-added", Breaking, |pair| {
        scopes(&pair.new, &pair.old, |scheme, scope| {
            let sentence = format!("A client without the scope `{scope}` of {scheme} is rejected.");
            Found::new(pair.in_new(""), format!("{scheme} {scope}"), sentence)
        })
    })
    .because("Existing credentials may lack the scope."),
    Rule::fixed("security-scope-removed", Compatible, |pair| {
        scopes(&pair.old, &pair.new, |scheme, scope| {
            let sentence = format!("Clients no longer need the scope `{scope}` of {scheme}.");
            Found::new(pair.in_old(""), format!("{scheme} {scope}"), sentence)
        })
    })
    .because("Existing credentials can do more than they need."),
];

pub(super) const SCHEMES: &[Rule] = &[
    Rule::fixed("security-scheme-changed", Breaking, |pair| {
        let members = ["type", "in", "name", "scheme", "openIdConnectUrl"].into_iter();
        members
            .filter(|member| differ(pair.old.text(member), pair.new.text(member)))
            .map(|member| {
                let sentence = format!("A client must use another `{member}` of {{it}}.");
                Found::new(pair.at(member), member, sentence)
            })
            .collect()
    })
    .because("Existing clients send what proves who they are elsewhere, or something else."),
    Rule::fixed("security-flow-changed", Warning, |pair| {
        let is_changed = pair.old.get("flows") != pair.new.get("flows");
        let sentence = "A client that gets its tokens by {it} may have to get them elsewhere.";
        is_changed.then(|| Found::new(pair.at("flows"), "", sentence)).into_iter().collect()
    })
    .because("Whether a client reads the flows from the document is not known."),
];

type Alternative<'d> = BTreeMap<&'d str, BTreeSet<&'d str>>;

/// Returns the alternatives; the empty one if nothing is required.
fn alternatives<'d>(security: &Object<'d>) -> Vec<Alternative<'d>> {
    let list = security.parts.iter().filter_map(|part| part.value.as_array()).flatten();
    let alternative = |value: &'d Value| {
        let schemes = value.as_object().into_iter().flatten();
        schemes
            .map(|(scheme, scopes)| {
                let scopes = scopes.as_array().into_iter().flatten().filter_map(Value::as_str);
                (scheme.as_str(), scopes.collect())
            })
            .collect()
    };
    let alternatives: Vec<Alternative<'d>> = list.map(alternative).collect();
    if alternatives.is_empty() { vec![Alternative::new()] } else { alternatives }
}

/// Finds the scopes of `has` that the alternative of the same schemes in `lacks` does not have.
fn scopes(has: &Object<'_>, lacks: &Object<'_>, found: impl Fn(&str, &str) -> Found) -> Vec<Found> {
    let others = alternatives(lacks);
    let mut all = Vec::new();
    for own in alternatives(has) {
        let Some(other) = others.iter().find(|other| other.keys().eq(own.keys())) else {
            continue;
        };
        for (scheme, scopes) in &own {
            all.extend(scopes.difference(&other[scheme]).map(|scope| found(scheme, scope)));
        }
    }
    all
}

fn name(alternative: &Alternative<'_>) -> String {
    if alternative.is_empty() {
        return "no credentials".to_owned();
    }
    alternative.keys().copied().collect::<Vec<_>>().join(" and ")
}

fn differ(old: Option<&str>, new: Option<&str>) -> bool {
    old != new
}
