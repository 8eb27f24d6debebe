//! Pairs the parameters of an operation: those of the path by their position in it, the others by
//! location and name.

use std::mem;

use openapi_document::{Location, Parameter};

use super::{matched::Matched, rule::Pair};

/// Returns the pairs, and those of parameters of one name in different locations.
pub(super) fn matched<'d>(
    pair: &Pair<'d>,
) -> (Matched<&'d Parameter>, Vec<(&'d Parameter, &'d Parameter)>) {
    let parameters =
        |side: Option<&'d openapi_document::Operation>| side.map_or(&[][..], |it| &it.parameters);
    let path = |side: Option<&'d openapi_document::Operation>| side.map_or("", |it| &it.path);
    let (old, new) = (pair.old.operation, pair.new.operation);
    let mut matched =
        Matched::of(parameters(old).iter().collect(), parameters(new).iter().collect());
    matched.pair(|before, after| key(before, path(old)) == key(after, path(new)));
    let both = mem::take(&mut matched.both);
    matched.pair(|before, after| after.name.eq_ignore_ascii_case(&before.name));
    let moved = mem::replace(&mut matched.both, both);
    (matched, moved)
}

fn key(parameter: &Parameter, path: &str) -> (Location, String) {
    let name = &parameter.name;
    let name = match parameter.location {
        Location::Path => {
            let mut names = path.split('{').map(|part| part.split('}').next());
            let position = names.position(|part| part == Some(name));
            position.map_or_else(|| name.clone(), |position| position.to_string())
        }
        Location::Header => name.to_ascii_lowercase(),
        Location::Query | Location::Cookie => name.clone(),
    };
    (parameter.location, name)
}
