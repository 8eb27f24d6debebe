//! A value of a schema: its example, or the smallest that its keywords describe. The caller
//! validates it, since no value is made for a pattern.

use openapi_document::{Direction, Discriminator, Document, Shape, pointer::join};
use rust_decimal::Decimal;
use serde_json::{Map, Value, json};

/// The most schemas that are tried for one value: alternatives that all contain each other have
/// too many combinations.
const MAX_TRIED: usize = 10_000;

pub(super) fn of(document: &Document, schema: &str) -> Value {
    let mut sampler = Sampler { document, open: Vec::new(), tried: 0 };
    sampler.value(schema).unwrap_or(Value::Null)
}

struct Sampler<'d> {
    document: &'d Document,
    /// The schemas that the value is part of. The smallest value contains none of them again.
    open: Vec<String>,
    tried: usize,
}

impl Sampler<'_> {
    fn value(&mut self, schema: &str) -> Option<Value> {
        let (shape, owner) =
            (self.document.shape(schema).ok()?, self.document.resolve(schema).ok()?);
        let given = ["example", "default"].iter().find_map(|keyword| shape.keyword(keyword));
        let listed = ["enum", "x-known-values"].iter().find_map(|set| shape.keyword(set)?.get(0));
        if let Some(value) = given.or(listed) {
            return Some(value.clone());
        }
        if shape.is_nullable() && self.document.names_null(owner.value) {
            return Some(Value::Null);
        }
        if self.open.contains(&owner.pointer) || self.tried == MAX_TRIED {
            return None;
        }
        self.tried += 1;
        self.open.push(owner.pointer.clone());
        let made = self.made(&shape, &owner.pointer);
        self.open.pop();
        made
    }

    fn made(&mut self, shape: &Shape, at: &str) -> Option<Value> {
        let union = ["oneOf", "anyOf"].into_iter().find(|name| shape.keyword(name).is_some());
        if let Some(union) = union {
            let count = shape.keyword(union).and_then(Value::as_array).map_or(0, Vec::len);
            let alternatives = (0..count).map(|index| join(&join(at, union), &index.to_string()));
            let mut made = alternatives.filter_map(|at| Some((self.value(&at)?, at)));
            let (mut value, alternative) = made.next()?;
            self.name_alternative(at, &alternative, &mut value);
            return Some(value);
        }
        if shape.is("array") {
            let items = match (number(shape, "minItems"), shape.items.as_deref()) {
                (0, _) => Vec::new(),
                (count, None) => vec![Value::Null; count],
                (count, Some(items)) => vec![self.value(items)?; count],
            };
            return Some(Value::Array(items));
        }
        if shape.is("object") || !shape.properties.is_empty() {
            return self.object(shape).map(Value::Object);
        }
        Some(scalar(shape))
    }

    /// The properties that a response has to have, and those with an example.
    fn object(&mut self, shape: &Shape) -> Option<Map<String, Value>> {
        let (mut members, mut others) = (Map::new(), Vec::new());
        for (name, pointer) in &shape.properties {
            let written = self.document.value().pointer(pointer)?;
            if !self.document.is_sent(written, Direction::Response) {
                continue;
            }
            let has_example = written.get("example").is_some();
            if shape.requires(name) || has_example {
                members.insert(name.clone(), self.value(pointer)?);
            } else {
                others.push((name, pointer));
            }
        }
        for (name, pointer) in others {
            if members.len() < number(shape, "minProperties") {
                members.insert(name.clone(), self.value(pointer)?);
            }
        }
        Some(members)
    }

    /// Writes the value of the discriminator that names an alternative.
    fn name_alternative(&self, union: &str, at: &str, value: &mut Value) {
        let named = self.document.discriminator(union).filter(|found| found.faults.is_empty());
        let Some(Discriminator { property, forms, .. }) = named else { return };
        let form = forms.into_iter().find(|form| form.pointer == at);
        let name = form.and_then(|form| form.names.into_iter().next());
        if let (Some(name), Some(members)) = (name, value.as_object_mut()) {
            members.insert(property, name.into());
        }
    }
}

/// A keyword that counts something, or zero.
fn number(shape: &Shape, keyword: &str) -> usize {
    shape.number(keyword).and_then(|count| count.try_into().ok()).unwrap_or(0)
}

fn scalar(shape: &Shape) -> Value {
    if shape.is("boolean") {
        return json!(false);
    }
    if shape.is("integer") || shape.is("number") {
        return within_bounds(shape).unwrap_or(json!(0));
    }
    let text = match shape.keyword("format").and_then(Value::as_str) {
        Some("date-time") => "2026-01-01T00:00:00.000Z",
        Some("date") => "2026-01-01",
        Some("decimal") => "0",
        Some("email") => "someone@example.com",
        Some("hostname") => "www.example.com",
        Some("ipv4") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("time") => "00:00:00Z",
        Some("uri") => "https://files.example/a",
        Some("uuid") => "7f9c24e8-3b12-4fef-91e0-2a1e0a5f2e6c",
        _ => return json!("a".repeat(number(shape, "minLength"))),
    };
    json!(text)
}

/// The number next to zero that the bounds and `multipleOf` allow.
fn within_bounds(shape: &Shape) -> Option<Value> {
    let given = |keyword| shape.keyword(keyword)?.to_string().parse::<Decimal>().ok();
    let is_excluded = |keyword| shape.keyword(keyword) == Some(&Value::Bool(true));
    let usual = if shape.is("integer") { Decimal::ONE } else { Decimal::new(1, 2) };
    let step = given("multipleOf").filter(|step| !step.is_zero()).unwrap_or(usual);
    let beside = |bound: Decimal, exclusive, steps: fn(Decimal) -> Decimal, direction: Decimal| {
        let nearest = steps(bound / step) * step;
        if nearest == bound && is_excluded(exclusive) {
            nearest + direction * step
        } else {
            nearest
        }
    };
    let least =
        given("minimum").map(|it| beside(it, "exclusiveMinimum", |it| it.ceil(), Decimal::ONE));
    let most =
        given("maximum").map(|it| beside(it, "exclusiveMaximum", |it| it.floor(), -Decimal::ONE));
    let zero = Decimal::ZERO;
    let found = match (least, most) {
        (Some(least), _) if least > zero => least,
        (_, Some(most)) if most < zero => most,
        _ => zero,
    };
    serde_json::from_str(&found.normalize().to_string()).ok()
}
