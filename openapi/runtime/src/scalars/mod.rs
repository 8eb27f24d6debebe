//! The scalar types of the contract, and the macros that give the generated ones their behaviour.

mod alternatives;
mod constant;
mod map;
mod number;
mod request_timestamp;
#[cfg(test)]
mod tests;
mod text;
mod timestamp;
mod traits;
mod union;
mod value_set;

pub use self::{
    request_timestamp::RequestTimestamp,
    timestamp::{Timestamp, TimestampError},
    value_set::UnknownValue,
};
