//! Values that may be null or absent. serde's `Option` reads a missing key as null.

use serde::{Serialize, Serializer};

/// A required, nullable property. Absent and optional ones are `Option` or `MaybeUndefined`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum Nullable<T> {
    Null,
    Value(T),
}

/// An optional, nullable property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum MaybeUndefined<T> {
    #[default]
    Undefined,
    Null,
    Value(T),
}

impl<T> MaybeUndefined<T> {
    pub const fn is_undefined(&self) -> bool {
        matches!(self, Self::Undefined)
    }

    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Undefined | Self::Null => None,
        }
    }

    /// `None` where it is absent, `Some(None)` where it is null.
    pub const fn as_opt_ref(&self) -> Option<Option<&T>> {
        match self {
            Self::Undefined => None,
            Self::Null => Some(None),
            Self::Value(value) => Some(Some(value)),
        }
    }

    pub fn map_value<U>(self, change: impl FnOnce(T) -> U) -> MaybeUndefined<U> {
        match self {
            Self::Undefined => MaybeUndefined::Undefined,
            Self::Null => MaybeUndefined::Null,
            Self::Value(value) => MaybeUndefined::Value(change(value)),
        }
    }

    /// Sets what a request changes; absent, it stays as it is.
    pub fn update_to(self, target: &mut Option<T>) {
        match self {
            Self::Undefined => {}
            Self::Null => *target = None,
            Self::Value(value) => *target = Some(value),
        }
    }
}

/// An absent one is not written: the generated types skip it.
impl<T: Serialize> Serialize for MaybeUndefined<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<T> From<T> for MaybeUndefined<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
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
