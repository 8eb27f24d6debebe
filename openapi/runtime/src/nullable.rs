//! A value that must be present and may be null. serde's `Option` reads a missing key as null.

use poem_openapi::types::MaybeUndefined;
use serde::Serialize;

/// A required, nullable property. Absent and optional ones are `Option` or `MaybeUndefined`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum Nullable<T> {
    Null,
    Value(T),
}

impl<T> From<Option<T>> for Nullable<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

/// For a property that may be missing, but is always sent.
impl<T> From<Nullable<T>> for MaybeUndefined<T> {
    fn from(value: Nullable<T>) -> Self {
        match value {
            Nullable::Null => Self::Null,
            Nullable::Value(value) => Self::Value(value),
        }
    }
}
