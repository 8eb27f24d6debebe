//! YAML text: the parser's events become a value and the position of each part. Values that JSON
//! lacks, and constructs on which YAML readers disagree, are errors.

use std::{borrow::Cow, collections::HashMap};

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, StrInput, Tag};
use serde_json::{Map, Value};

use super::{scalar, surrogates, tree::fault};
use crate::{
    error::DocumentError,
    place::{Position, Positions},
    pointer,
};

/// serde_json's limit, so that both notations have the same.
const DEPTH_LIMIT: usize = 128;
/// How many values aliases may add, so that a few lines cannot grow into gigabytes.
const ALIASED_VALUES_LIMIT: usize = 1_000_000;

pub(super) fn read(text: &str) -> Result<(Value, Positions), DocumentError> {
    let hidden = surrogates::hidden(text);
    let has_pairs = matches!(hidden, Cow::Owned(_)) && !surrogates::is_ambiguous(text);
    let mut reader = Reader {
        parser: Parser::new_from_str(if has_pairs { &hidden } else { text }),
        has_pairs,
        positions: Positions::default(),
        pointer: String::new(),
        depth: 0,
        anchors: HashMap::new(),
        aliased_values: 0,
    };
    let mut root = None;
    loop {
        match reader.next()? {
            (Event::DocumentStart(_), here) if root.is_some() => {
                return Err(fault(here, "a second YAML document begins here")
                    .with_help("one file is one document: remove this `---`"));
            }
            (Event::DocumentStart(_), _) => {
                let (event, here) = reader.next()?;
                root = Some(reader.value_at(None, event, here)?);
            }
            (Event::StreamEnd, _) => break,
            _ => {}
        }
    }
    let value = root.ok_or_else(|| fault(Position::START, "the document is empty"))?;
    Ok((value, reader.positions))
}

struct Reader<'text> {
    parser: Parser<'text, StrInput<'text>>,
    /// True if something stands in the text for pairs of surrogates.
    has_pairs: bool,
    positions: Positions,
    /// The pointer of the value that is being read.
    pointer: String,
    /// The number of collections around it.
    depth: usize,
    anchors: HashMap<usize, Value>,
    aliased_values: usize,
}

impl<'text> Reader<'text> {
    fn next(&mut self) -> Result<(Event<'text>, Position), DocumentError> {
        let event = self.parser.next_event().expect("the parser ends with the stream");
        let (mut event, span) = event.map_err(|error| {
            let problem = format!("invalid YAML: {}", error.info());
            let invalid = fault(position(*error.marker()), problem);
            if error.info().starts_with("tabs") {
                invalid.with_help("indent with spaces")
            } else {
                invalid
            }
        })?;
        if let Event::Scalar(text, style, ..) = &mut event
            && self.has_pairs
            && let Some(joined) = surrogates::shown(text, *style)
        {
            *text = joined.into();
        }
        Ok((event, position(span.start)))
    }

    /// Reads the root, or the element of this index.
    fn value_at(
        &mut self,
        index: Option<usize>,
        event: Event<'text>,
        here: Position,
    ) -> Result<Value, DocumentError> {
        let length = self.pointer.len();
        if let Some(index) = index {
            pointer::push(&mut self.pointer, &index.to_string());
        }
        self.positions
            .note(&self.pointer, here)
            .expect("indexes are unique, and there is one root");
        let value = self.value(event, here)?;
        self.pointer.truncate(length);
        Ok(value)
    }

    fn value(&mut self, event: Event<'text>, here: Position) -> Result<Value, DocumentError> {
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                (scalar_value(text, style, tag.as_deref(), here)?, anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                self.enter(tag.as_deref(), here)?;
                (self.elements()?, anchor)
            }
            Event::MappingStart(anchor, tag) => {
                self.enter(tag.as_deref(), here)?;
                (self.members()?, anchor)
            }
            Event::Alias(anchor) => return self.aliased(anchor, here),
            other => unreachable!("a value does not begin with {other:?}"),
        };
        if anchor != 0 {
            self.anchors.insert(anchor, value.clone());
        }
        Ok(value)
    }

    fn enter(&mut self, tag: Option<&Tag>, here: Position) -> Result<(), DocumentError> {
        if self.depth == DEPTH_LIMIT {
            let problem = format!("the document is nested more than {DEPTH_LIMIT} levels deep");
            return Err(fault(here, problem));
        }
        self.depth += 1;
        match tag.filter(|tag| !tag.is_yaml_core_schema()) {
            Some(tag) => Err(unknown_tag(tag, here)),
            None => Ok(()),
        }
    }

    fn elements(&mut self) -> Result<Value, DocumentError> {
        let mut elements = Vec::new();
        loop {
            let (event, here) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                self.depth -= 1;
                return Ok(Value::Array(elements));
            }
            elements.push(self.value_at(Some(elements.len()), event, here)?);
        }
    }

    fn members(&mut self) -> Result<Value, DocumentError> {
        let mut members = Map::new();
        loop {
            let (event, here) = self.next()?;
            let key = match event {
                Event::MappingEnd => {
                    self.depth -= 1;
                    return Ok(Value::Object(members));
                }
                Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<" => {
                    return Err(fault(here, "merge keys (`<<`) are not part of YAML 1.2")
                        .with_help("write the members out, or use `$ref`"));
                }
                Event::Scalar(text, ..) => text.into_owned(),
                other => {
                    let is_alias = matches!(other, Event::Alias(_));
                    let found = if is_alias { "an alias" } else { "a collection" };
                    let problem = format!("a key of a mapping must be a text, not {found}");
                    return Err(fault(here, problem));
                }
            };
            let length = self.pointer.len();
            pointer::push(&mut self.pointer, &key);
            self.positions.note(&self.pointer, here).map_err(|first| {
                let problem = format!("duplicate key `{key}`, first in line {}", first.line);
                fault(here, problem).with_help("remove one of the two")
            })?;
            let (event, here) = self.next()?;
            members.insert(key, self.value(event, here)?);
            self.pointer.truncate(length);
        }
    }

    fn aliased(&mut self, anchor: usize, here: Position) -> Result<Value, DocumentError> {
        let Some(value) = self.anchors.get(&anchor).cloned() else {
            return Err(fault(here, "the alias is inside its own anchor"));
        };
        self.aliased_values += count(&value);
        if self.aliased_values > ALIASED_VALUES_LIMIT {
            let problem = format!("aliases repeat more than {ALIASED_VALUES_LIMIT} values");
            return Err(fault(here, problem));
        }
        Ok(value)
    }
}

fn scalar_value(
    text: Cow<'_, str>,
    style: ScalarStyle,
    tag: Option<&Tag>,
    here: Position,
) -> Result<Value, DocumentError> {
    let is_text = match tag {
        None => style != ScalarStyle::Plain,
        // `!` and `!!str` mark a text.
        Some(tag) if tag.is_yaml_core_schema() => tag.suffix == "str",
        Some(tag) if tag.handle.is_empty() && tag.suffix == "!" => true,
        Some(tag) => return Err(unknown_tag(tag, here)),
    };
    if is_text {
        return Ok(Value::String(text.into_owned()));
    }
    scalar::resolve(&text).map_err(|problem| fault(here, problem))
}

fn unknown_tag(tag: &Tag, here: Position) -> DocumentError {
    fault(here, format!("the tag `{tag}` has no meaning in OpenAPI")).with_help("remove the tag")
}

fn count(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(count).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(count).sum::<usize>(),
        _ => 1,
    }
}

fn position(marker: Marker) -> Position {
    Position::new(marker.line(), marker.col() + 1)
}
