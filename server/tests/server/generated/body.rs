//! The body of a generated request, judged by the document's schema as it is sent.

use openapi_document::{Direction, Operation};
use serde_json::Value;

use super::{expectation::Fault, request::Generated, values, world::World};
use crate::{
    matrices::document::{DOCUMENT, holds_nul, properties, validator},
    support::Random,
};

const BODY_LIMIT_BYTES: usize = 64 * 1024;

impl Generated {
    /// With a body, if the operation has one; occasionally also if it has none.
    pub(super) fn with_body(&mut self, random: &mut Random, world: &World, operation: &Operation) {
        let schema = operation.body.as_ref().map(|body| body.content[0].schema_pointer.as_deref());
        let Some(schema) = schema else {
            // It is ignored in any case (R11).
            if random.once_in(8) {
                self.body = values::hostile(random).into_bytes();
                self.headers.push(("content-type", b"application/json".to_vec()));
            }
            return self.with_size(random);
        };
        let types: &[&str] = match random.next(30) {
            0 => &[],
            1 => &["text/plain"],
            2 => &["application/problem+json"],
            3 => &["application/json", "application/json"],
            4 => &["é"],
            5 => &["application/json; charset=utf-8"],
            6 => &["Application/JSON"],
            _ => &["application/json"],
        };
        if types.len() != 1 || !types[0].to_ascii_lowercase().starts_with("application/json") {
            self.fault(Fault::new(415));
        }
        self.headers.extend(types.iter().map(|text| ("content-type", text.as_bytes().to_vec())));
        let schema = schema.expect("every body of ours has a schema");
        let (body, is_rejected) = body(random, world, schema);
        match serde_json::from_slice::<Value>(&body) {
            Ok(value) if !is_rejected => self.judge_body(schema, &value),
            _ => self.fault(Fault::new(400)),
        }
        self.body = body;
        self.with_size(random);
    }

    fn judge_body(&mut self, schema: &str, value: &Value) {
        let judge = validator(schema, Direction::Request);
        let violations = judge.validate(value);
        for violation in &violations {
            self.fault(Fault::at("body", &violation.pointer));
        }
        let resolved = DOCUMENT.resolve(schema).unwrap().value;
        for name in properties(schema) {
            let sibling = resolved["properties"][&name].get("x-later-than").and_then(Value::as_str);
            let valid = |name: &str| {
                let is_invalid = violations.iter().any(|found| found.pointer == format!("/{name}"));
                value.get(name)?.as_str().filter(|_| !is_invalid)
            };
            // Texts of this one format are ordered like the instants.
            if let (Some(own), Some(other)) = (valid(&name), sibling.and_then(valid))
                && own <= other
            {
                self.fault(Fault::at("body", &format!("/{name}")));
            }
        }
        if holds_nul(value) {
            self.fault(Fault::new(422));
        }
    }

    /// Occasionally blanks up to the limit, or beyond it.
    fn with_size(&mut self, random: &mut Random) {
        let length = match random.next(300) {
            0 => BODY_LIMIT_BYTES + 1 + random.next(4_096),
            1 if !self.body.is_empty() => BODY_LIMIT_BYTES,
            _ => return,
        };
        self.body.resize(length, b' ');
        if length > BODY_LIMIT_BYTES {
            self.fault(Fault::new(413));
        }
    }
}

/// A body, and whether it is rejected for what a schema never sees: a duplicate key, or nesting.
fn body(random: &mut Random, world: &World, schema: &str) -> (Vec<u8>, bool) {
    let resolved = DOCUMENT.resolve(schema).unwrap().pointer;
    let mut members = Vec::new();
    let required = DOCUMENT.value().pointer(&format!("{resolved}/required"));
    let required = required.and_then(Value::as_array).cloned().unwrap_or_default();
    let is_chosen = |name: &String| match required.contains(&Value::from(name.as_str())) {
        true => !random.once_in(16),
        false => random.once_in(4),
    };
    let chosen: Vec<String> = properties(schema).into_iter().filter(is_chosen).collect();
    for name in &chosen {
        let pointer = format!("{resolved}/properties/{name}");
        let is_sound = required.contains(&Value::from(name.as_str())) && !random.once_in(3);
        let value = match DOCUMENT.value().pointer(&format!("{resolved}/example/{name}")) {
            // Else hardly any request would have all that it needs.
            Some(example) if is_sound && values::id_prefix(name).is_empty() => example.to_string(),
            _ if is_sound => Value::from(values::id(random, world, name)).to_string(),
            _ => values::json(random, world, name, &pointer),
        };
        members.push(format!("\"{name}\":{value}"));
    }
    if random.once_in(12) {
        let name = random.pick(&["status", "id", "", "Name", "__proto__", "a/b~c", "\u{1F680}"]);
        members.push(format!("\"{name}\":{}", values::json(random, world, name, schema)));
    }
    let text = format!("{{{}}}", members.join(","));
    match (random.next(40), members.first()) {
        (0, _) => (
            text[..text.floor_char_boundary(random.next(text.len()))].to_owned().into_bytes(),
            false,
        ),
        (1, _) => {
            (format!("{text}{}", random.pick(&[",", "}", "{}", "null", "\0"])).into_bytes(), false)
        }
        (2, _) => (format!(" \r\n\t{text}\n").into_bytes(), false),
        (3, _) => (format!("\u{FEFF}{text}").into_bytes(), false),
        (4, _) => ([text.as_bytes(), b"\xff"].concat(), false),
        (5, _) => (values::json(random, world, "name", schema).into_bytes(), false),
        (6, Some(first)) => (format!("{{{first},{}}}", members.join(",")).into_bytes(), true),
        (7, _) => (("[".repeat(17 + random.next(200)) + "1").into_bytes(), true),
        (8, _) => (format!("{{\"name\":{}{}}}", "[".repeat(16), "]".repeat(16)).into_bytes(), true),
        (9, _) => {
            (format!("{{\"name\":{}{}}}", "[".repeat(15), "]".repeat(15)).into_bytes(), false)
        }
        _ => (text.into_bytes(), false),
    }
}
