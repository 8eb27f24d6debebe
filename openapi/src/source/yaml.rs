//! YAML text: the parser's events become a value and the position of each part. Values that JSON
//! lacks, and constructs on which YAML readers disagree, are errors.

use std::{borrow::Cow, collections::HashMap};

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, Tag};
use serde_json::{Map, Value};

use super::{Fault, scalar};
use crate::{
    place::{Position, Positions},
    pointer,
};

/// serde_json's limit, so that both notations have the same.
const DEPTH_LIMIT: usize = 128;
/// How many values aliases may add, so that a few lines cannot grow into gigabytes.
const ALIASED_VALUES_LIMIT: usize = 1_000_000;

pub(super) fn read(text: &str) -> Result<(Value, Positions), Fault> {
    let mut builder = Builder::default();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            let problem = format!("invalid YAML: {}", error.info());
            let fault = Fault::new(position(*error.marker()), problem);
            if error.info().starts_with("tabs") {
                fault.with_help("indent with spaces")
            } else {
                fault
            }
        })?;
        builder.take(event, span)?;
    }
    let value = builder.root.ok_or_else(|| Fault::new(Position::START, "the document is empty"))?;
    Ok((value, builder.positions))
}

#[derive(Default)]
struct Builder {
    positions: Positions,
    pointer: String,
    frames: Vec<Frame>,
    anchors: HashMap<usize, Value>,
    aliased_values: usize,
    documents: usize,
    root: Option<Value>,
}

/// An open mapping or sequence.
struct Frame {
    container: Container,
    anchor: usize,
    /// The length of the container's own pointer.
    pointer_length: usize,
}

enum Container {
    Mapping {
        members: Map<String, Value>,
        /// The key of the next value.
        key: Option<String>,
    },
    Sequence(Vec<Value>),
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Fault> {
        let here = position(span.start);
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(Fault::new(here, "a second YAML document begins here")
                        .with_help("one file is one document: remove this `---`"));
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) if !self.expects_key() => {
                self.begin(here);
                let value = scalar_value(text, style, tag.as_deref(), here)?;
                self.complete(value, anchor);
                Ok(())
            }
            Event::Scalar(text, style, ..) => self.key(text, style, here),
            Event::SequenceStart(anchor, tag) => {
                let container = Container::Sequence(Vec::new());
                self.open(container, anchor, tag.as_deref(), here)
            }
            Event::MappingStart(anchor, tag) => {
                let (members, key) = (Map::new(), None);
                let container = Container::Mapping { members, key };
                self.open(container, anchor, tag.as_deref(), here)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.close();
                Ok(())
            }
            Event::Alias(anchor) => self.alias(anchor, here),
        }
    }

    fn expects_key(&self) -> bool {
        matches!(
            self.frames.last().map(|frame| &frame.container),
            Some(Container::Mapping { key: None, .. })
        )
    }

    fn key(&mut self, text: Cow<'_, str>, style: ScalarStyle, here: Position) -> Result<(), Fault> {
        if text == "<<" && style == ScalarStyle::Plain {
            return Err(Fault::new(here, "merge keys (`<<`) are not part of YAML 1.2")
                .with_help("write the members out, or use `$ref`"));
        }
        pointer::push(&mut self.pointer, &text);
        self.positions
            .note(&self.pointer, here)
            .map_err(|first| Fault::duplicate_key(here, &text, first))?;
        if let Some(Frame { container: Container::Mapping { key, .. }, .. }) =
            self.frames.last_mut()
        {
            *key = Some(text.into_owned());
        }
        Ok(())
    }

    fn open(
        &mut self,
        container: Container,
        anchor: usize,
        tag: Option<&Tag>,
        here: Position,
    ) -> Result<(), Fault> {
        if self.expects_key() {
            return Err(Fault::new(here, "a key of a mapping must be a text, not a collection"));
        }
        if self.frames.len() == DEPTH_LIMIT {
            let problem = format!("the document is nested more than {DEPTH_LIMIT} levels deep");
            return Err(Fault::new(here, problem));
        }
        if let Some(tag) = tag.filter(|tag| !tag.is_yaml_core_schema()) {
            return Err(unknown_tag(tag, here));
        }
        self.begin(here);
        let pointer_length = self.pointer.len();
        self.frames.push(Frame { container, anchor, pointer_length });
        Ok(())
    }

    fn close(&mut self) {
        let frame = self.frames.pop().expect("the parser pairs starts and ends");
        let value = match frame.container {
            Container::Mapping { members, .. } => Value::Object(members),
            Container::Sequence(elements) => Value::Array(elements),
        };
        self.complete(value, frame.anchor);
    }

    fn alias(&mut self, anchor: usize, here: Position) -> Result<(), Fault> {
        if self.expects_key() {
            return Err(Fault::new(here, "a key of a mapping must be a text, not an alias"));
        }
        let Some(value) = self.anchors.get(&anchor).cloned() else {
            return Err(Fault::new(here, "the alias is inside its own anchor"));
        };
        self.aliased_values += count(&value);
        if self.aliased_values > ALIASED_VALUES_LIMIT {
            let problem = format!("aliases repeat more than {ALIASED_VALUES_LIMIT} values");
            return Err(Fault::new(here, problem));
        }
        self.begin(here);
        self.complete(value, 0);
        Ok(())
    }

    /// Starts a value. A mapping's member has its pointer and position already, from its key.
    fn begin(&mut self, here: Position) {
        let index = match self.frames.last().map(|frame| &frame.container) {
            Some(Container::Mapping { .. }) => return,
            Some(Container::Sequence(elements)) => Some(elements.len()),
            None => None,
        };
        if let Some(index) = index {
            pointer::push(&mut self.pointer, &index.to_string());
        }
        self.positions
            .note(&self.pointer, here)
            .expect("indexes are unique, and there is one root");
    }

    fn complete(&mut self, value: Value, anchor: usize) {
        if anchor != 0 {
            self.anchors.insert(anchor, value.clone());
        }
        let Some(frame) = self.frames.last_mut() else {
            self.root = Some(value);
            return;
        };
        self.pointer.truncate(frame.pointer_length);
        match &mut frame.container {
            Container::Sequence(elements) => elements.push(value),
            Container::Mapping { members, key } => {
                let key = key.take().expect("a member's key comes before its value");
                members.insert(key, value);
            }
        }
    }
}

fn scalar_value(
    text: Cow<'_, str>,
    style: ScalarStyle,
    tag: Option<&Tag>,
    here: Position,
) -> Result<Value, Fault> {
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
    scalar::resolve(&text).map_err(|problem| Fault::new(here, problem))
}

fn unknown_tag(tag: &Tag, here: Position) -> Fault {
    Fault::new(here, format!("the tag `{tag}` has no meaning in OpenAPI"))
        .with_help("remove the tag")
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
