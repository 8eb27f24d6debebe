//! The location of a part of the document in an operation: `response 200`, then `data[].name`.

use std::fmt::Write as _;

/// One step from an operation towards a part of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    /// A part with a name of its own, such as `response 200` or `parameter limit`.
    Part(&'static str, String),
    /// The representation of a body, such as `application/json`.
    Media(String),
    Property(String),
    Items,
    /// A value of an object's additional properties.
    Values,
    /// The name of each of an object's properties.
    Names,
    /// One schema of `oneOf` or `anyOf`.
    Alternative(String),
}

/// The steps from an operation to a part of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Location(pub(super) Vec<Step>);

impl Location {
    /// Returns the part of the operation, such as `response 200`; empty for the operation itself.
    pub fn part(&self) -> String {
        let parts = self.0.iter().filter_map(|step| match step {
            Step::Part(kind, name) => Some(format!("{kind} {name}")),
            _ => None,
        });
        parts.collect::<Vec<_>>().join(" ").trim_end().to_owned()
    }

    /// Returns the path of properties within the part, such as `data[].name`.
    pub fn path(&self) -> String {
        let mut path = String::new();
        for step in &self.0 {
            match step {
                Step::Property(name) if path.is_empty() => path.push_str(name),
                Step::Property(name) => _ = write!(path, ".{name}"),
                Step::Items => path.push_str("[]"),
                Step::Values => path.push_str("{*}"),
                Step::Names => path.push_str("{name}"),
                Step::Alternative(name) => _ = write!(path, "({name})"),
                Step::Part(..) | Step::Media(_) => {}
            }
        }
        path
    }

    pub(super) fn subject(&self) -> String {
        let path = self.path();
        if !path.is_empty() {
            return format!("`{path}`");
        }
        let parts = self.0.iter().rev().find_map(|step| match step {
            Step::Part(kind, name) if name.is_empty() => Some(format!("the {kind}")),
            Step::Part("response", name) => Some(format!("the response {name}")),
            Step::Part(kind, name) => Some(format!("the {kind} `{name}`")),
            _ => None,
        });
        parts.unwrap_or_else(|| "the operation".to_owned())
    }

    /// Returns every step as a text, for the fingerprint.
    pub(super) fn identity(&self) -> String {
        let mut identity = self.part();
        for step in &self.0 {
            if let Step::Media(name) = step {
                _ = write!(identity, " {name}");
            }
        }
        _ = write!(identity, " {}", self.path());
        identity
    }
}
