//! A value that fits two forms of `oneOf` is not valid. Finds the forms of a request that changed
//! and may have values in common with another form, and those of a response that may be valid now.

use serde_json::Value;

use super::{
    objects::{Properties, has_named_alone},
    sets::options,
    values::{have_disjoint_types, is_same_value, types},
};
use crate::breaking::{
    change::Direction,
    matched::Matched,
    object::{Alternative, Object},
    rule::{At, Findings, InDocument},
};

/// Forms whose difference is deeper count as forms that overlap.
const MAX_DEPTH: usize = 4;

pub(super) fn find(found: &mut Findings<'_, '_>, matched: &Matched<Alternative>) {
    let pair = found.pair;
    let is_exclusive = |object: &Object<'_>| {
        object.alternatives().is_none_or(|(pointer, _)| pointer.ends_with("/oneOf"))
    };
    let is_response = pair.direction == Direction::Response;
    let (own, other, place): (_, _, InDocument) = match pair.direction {
        Direction::Request => (&pair.new, &pair.old, At::New),
        Direction::Response => (&pair.old, &pair.new, At::Old),
    };
    let Some((_, forms)) = own.alternatives().filter(|_| is_exclusive(own)) else {
        return;
    };
    let is_other_exclusive = is_exclusive(other);
    // A single schema has the values that fitted two forms.
    if is_response && is_other_exclusive && other.alternatives().is_some() {
        return;
    }
    let is_unchanged = |form: &Alternative| {
        let old = matched.both.iter().find(|(_, new)| new.pointer == form.pointer);
        let is_equal = |old: &str| pair.equality.are_equal(old, &form.pointer);
        is_other_exclusive && old.is_some_and(|(old, _)| is_equal(&old.pointer))
    };
    let has_discriminator = own.get("discriminator").is_some();
    let are_apart = |one: &Object<'_>, other: &Object<'_>| match has_discriminator {
        // Only a schema that is a form twice has no value of its own.
        true => one.key() != other.key(),
        false => are_disjoint(one, other, MAX_DEPTH),
    };
    let schema = |form: &Alternative| Object::schema(own.document, vec![form.pointer.clone()]);
    for form in forms.iter().filter(|form| !is_unchanged(form)) {
        let one = schema(form);
        let mut others = forms.iter().filter(|other| other.pointer != form.pointer);
        if let Some(other) = others.find(|other| !are_apart(&one, &schema(other))) {
            let change = found.add("forms-overlap", place(form.pointer.clone()));
            change.detail(format!("{} and {}", name(form), name(other)));
            return;
        }
    }
}

fn name(form: &Alternative) -> String {
    let unnamed = || "a form without a name".to_owned();
    form.name.as_ref().map_or_else(unnamed, |name| format!("`{name}`"))
}

/// Returns true if no value is valid by both schemas; false where that is not clear.
fn are_disjoint(one: &Object<'_>, other: &Object<'_>, depth: usize) -> bool {
    if depth == 0 {
        return false;
    }
    let are_all_disjoint = |union: &Object<'_>, other: &Object<'_>| {
        let schema = |form: Alternative| Object::schema(union.document, vec![form.pointer]);
        let is_disjoint = |form| are_disjoint(&schema(form), other, depth - 1);
        union.alternatives().is_some_and(|(_, forms)| forms.into_iter().all(is_disjoint))
    };
    have_disjoint_types(one, other)
        || have_disjoint_options(one, other)
        || are_all_disjoint(one, other)
        || are_all_disjoint(other, one)
        || are_objects_apart(one, other, depth)
}

fn have_disjoint_options(one: &Object<'_>, other: &Object<'_>) -> bool {
    let (Some(one), Some(other)) = (options(one), options(other)) else {
        return false;
    };
    let is_other = |value: &Value| other.iter().any(|other| is_same_value(value, other));
    !one.iter().any(is_other)
}

/// Returns true if a required property tells the objects apart, or is unknown to a closed one.
fn are_objects_apart(one: &Object<'_>, other: &Object<'_>, depth: usize) -> bool {
    let is_object = |object| types(object).is_some_and(|types| types.iter().eq(&["object"]));
    if !is_object(one) && !is_object(other) {
        return false;
    }
    let of = |object| Properties::of(object, Direction::Request);
    let (first, second) = (of(one), of(other));
    let is_apart = |name: &&str| {
        let schemas = first.all.get(name).zip(second.all.get(name));
        schemas.is_some_and(|(own, others)| {
            let own = Object::schema(one.document, own.clone());
            are_disjoint(&own, &Object::schema(other.document, others.clone()), depth - 1)
        })
    };
    let knows_not = |closed: &Object<'_>, known: &Properties<'_>, required: &Properties<'_>| {
        has_named_alone(closed)
            && required.required.iter().any(|name| !known.all.contains_key(name))
    };
    first.required.intersection(&second.required).any(is_apart)
        || knows_not(one, &first, &second)
        || knows_not(other, &second, &first)
}
