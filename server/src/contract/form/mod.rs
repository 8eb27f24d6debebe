//! The check of a request's form: one table of rules per operation (generated, in `decode.rs`), and its reading here.
//!
//! It refuses to stop at the first fault: all violations of path, query, headers and body are named together (R4).

mod decode;
mod parameter;
mod rule;
mod value;

pub(super) use self::decode::is_json;
pub use self::{
    decode::{Decoded, RequestForm, decode_with},
    rule::{Field, Form, Integer, List, Object, Parameter, Pattern, Rule, Text},
};
