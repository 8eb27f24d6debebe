//! JSON text: serde_json reads the value. The YAML reader, whose language includes JSON, finds the
//! positions and the duplicate keys, which serde_json accepts.

use serde_json::{Number, Value};

use super::{surrogates, tree::fault, yaml};
use crate::{
    error::DocumentError,
    place::{Position, Positions},
};

pub(super) fn read(text: &str) -> Result<(Value, Positions), DocumentError> {
    let mut value: Value = serde_json::from_str(text).map_err(|error| invalid(&error))?;
    round_numbers(&mut value);
    // A tab is only a blank in JSON.
    let (_, positions) = yaml::read(&surrogates::hidden(&text.replace('\t', " ")))?;
    Ok((value, positions))
}

/// A whole number of more than 64 bits is one with a fraction, as in YAML. The types of a document
/// have no other.
fn round_numbers(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(round_numbers),
        Value::Object(members) => members.values_mut().for_each(round_numbers),
        Value::Number(number) if !number.is_i64() && !number.is_u64() && !number.is_f64() => {
            if let Some(rounded) = number.as_f64().and_then(Number::from_f64) {
                *number = rounded;
            }
        }
        _ => {}
    }
}

fn invalid(error: &serde_json::Error) -> DocumentError {
    let message = error.to_string();
    let problem = message.rsplit_once(" at line ").map_or(message.as_str(), |(problem, _)| problem);
    let position = Position::new(error.line(), error.column().max(1));
    fault(position, format!("invalid JSON: {problem}"))
}
