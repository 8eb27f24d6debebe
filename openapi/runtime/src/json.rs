//! Reads a request's body as strict JSON: duplicate keys, nesting deeper than [`JSON_DEPTH_LIMIT`]
//! and text after the value are errors. A number keeps its digits.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::pointer::join;

/// The only name of the map that stands for a number with a fraction or many digits in `serde_json`
/// with `arbitrary_precision`; its value is the text of the number.
const NUMBER: &str = "$serde_json::private::Number";

/// How deep objects and arrays may be nested.
pub const JSON_DEPTH_LIMIT: usize = 16;

/// An error has line and column, and follows "The body is not valid JSON:".
pub(crate) fn read_json(bytes: &[u8]) -> Result<Value, String> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = Node { parent: None, depth: 0 }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    value.map_err(|error| error.to_string())
}

/// A value in the body.
#[derive(Clone, Copy)]
struct Node<'a> {
    /// The object or array around it, and the name or index that it has there.
    parent: Option<(&'a Node<'a>, &'a dyn fmt::Display)>,
    depth: usize,
}

impl Node<'_> {
    fn inside<'a>(&'a self, token: &'a dyn fmt::Display) -> Node<'a> {
        Node { parent: Some((self, token)), depth: self.depth + 1 }
    }

    fn check_depth<E: Error>(self) -> Result<(), E> {
        if self.depth < JSON_DEPTH_LIMIT {
            return Ok(());
        }
        Err(E::custom(format_args!("nested deeper than {JSON_DEPTH_LIMIT} levels")))
    }

    fn pointer(self) -> String {
        let parent = self.parent;
        parent
            .map(|(parent, token)| join(&parent.pointer(), &token.to_string()))
            .unwrap_or_default()
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        self.check_depth()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self.inside(&list.len()))? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        let mut next = entries.next_key::<String>()?;
        if next.as_deref() == Some(NUMBER) {
            let text = entries.next_value::<String>()?;
            return text.parse().map(Value::Number).map_err(A::Error::custom);
        }
        self.check_depth()?;
        while let Some(key) = next {
            let member = self.inside(&key);
            if map.contains_key(&key) {
                let pointer = member.pointer();
                return Err(A::Error::custom(format_args!("duplicate key `{key}` ({pointer})")));
            }
            let value = entries.next_value_seed(member)?;
            map.insert(key, value);
            next = entries.next_key()?;
        }
        Ok(Value::Object(map))
    }
}
