//! Values that are read as each alternative, because no member tells which one they are.

use serde_json::Value;

use super::{
    body::FromJson,
    rules::{Violation, Violations},
};
use crate::problem::IssueCode;

/// The name of an alternative, and what reading the value as it gave.
type Alternative<T> = (&'static str, Result<T, Violation>);

/// Reads a JSON value as an alternative; its first violation, with the place where it is deeper
/// than the value.
pub fn read_alternative<T: FromJson>(value: &Value, pointer: &str) -> Result<T::Value, Violation> {
    let mut violations = Violations::default();
    let read = T::from_json(value.clone(), pointer, &mut violations);
    match (read, violations.issues().first()) {
        (Ok(value), None) => Ok(value),
        (_, Some(issue)) if issue.path == pointer => Err((issue.code, issue.message.clone())),
        (_, Some(issue)) => Err((issue.code, format!("{} {}", issue.path, issue.message))),
        (Err(_), None) => unreachable!("an invalid value notes its violation"),
    }
}

/// The first alternative that the value is.
pub fn any_of<T, const N: usize>(alternatives: [Alternative<T>; N]) -> Result<T, Violation> {
    let (mut found, rejected) = divided(alternatives);
    if found.is_empty() { Err(none(&rejected)) } else { Ok(found.swap_remove(0).1) }
}

/// The only alternative that the value is.
pub fn one_of<T, const N: usize>(alternatives: [Alternative<T>; N]) -> Result<T, Violation> {
    let (mut found, rejected) = divided(alternatives);
    match found.as_slice() {
        [] => Err(none(&rejected)),
        [_] => Ok(found.swap_remove(0).1),
        several => {
            let names: Vec<&str> = several.iter().map(|(name, _)| *name).collect();
            let message = format!("must be only one of {}, and is each", names.join(", "));
            Err((IssueCode::BadFormat, message))
        }
    }
}

type Rejected = Vec<(&'static str, Violation)>;

fn divided<T, const N: usize>(
    alternatives: [Alternative<T>; N],
) -> (Vec<(&'static str, T)>, Rejected) {
    let (mut found, mut rejected) = (Vec::new(), Vec::new());
    for (name, read) in alternatives {
        match read {
            Ok(value) => found.push((name, value)),
            Err(violation) => rejected.push((name, violation)),
        }
    }
    (found, rejected)
}

fn none(rejected: &Rejected) -> Violation {
    let mut codes = rejected.iter().map(|(_, (code, _))| *code);
    let shared = codes.next().filter(|first| codes.all(|code| code == *first));
    let code = shared.unwrap_or(IssueCode::BadFormat);
    let reasons: Vec<String> =
        rejected.iter().map(|(name, (_, message))| format!("{name} {message}")).collect();
    (code, format!("is none of its alternatives: {}", reasons.join("; ")))
}
