//! The scalar types of the contract, and the macros that give the generated ones their behaviour.
//!
//! The framework's own types are too lenient: its `String` takes numbers and booleans, its
//! `Decimal` prints `10`, its `DateTime` prints `+00:00`.

mod alternatives;
mod constant;
mod cursor;
mod framework;
mod integer;
mod map;
mod number;
mod request_timestamp;
mod text;
mod timestamp;
mod union;
mod value_set;

pub use self::framework::parse;
pub use self::{
    cursor::{Cursor, CursorError, ListFingerprint, Position},
    request_timestamp::RequestTimestamp,
    timestamp::{Timestamp, TimestampError},
    value_set::UnknownValue,
};
