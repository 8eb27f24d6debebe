//! JSON text: serde_json reads the value. The YAML reader, whose language includes JSON, finds the
//! positions and the duplicate keys, which serde_json accepts.

use serde_json::Value;

use super::{surrogates, tree::fault, yaml};
use crate::{
    error::DocumentError,
    place::{Position, Positions},
};

pub(super) fn read(text: &str) -> Result<(Value, Positions), DocumentError> {
    let value: Value = serde_json::from_str(text).map_err(|error| invalid(&error))?;
    // A tab is only a blank in JSON.
    let (_, positions) = yaml::read(&surrogates::hidden(&text.replace('\t', " ")))?;
    Ok((value, positions))
}

fn invalid(error: &serde_json::Error) -> DocumentError {
    let message = error.to_string();
    let problem = message.rsplit_once(" at line ").map_or(message.as_str(), |(problem, _)| problem);
    let position = Position::new(error.line(), error.column().max(1));
    fault(position, format!("invalid JSON: {problem}"))
}
