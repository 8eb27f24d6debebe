//! Request validation: each operation has a generated table of rules (`decode.rs`), applied here.
//! All violations of path, query, headers and body are reported together (R4).

mod decode;
mod parameter;
mod rules;
mod value;

pub(super) use self::decode::{decode_with, is_json};
pub use self::{
    decode::{Decoded, RequestForm},
    rules::{Field, Form, Integer, List, Object, Parameter, Pattern, Rule, Text},
};
