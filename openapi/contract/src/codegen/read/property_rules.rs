//! What an object requires of a property beyond its type, and the defaults of properties. Both
//! depend on the kinds of other schemas, so they are read when all of those are known.

use openapi_document::{Direction, pointer::join};
use serde_json::Value;

use super::Reader;
use crate::codegen::model::{Field, Kind, Object, Rule, Scalar, Schema, Type, kind};

const NOT_ZERO: &str = "x-not-zero";
const LATER_THAN: &str = "x-later-than";
const REQUIRED_WHEN: &str = "x-required-when";

/// The keywords that only the schema of a property may have.
pub(super) const OF_PROPERTIES: [&str; 4] = ["default", NOT_ZERO, LATER_THAN, REQUIRED_WHEN];
/// The problem of such a keyword beside a reference, and the remedy.
pub(super) const BESIDE_REFERENCE: (&str, &str) =
    ("beside `$ref` has no effect in OpenAPI 3.0", "refer by `allOf: [{ $ref: … }]`");
const ELSEWHERE: (&str, &str) = ("is supported for properties of objects alone", "leave it out");

/// An object whose properties are read, and all schemas.
struct Properties<'a> {
    object: &'a Object,
    schemas: &'a [Schema],
}

impl Properties<'_> {
    fn kind_of(&self, field: &Field) -> Option<&Kind> {
        let Type::Named(name) = &field.value else {
            return None;
        };
        kind(self.schemas, name)
    }

    /// The kind of the property `name`, if there is one.
    fn kind(&self, name: &str) -> Option<&Kind> {
        self.kind_of(self.object.fields.iter().find(|field| field.name == name)?)
    }
}

impl Reader<'_> {
    pub(super) fn property_rules(&mut self, schemas: &mut [Schema], pointers: &[String]) {
        let mut rules = Vec::new();
        for (schema, at) in schemas.iter().zip(pointers) {
            let at = join(at, "properties");
            rules.push(match &schema.kind {
                Kind::Object(object) => self.rules_of(&at, &Properties { object, schemas }),
                _ => Vec::new(),
            });
        }
        for (schema, rules) in schemas.iter_mut().zip(rules) {
            if let Kind::Object(object) = &mut schema.kind {
                object.rules = rules;
            }
        }
    }

    /// Reports, in the schema of an item or a body, what only a property can have.
    pub(super) fn report_property_keywords(&mut self, at: &str) {
        self.report_keywords(at, &OF_PROPERTIES, ELSEWHERE);
    }

    /// Reports the rules that only a property can have; a parameter has a default, too.
    pub(super) fn report_rules(&mut self, at: &str) {
        self.report_keywords(at, &OF_PROPERTIES[1..], ELSEWHERE);
    }

    fn report_keywords(&mut self, at: &str, keywords: &[&str], (problem, help): (&str, &str)) {
        for keyword in keywords {
            let at = join(at, keyword);
            if self.written(&at).is_some() {
                self.report(&at, format!("`{keyword}` {problem}"), help);
            }
        }
    }

    fn rules_of(&mut self, at: &str, properties: &Properties<'_>) -> Vec<Rule> {
        let mut rules = Vec::new();
        for field in &properties.object.fields {
            let at = join(at, &field.name);
            if self.written(&join(&at, "$ref")).is_some() {
                self.report_keywords(&at, &OF_PROPERTIES, BESIDE_REFERENCE);
                continue;
            }
            self.check_default(&at, field.default.as_ref());
            rules.extend(self.not_zero(&at, field, properties));
            rules.extend(self.later_than(&at, field, properties));
            rules.extend(self.required_when(&at, field, properties));
        }
        rules
    }

    /// Reports a default that is no value of its schema.
    pub(super) fn check_default(&mut self, at: &str, default: Option<&Value>) {
        let Some(default) = default else {
            return;
        };
        let default_at = join(at, "default");
        let violation = match self.document.validator(at, Direction::Request) {
            Ok(validator) => validator.validate(default).into_iter().next(),
            // The schema itself is reported where it is read.
            Err(_) => None,
        };
        if let Some(violation) = violation {
            let problem = format!("the default {default} breaks its schema: {violation}");
            self.report(&default_at, problem, "write a value that the schema accepts");
        }
    }

    fn not_zero(&mut self, at: &str, field: &Field, properties: &Properties<'_>) -> Option<Rule> {
        let at = join(at, NOT_ZERO);
        let value = self.written(&at)?;
        if *value != Value::Bool(true) {
            let problem = format!("`{NOT_ZERO}: {value}` is not known");
            self.report(&at, problem, "write `true`, or leave it out");
            return None;
        }
        if !matches!(properties.kind_of(field), Some(Kind::Scalar(Scalar::Money, _))) {
            let problem = format!("`{NOT_ZERO}` is supported for properties of `Money` alone");
            self.report(&at, problem, "leave it out, or let the property be of `Money`");
            return None;
        }
        Some(Rule::NotZero { field: field.name.clone() })
    }

    fn later_than(&mut self, at: &str, field: &Field, properties: &Properties<'_>) -> Option<Rule> {
        let at = join(at, LATER_THAN);
        let value = self.written(&at)?;
        let other = value.as_str().filter(|other| *other != field.name);
        let instant = |kind: Option<&Kind>| match kind {
            Some(Kind::Scalar(kind @ (Scalar::Timestamp | Scalar::RequestTimestamp), _)) => {
                Some(*kind)
            }
            _ => None,
        };
        let own = instant(properties.kind_of(field));
        let is_same = |other: &&str| own.is_some() && instant(properties.kind(other)) == own;
        let Some(other) = other.filter(is_same) else {
            let problem = format!("`{LATER_THAN}: {value}` does not compare two instants");
            let help = "name another property of the object; both are of `Timestamp` or both of \
                        `RequestTimestamp`";
            self.report(&at, problem, help);
            return None;
        };
        Some(Rule::LaterThan { field: field.name.clone(), other: other.to_owned() })
    }

    fn required_when(
        &mut self,
        at: &str,
        field: &Field,
        properties: &Properties<'_>,
    ) -> Option<Rule> {
        let at = join(at, REQUIRED_WHEN);
        let written = self.written(&at)?;
        let mut members = written.as_object().into_iter().flatten();
        let (Some((other, Value::String(value))), None) = (members.next(), members.next()) else {
            let problem = format!("`{REQUIRED_WHEN}` is not one property and its value");
            self.report(&at, problem, "write `{ property: VALUE }`");
            return None;
        };
        if field.required || field.nullable || field.default.is_some() {
            let problem = format!(
                "`{REQUIRED_WHEN}` needs a property that is optional, not nullable, without default"
            );
            self.report(&at, problem, "leave it out, or change the property");
            return None;
        }
        let at = join(&at, other);
        match properties.kind(other) {
            Some(Kind::Enum(values)) if values.contains(value) => Some(Rule::RequiredWhen {
                field: field.name.clone(),
                other: other.clone(),
                value: value.clone(),
            }),
            Some(Kind::Enum(values)) => {
                let problem = format!("`{value}` is not a value of `{other}`");
                self.report(&at, problem, format!("known: {}", values.join(", ")));
                None
            }
            _ => {
                let problem = format!("`{other}` is not a property with a closed value set");
                self.report(&at, problem, "name a property whose schema has an `enum`");
                None
            }
        }
    }
}
