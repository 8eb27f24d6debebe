//! Pairs the schemas of `oneOf` or `anyOf`: by the name of the component or the title, else by
//! equality, else by their order.

use super::{
    equality,
    matched::Matched,
    object::{Alternative, Object},
    rule::Pair,
};

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

/// Pairs the alternatives of both sides; a single schema is the only alternative of its side.
pub(super) fn matched(pair: &Pair<'_>) -> Matched<Alternative> {
    let (old, new) = match (pair.old.alternatives(), pair.new.alternatives()) {
        (Some((_, old)), Some((_, new))) => (old, new),
        (Some((_, old)), None) if is_reshaped(pair) => (old, vec![pair.new.itself()]),
        (None, Some((_, new))) if is_reshaped(pair) => (vec![pair.old.itself()], new),
        _ => (Vec::new(), Vec::new()),
    };
    let mut matched = Matched::of(old, new);
    matched.pair(|before, after| before.name.is_some() && before.name == after.name);
    let (old, new) = pair.documents();
    matched.pair(|before, after| {
        equality::are_equal_besides_null((old, &before.pointer), (new, &after.pointer))
    });
    let are_nameless = |all: &[Alternative]| all.iter().all(|one| one.name.is_none());
    let is_clear = matched.removed.len() == 1
        || are_nameless(&matched.removed) && are_nameless(&matched.added);
    if matched.removed.len() == matched.added.len() && is_clear && !is_reshaped(pair) {
        matched.pair(|_, _| true);
    }
    matched
}
