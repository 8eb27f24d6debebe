//! Rules about `oneOf`, `anyOf` and their discriminators. Alternatives are paired by the name of
//! the component or the title, else by equality, else by their order. So are unions that hold
//! together: by equality, else by their order.

use serde_json::{Map, Value};

use super::overlap;
use crate::breaking::{
    change::{
        Direction,
        Level::{Breaking, Warning},
    },
    equality::ANNOTATIONS,
    graph::Graph,
    matched::Matched,
    object::{Alternative, Object, UNIONS},
    rule::{At, Findings, InDocument, Pair},
    step::Step,
};

/// Compares every union of both sides. If each accepts what its old one accepts, so do all.
pub(super) fn find(found: &mut Findings<'_, '_>) {
    let pair = found.pair;
    let is_same = discriminator(found);
    let [old, new] = [&pair.old, &pair.new].map(|object| object.unions().enumerate().collect());
    let mut unions = Matched::<(usize, (String, Vec<String>))>::of(old, new);
    unions.pair(|(_, (old, _)), (_, (new, _))| pair.equality.are_equal(old, new));
    unions.pair(|_, _| true);
    let both = unions.both.iter().map(|(old, new)| (old.0, new.0));
    let removed = unions.removed.iter().map(|(old, _)| (*old, usize::MAX));
    let added = unions.added.iter().map(|(new, _)| (usize::MAX, *new));
    let mut pairs: Vec<_> = both.chain(removed).chain(added).collect();
    if pairs.is_empty() {
        pairs.push((0, 0));
    }
    for (old, new) in pairs {
        let pair =
            Pair { old: pair.old.with_union(old), new: pair.new.with_union(new), ..pair.clone() };
        let mut own = Findings { pair: &pair, all: Vec::new(), inside: Vec::new() };
        union(&mut own, is_same);
        found.all.append(&mut own.all);
        found.inside.append(&mut own.inside);
    }
}

fn union(found: &mut Findings<'_, '_>, has_same_discriminator: bool) {
    let pair = found.pair;
    let matched = matched(pair);
    // If no alternative corresponds to a schema, no value is known to be valid still.
    let is_another = is_reshaped(pair) && matched.both.is_empty();
    if !is_another {
        let sides: [(_, InDocument, _, _); 2] = [
            ("alternative-removed", At::Old, &pair.old, &matched.removed),
            ("alternative-added", At::New, &pair.new, &matched.added),
        ];
        for (rule, place, object, alternatives) in sides {
            for alternative in alternatives {
                let text = object.document.value().pointer(&alternative.pointer);
                let text = text.map(Value::to_string).unwrap_or_default();
                let name = alternative.name.as_ref();
                let change = found.add(rule, place(alternative.pointer.clone()));
                change.detail(name.cloned().unwrap_or(text));
                let unnamed = || "a form without a name".to_owned();
                change.word("name", name.map_or_else(unnamed, |name| format!("`{name}`")));
            }
        }
    }
    let redescribed = match (pair.old.alternatives(), pair.new.alternatives()) {
        (None, Some((pointer, _))) => Some(("union-added", At::New(pointer))),
        (Some((pointer, _)), None) => Some(("union-removed", At::Old(pointer))),
        _ => None,
    };
    if let Some((rule, place)) = redescribed
        && (is_another || !is_reshaped(pair))
    {
        let change = found.add(rule, place);
        if is_another {
            change.level(Breaking).says(match pair.direction {
                Direction::Request => "A client that sends {it} as it was may be rejected.",
                Direction::Response => "A client that knows {it} as it was can get another value.",
            });
        }
    }
    overlap::find(found, &matched);
    for (old, new) in matched.both {
        if has_same_discriminator && !old.values.is_empty() && !new.values.is_empty() {
            values(found, &old, &new);
        }
        if old.pointer == pair.old.itself().pointer && new.pointer == pair.new.itself().pointer {
            continue;
        }
        let position = old.pointer.rsplit('/').next().unwrap_or_default().to_owned();
        let name = old.name.or(new.name).unwrap_or(position);
        let step = Step::Alternative(name);
        found.enter_schema(Some(step), vec![old.pointer], vec![new.pointer]);
    }
}

/// Finds the values of the discriminator that name a form on one side alone.
fn values(found: &mut Findings<'_, '_>, old: &Alternative, new: &Alternative) {
    let sides: [(_, InDocument, _, _); 2] = [
        ("discriminator-value-removed", At::Old, old, new),
        ("discriminator-value-added", At::New, new, old),
    ];
    for (rule, place, own, other) in sides {
        for value in own.values.iter().filter(|value| !other.values.contains(value)) {
            found.add(rule, place(own.pointer.clone())).detail(value);
        }
    }
}

/// Compares the member that tells the forms apart; returns true if both sides have the same one.
fn discriminator(found: &mut Findings<'_, '_>) -> bool {
    const MEMBER: &str = "discriminator";
    let pair = found.pair;
    let (old, new) = (property(&pair.old), property(&pair.new));
    if old == new {
        return old.is_some();
    }
    let is_changed = old.is_some() && new.is_some();
    let name = |one: Option<&str>| one.map_or("nothing".to_owned(), |one| format!("`{one}`"));
    let change = found.add("discriminator-changed", pair.at(MEMBER));
    change.detail(name(new)).word("old", name(old));
    if !is_changed {
        change.level(Warning);
    }
    false
}

