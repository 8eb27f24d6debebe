//! Pairs the parameters of an operation: those of the path by their position in it, the others by
//! location and name.

use openapi_document::{Location, Parameter};

use super::rule::Pair;

#[derive(Debug, Default)]
pub(super) struct Matched<'d> {
    pub(super) both: Vec<(&'d Parameter, &'d Parameter)>,
    /// Parameters of one name in different locations.
    pub(super) moved: Vec<(&'d Parameter, &'d Parameter)>,
    pub(super) removed: Vec<&'d Parameter>,
    pub(super) added: Vec<&'d Parameter>,
}

pub(super) fn matched<'d>(pair: &Pair<'d>) -> Matched<'d> {
    let (Some(old), Some(new)) = (pair.old.operation, pair.new.operation) else {
        return Matched::default();
    };
    let mut matched = Matched { added: new.parameters.iter().collect(), ..Matched::default() };
    let mut unmatched = Vec::new();
    for before in &old.parameters {
        let key = key(before, &old.path);
        match take(&mut matched.added, |after| self::key(after, &new.path) == key) {
            Some(after) => matched.both.push((before, after)),
            None => unmatched.push(before),
        }
    }
    for before in unmatched {
        match take(&mut matched.added, |after| after.name.eq_ignore_ascii_case(&before.name)) {
            Some(after) => matched.moved.push((before, after)),
            None => matched.removed.push(before),
        }
    }
    matched
}

fn take<'d>(
    from: &mut Vec<&'d Parameter>,
    is_it: impl Fn(&Parameter) -> bool,
) -> Option<&'d Parameter> {
    let index = from.iter().position(|parameter| is_it(parameter))?;
    Some(from.remove(index))
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
