//! Null by the letter of OpenAPI 3.0.3 (clarified): `nullable` adds null to the `type` of its own
//! schema object and to nothing else. A schema in `allOf`, a reference and an `enum` without null
//! still exclude it, and a schema without `type` never excluded it.

use std::collections::HashMap;

use serde_json::Value;

use crate::{pointer, source::Source};

/// A longer chain of references and parts is read as excluding null.
const MAX_DEPTH: usize = 128;

/// A question about null in a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    /// Is null valid?
    Admitted,
    /// Does the schema or a part of it speak of null? `{}` admits null without that.
    Named,
    /// Is nothing but null valid, or nothing at all? So it is in `{ enum: [null] }`.
    Alone,
}

pub(crate) fn answer(source: &Source, question: Question, schema: &Value) -> bool {
    Search { source, question, known: HashMap::new(), depth: 0 }.of(schema)
}

struct Search<'s> {
    source: &'s Source,
    question: Question,
    /// Answers for the targets of references; false while one is sought, so that a schema that
    /// refers to itself ends.
    known: HashMap<String, bool>,
    depth: usize,
}

impl Search<'_> {
    /// The answer for a schema, or for the one that it refers to.
    fn of(&mut self, schema: &Value) -> bool {
        let Some(reference) = pointer::reference_in(schema) else {
            return self.of_written(schema);
        };
        let target = pointer::of_local_reference(reference);
        let Some(target) = target.and_then(|target| self.source.resolve(&target).ok()) else {
            return false;
        };
        if let Some(answer) = self.known.get(&target.pointer) {
            return *answer;
        }
        self.known.insert(target.pointer.clone(), false);
        let answer = self.of_written(target.value);
        self.known.insert(target.pointer, answer);
        answer
    }

    fn of_written(&mut self, schema: &Value) -> bool {
        if self.depth >= MAX_DEPTH {
            return false;
        }
        self.depth += 1;
        let answer = match self.question {
            Question::Admitted => self.is_admitted(schema),
            Question::Named => self.is_named(schema),
            Question::Alone => self.is_alone(schema),
        };
        self.depth -= 1;
        answer
    }

    fn is_admitted(&mut self, schema: &Value) -> bool {
        let by_type = schema.get("type").is_none() || is_marked(schema);
        by_type
            && options(schema).is_none_or(|values| values.contains(&Value::Null))
            && self.count(schema, "allOf") == parts(schema, "allOf").len()
            && (schema.get("anyOf").is_none() || self.count(schema, "anyOf") > 0)
            && (schema.get("oneOf").is_none() || self.count(schema, "oneOf") == 1)
            && schema.get("not").is_none_or(|not| !self.of(not))
    }

    fn is_named(&mut self, schema: &Value) -> bool {
        is_marked(schema)
            || options(schema).is_some_and(|values| values.contains(&Value::Null))
            || ["allOf", "anyOf", "oneOf"].iter().any(|keyword| self.count(schema, keyword) > 0)
    }

    fn is_alone(&mut self, schema: &Value) -> bool {
        let is_union_alone = |search: &mut Self, keyword| {
            let count = parts(schema, keyword).len();
            count > 0 && search.count(schema, keyword) == count
        };
        options(schema).is_some_and(|values| values.iter().all(Value::is_null))
            || self.count(schema, "allOf") > 0
            || is_union_alone(self, "anyOf")
            || is_union_alone(self, "oneOf")
    }

    /// The number of the parts with the answer yes.
    fn count(&mut self, schema: &Value, keyword: &str) -> usize {
        parts(schema, keyword).iter().filter(|part| self.of(part)).count()
    }
}

fn is_marked(schema: &Value) -> bool {
    schema.get("nullable") == Some(&Value::Bool(true))
}

fn options(schema: &Value) -> Option<&[Value]> {
    schema.get("enum")?.as_array().map(Vec::as_slice)
}

fn parts<'v>(schema: &'v Value, keyword: &str) -> &'v [Value] {
    schema.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