fn property<'d>(object: &Object<'d>) -> Option<&'d str> {
    object.get("discriminator")?.get("propertyName")?.as_str()
}

/// Returns true if one side is a union and the other a single schema, so that their keywords cannot
/// be compared one by one.
pub(super) fn is_reshaped(pair: &Pair<'_>) -> bool {
    let describes_itself =
        |object: &Object<'_>| object.get("type").or(object.get("properties")).is_some();
    match (pair.old.alternatives(), pair.new.alternatives()) {
        (Some(_), None) => !describes_itself(&pair.old) && describes_itself(&pair.new),
        (None, Some(_)) => !describes_itself(&pair.new) && describes_itself(&pair.old),
        _ => false,
    }
}

/// Returns the forms of a discriminator without a union of several schemas.
fn named(object: &Object<'_>) -> Vec<Alternative> {
    match object.itself() {
        only if only.values.is_empty() => object.subtypes(),
        only => vec![only],
    }
}

/// Pairs the alternatives of both sides; a single schema is the only alternative of its side.
fn matched(pair: &Pair<'_>) -> Matched<Alternative> {
    let (old, new) = match (pair.old.alternatives(), pair.new.alternatives()) {
        (Some((_, old)), Some((_, new))) => (old, new),
        (Some((_, old)), None) if is_reshaped(pair) => (old, vec![pair.new.itself()]),
        (None, Some((_, new))) if is_reshaped(pair) => (vec![pair.old.itself()], new),
        (None, None) if property(&pair.old).is_some() && property(&pair.new).is_some() => {
            (named(&pair.old), named(&pair.new))
        }
        _ => (Vec::new(), Vec::new()),
    };
    let mut matched = Matched::of(old, new);
    // Clients send the value of the member, so that names the form, not its component.
    if property(&pair.old) == property(&pair.new) {
        matched.pair(|before, after| before.values.iter().any(|it| after.values.contains(it)));
    }
    matched.pair(|before, after| before.name.is_some() && before.name == after.name);
    matched.pair(|before, after| {
        pair.equality.are_equal_besides_null(&before.pointer, &after.pointer)
    });
    let are_nameless = |all: &[Alternative]| all.iter().all(|one| one.name.is_none());
    if is_reshaped(pair) {
        matched.pair(|before, after| is_compatible(pair, before, after));
    }
    let is_clear = matched.removed.len() == 1
        || are_nameless(&matched.removed) && are_nameless(&matched.added);
    if matched.removed.len() == matched.added.len() && is_clear && !is_reshaped(pair) {
        matched.pair(|_, _| true);
    }
    // Clients go on sending a form whose values are all valid by another one.
    if pair.direction == Direction::Request {
        let forms = matched.both.iter().map(|(_, new)| new).chain(&matched.added);
        let forms: Vec<Alternative> = forms.cloned().collect();
        matched.removed.retain(|old| !forms.iter().any(|new| is_compatible(pair, old, new)));
    }
    matched
}

/// Returns true if a form of one side can take the place of one of the other, as far as the union
/// says nothing but the forms.
fn is_compatible(pair: &Pair<'_>, before: &Alternative, after: &Alternative) -> bool {
    let sides = [&pair.old, &pair.new];
    if sides.iter().any(|side| !is_plain(side) || property(side).is_some()) {
        return false;
    }
    let (direction, equality) = (pair.direction, pair.equality);
    let key = (direction, before.pointer.clone(), after.pointer.clone());
    if let Some(known) = equality.compatible.borrow().get(&key) {
        return *known;
    }
    // Circular schemas count as incompatible.
    equality.compatible.borrow_mut().insert(key.clone(), false);
    let old = Object::schema(pair.old.document, vec![before.pointer.clone()]);
    let new = Object::schema(pair.new.document, vec![after.pointer.clone()]);
    let inner = Pair { kind: pair.kind, direction, old, new, equality };
    let is_compatible = Graph::is_compatible(inner);
    equality.compatible.borrow_mut().insert(key, is_compatible);
    is_compatible
}

/// Returns true for a schema at one place that is no union, or says nothing but the forms of one.
fn is_plain(object: &Object<'_>) -> bool {
    let keywords = object.parts.iter().filter_map(|part| part.value.as_object());
    let keywords: Vec<&str> = keywords.flat_map(Map::keys).map(String::as_str).collect();
    let is_silent = |keyword: &&str| {
        ["$ref", "allOf", "nullable"].contains(keyword)
            || ANNOTATIONS.contains(keyword)
            || keyword.starts_with("x-")
    };
    let says: Vec<&str> = keywords.into_iter().filter(|keyword| !is_silent(keyword)).collect();
    let is_union = matches!(says[..], [only] if UNIONS.contains(&only));
    object.roots.len() == 1 && (is_union || object.alternatives().is_none())
}
