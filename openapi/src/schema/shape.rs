//! What a schema says of one value, with references and `allOf` followed: for tools that make
//! values.

use serde_json::{Map, Value};

use super::null::{self, Question};
use crate::{
    error::DocumentError,
    pointer::join,
    source::{Resolved, Source},
};

/// The keywords of a schema and of the schemas that its `allOf` combines.
#[derive(Debug, Clone, Default)]
pub struct Shape {
    keywords: Map<String, Value>,
    /// What it says it is, and what the combined schemas say.
    pub descriptions: Vec<String>,
    /// Names of properties, and the pointers of their schemas.
    pub properties: Vec<(String, String)>,
    /// The pointer of the schema of an array's items.
    pub items: Option<String>,
    is_nullable: bool,
}

impl Shape {
    pub(crate) fn of(source: &Source, pointer: &str) -> Result<Self, DocumentError> {
        Self::within(source, pointer, &mut Vec::new())
    }

    /// The shape of a part of the schemas that are `open`, of which none is followed again.
    fn within(
        source: &Source,
        pointer: &str,
        open: &mut Vec<String>,
    ) -> Result<Self, DocumentError> {
        let resolved = source.resolve(pointer)?;
        let mut shape = Self::default();
        if open.contains(&resolved.pointer) {
            return Ok(shape);
        }
        open.push(resolved.pointer.clone());
        let description = resolved.value.get("description").and_then(Value::as_str);
        shape.descriptions.extend(description.map(str::to_owned));
        let (parts, unions) = parts(source, &resolved);
        for part in parts {
            let part = Self::within(source, &part, open)?;
            shape.add(part.keywords);
            shape.descriptions.extend(part.descriptions);
            shape.properties.extend(part.properties);
            shape.items = part.items.or(shape.items);
        }
        shape.add(resolved.value.as_object().cloned().unwrap_or_default());
        unions.into_iter().for_each(|union| drop(shape.keywords.remove(union)));
        open.pop();
        shape.is_nullable = null::answer(source, Question::Admitted, resolved.value);
        let own = resolved.value.get("properties").and_then(Value::as_object);
        let at = join(&resolved.pointer, "properties");
        let own = own.into_iter().flat_map(Map::keys);
        shape.properties.extend(own.map(|name| (name.clone(), join(&at, name))));
        if resolved.value.get("items").is_some() {
            shape.items = Some(join(&resolved.pointer, "items"));
        }
        Ok(shape)
    }

    /// Adds the keywords of a schema that holds, too; what any of them requires is required.
    fn add(&mut self, keywords: Map<String, Value>) {
        for (name, value) in keywords {
            match (self.keywords.get_mut(&name), value) {
                (Some(Value::Array(known)), Value::Array(more)) if name == "required" => {
                    known.extend(more);
                }
                (_, value) => drop(self.keywords.insert(name, value)),
            }
        }
    }

    /// The value of a keyword, such as `type`.
    pub fn keyword(&self, name: &str) -> Option<&Value> {
        self.keywords.get(name)
    }

    /// The keyword's value as a whole number, such as that of `maxLength`.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.keyword(name)?.as_i64()
    }

    /// Returns true if the schema's type is this one.
    pub fn is(&self, type_name: &str) -> bool {
        self.keyword("type").is_some_and(|known| known == type_name)
    }

    /// Returns true if null is valid.
    pub fn is_nullable(&self) -> bool {
        self.is_nullable
    }

    /// The values of `enum`; none where every value of the type is valid.
    pub fn options(&self) -> &[Value] {
        self.keyword("enum").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns true if an object must have this property.
    pub fn requires(&self, property: &str) -> bool {
        let required = self.keyword("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|name| name == property))
    }

    /// Returns true if an object may have no other properties.
    pub fn is_closed(&self) -> bool {
        self.keyword("additionalProperties") == Some(&Value::Bool(false))
    }
}

/// The pointers of the schemas that hold too: those of `allOf`, and the only schema of a union
/// besides null; and the keywords of such unions.
fn parts(source: &Source, schema: &Resolved<'_>) -> (Vec<String>, Vec<&'static str>) {
    let list = |keyword: &str| {
        let parts = schema.value.get(keyword).and_then(Value::as_array).into_iter().flatten();
        let at = join(&schema.pointer, keyword);
        parts.enumerate().map(move |(index, part)| (join(&at, &index.to_string()), part))
    };
    let mut parts: Vec<String> = list("allOf").map(|(pointer, _)| pointer).collect();
    let mut unions = Vec::new();
    for keyword in ["anyOf", "oneOf"] {
        let mut others =
            list(keyword).filter(|(_, part)| !null::answer(source, Question::Alone, part));
        if let (Some((only, _)), None) = (others.next(), others.next()) {
            parts.push(only);
            unions.push(keyword);
        }
    }
    (parts, unions)
}
