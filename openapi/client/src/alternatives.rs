//! Values of one of several types. They are read from a `Value`: untagged enums of serde cannot
//! read numbers that keep their digits.

use std::collections::HashMap;

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _},
};
use serde_json::{Map, Value};

/// Defines an enum of types that no member tells apart; the first that reads a value has it:
/// `alternatives! { Size { Number(f64), Text(String), } }`.
#[macro_export]
macro_rules! alternatives {
    ($(#[$attribute:meta])* $name:ident { $($variant:ident($value:ty),)* }) => {
        $(#[$attribute])*
        #[derive(::serde::Serialize, Clone, Debug, PartialEq)]
        #[serde(untagged)]
        pub enum $name {
            $($variant($value),)*
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                let value = ::serde_json::Value::deserialize(reader)?;
                $(
                    if let Ok(read) = <$value as ::serde::Deserialize>::deserialize(&value) {
                        return Ok(Self::$variant(read));
                    }
                )*
                let problem = concat!("it is none of the alternatives of ", stringify!($name));
                Err(::serde::de::Error::custom(problem))
            }
        }
    };
}

/// Writes the value of an enum of single values:
/// `alternatives_as_text! { Size { Number, Text, } }`.
#[macro_export]
macro_rules! alternatives_as_text {
    ($name:ident { $($variant:ident,)* }) => {
        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    $(Self::$variant(value) => value.fmt(formatter),)*
                }
            }
        }
    };
}

/// Defines an enum of objects that a member tells apart:
/// `union! { Pet by "kind" { Cat(Cat) = "cat", } }`.
#[macro_export]
macro_rules! union {
    ($(#[$attribute:meta])* $name:ident by $member:literal {
        $($variant:ident($object:ty) = $($text:literal)|+,)*
    }) => {
        $(#[$attribute])*
        #[derive(::serde::Serialize, Clone, Debug, PartialEq)]
        #[serde(untagged)]
        pub enum $name {
            $($variant($object),)*
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                let value = ::serde_json::Value::deserialize(reader)?;
                let read = match value.get($member).and_then(::serde_json::Value::as_str) {
                    $($(Some($text))|+ => {
                        <$object as ::serde::Deserialize>::deserialize(&value).map(Self::$variant)
                    })*
                    other => {
                        let problem = format!("{}: {other:?} names no alternative", $member);
                        return Err(::serde::de::Error::custom(problem));
                    }
                };
                read.map_err(::serde::de::Error::custom)
            }
        }
    };
}

/// Reads the values beside the fields of an object, from a `Value`: serde cannot read numbers that
/// keep their digits there.
pub fn values<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    reader: D,
) -> Result<HashMap<String, T>, D::Error> {
    let values = Map::<String, Value>::deserialize(reader)?.into_iter();
    let values = values.map(|(name, value)| Ok((name, serde_json::from_value(value)?)));
    values.collect::<serde_json::Result<_>>().map_err(D::Error::custom)
}
