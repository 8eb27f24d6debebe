//! Reads a request into the types of its operation. The generated `decode` names what each
//! operation reads; `reader` reads path, query, headers and body once, and collects every
//! violation, so that a request that was read is a request that is valid.

mod alternatives;
mod body;
mod fields;
mod forms;
mod lists;
mod map;
mod multipart;
mod number;
mod reader;
mod rules;
mod texts;

pub use self::{
    alternatives::{any_of, one_of, read_alternative},
    body::{FromJson, List, read_text, unknown_variant},
    fields::{Fields, Given},
    forms::BodyFormat,
    lists::{QueryList, Unique},
    map::{count, read_map, read_value_map},
    reader::Reader,
    rules::{FromText, Invalid, Violation, Violations},
    texts::{
        Encoding, OfText, boolean_of_text, integer_of_text, list_of_text, number_of_text,
        object_of_text,
    },
};
pub use self::{
    map::TextMap,
    multipart::{File, Part},
    number::{Integer, Number, Numbers, Numeric},
    reader::RequestForm,
    rules::{Pattern, Text},
};
