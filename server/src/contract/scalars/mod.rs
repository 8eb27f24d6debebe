//! The scalar types of the contract, and the macros that give the generated ones their behaviour.
//!
//! It refuses leniency: where the framework would read a number as a string or a date with any offset, these
//! types take the one form that the document describes. The framework's own `String` takes numbers and booleans,
//! its `Decimal` prints `10`, its `DateTime` prints `+00:00`.

mod choice;
mod integer;
mod map;
mod money;
mod nullable;
mod schema;
mod text;
mod timestamp;

pub use self::{
    choice::UnknownChoice,
    integer::IntegerOutOfBounds,
    money::{Money, MoneyError},
    nullable::Nullable,
    timestamp::{Timestamp, TimestampError},
};
pub(crate) use self::{
    choice::choice, integer::integer, map::object_map, map::text_map, schema::named_schema,
    text::text,
};
