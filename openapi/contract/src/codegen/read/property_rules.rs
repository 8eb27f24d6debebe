//! What an object requires of a property beyond its type, and the defaults of properties. Both
//! depend on the kinds of other schemas, so they are read when all of those are known.

use openapi_document::{Direction, pointer::join};
use serde_json::Value;

use super::{Keywords, Reader, used::Used};
use crate::codegen::model::{Field, Kind, Object, Rule, Scalar, Schema, Type, kind};

const NOT_ZERO: &str = "x-not-zero";
const NOT_NEGATIVE: &str = "x-not-negative";
const LATER_THAN: &str = "x-later-than";
const REQUIRED_WHEN: &str = "x-required-when";
const EXCLUDED_BY: &str = "x-excluded-by";
const WITHIN: &str = "x-within-seconds";

/// The keywords that only the schema of a property may have.
pub(super) const OF_PROPERTIES: [&str; 7] =
    ["default", NOT_ZERO, NOT_NEGATIVE, LATER_THAN, REQUIRED_WHEN, EXCLUDED_BY, WITHIN];
/// The problem of such a keyword beside a reference, and the remedy.
const BESIDE_REFERENCE: (&str, &str) =
    ("beside `$ref` has no effect in OpenAPI 3.0", "refer by `allOf: [{ $ref: … }]`");
const ELSEWHERE: (&str, &str) = ("is supported for properties of objects alone", "leave it out");

/// The rules of a property, to be read when the kinds of all schemas are known.
pub(super) struct Written {
    /// The object.
    owner: String,
    field: String,
    /// Where the keywords are written.
    at: String,
    keywords: Keywords,
}

/// A property with rules, its object, and all schemas.
struct Property<'a> {
    at: &'a str,
    field: &'a Field,
    object: &'a Object,
    schemas: &'a [Schema],
}

impl Property<'_> {
    /// The kind of a property of the object, if it has one.
    fn kind(&self, name: &str) -> Option<&Kind> {
        let field = self.object.fields.iter().find(|field| field.name == name)?;
        let Type::Named(name) = &field.value else { return None };
        kind(self.schemas, name)
    }
}

impl Reader<'_> {
    pub(super) fn property_rules(&mut self, schemas: &mut [Schema], pointers: &[String]) {
        for Written { owner, field, at, keywords } in std::mem::take(&mut self.rules) {
            let Some(index) = pointers.iter().position(|at| *at == owner) else { continue };
            let Kind::Object(object) = &schemas[index].kind else { continue };
            let Some(field) = object.fields.iter().find(|it| it.name == field) else { continue };
            let property = Property { at: &at, field, object, schemas };
            let of_money = |reader: &mut Self, keyword, rule: fn(String) -> Rule| {
                let value = keywords.get(keyword)?;
                reader.of_money(keyword, value, &property).map(rule)
            };
            let found = [
                of_money(self, NOT_ZERO, |field| Rule::NotZero { field }),
                of_money(self, NOT_NEGATIVE, |field| Rule::NotNegative { field }),
                keywords.get(LATER_THAN).and_then(|value| self.later_than(value, &property)),
                keywords.get(REQUIRED_WHEN).and_then(|value| self.required_when(value, &property)),
                keywords.get(EXCLUDED_BY).and_then(|value| self.excluded_by(value, &property)),
                keywords.get(WITHIN).and_then(|value| self.within(value, &property)),
            ];
            if let Kind::Object(object) = &mut schemas[index].kind {
                object.rules.extend(found.into_iter().flatten());
            }
        }
    }

    /// Reports, in the schema of an item, a body or a parameter, what only a property can have.
    pub(super) fn report_elsewhere(&mut self, used: &Used, keywords: &[&str]) {
        let written = keywords.iter().filter(|keyword| used.keywords.contains_key(**keyword));
        written.for_each(|keyword| self.report_keyword(&used.at, keyword, ELSEWHERE));
    }

    fn report_keyword(&mut self, at: &str, keyword: &str, (problem, help): (&str, &str)) {
        self.report(&join(at, keyword), format!("`{keyword}` {problem}"), help);
    }

    pub(super) fn report_beside_reference(&mut self, at: &str, keywords: &Keywords) {
        keywords.keys().for_each(|keyword| self.report_keyword(at, keyword, BESIDE_REFERENCE));
    }

    /// Notes the rules of a property, which has none beside a reference.
    pub(super) fn note_rules(&mut self, owner: &str, field: &str, used: Used) {
        let Used { at, keywords, is_reference, .. } = used;
        if is_reference {
            self.report_beside_reference(&at, &keywords);
        } else if keywords.keys().any(|keyword| keyword != "default") {
            let (owner, field) = (owner.to_owned(), field.to_owned());
            self.rules.push(Written { owner, field, at, keywords });
        }
    }

    /// Reports a default that is no value of its schema.
    pub(super) fn check_default(
        &mut self,
        at: &str,
        schema: &Value,
        default_at: &str,
        default: &Value,
    ) {
        let violation = match self.document.validator_of(at, schema, Direction::Request) {
            Ok(validator) => validator.validate(default).into_iter().next(),
            // The schema itself is reported where it is read.
            Err(_) => None,
        };
        if let Some(violation) = violation {
            let problem = format!("the default {default} breaks its schema: {violation}");
            self.report(default_at, problem, "write a value that the schema accepts");
        }
    }

    /// Returns the name of an amount that may not have some values.
    fn of_money(
        &mut self,
        keyword: &str,
        value: &Value,
        property: &Property<'_>,
    ) -> Option<String> {
        let (field, at) = (property.field, &join(property.at, keyword));
        if *value != Value::Bool(true) {
            let problem = format!("`{keyword}: {value}` is not known");
            self.report(at, problem, "write `true`, or leave it out");
            return None;
        }
        if !matches!(property.kind(&field.name), Some(Kind::Scalar(Scalar::Money, _))) {
            let problem = format!("`{keyword}` is supported for properties of `Money` alone");
            self.report(at, problem, "leave it out, or let the property be of `Money`");
            return None;
        }
        Some(field.name.clone())
    }

    fn later_than(&mut self, value: &Value, property: &Property<'_>) -> Option<Rule> {
        let (field, at) = (property.field, &join(property.at, LATER_THAN));
        let other = value.as_str().filter(|other| *other != field.name);
        let instant = |kind: Option<&Kind>| match kind {
            Some(Kind::Scalar(kind @ (Scalar::Timestamp | Scalar::RequestTimestamp), _)) => {
                Some(*kind)
            }
            _ => None,
        };
        let own = instant(property.kind(&field.name));
        let is_same = |other: &&str| own.is_some() && instant(property.kind(other)) == own;
        let Some(other) = other.filter(is_same) else {
            let problem = format!("`{LATER_THAN}: {value}` does not compare two instants");
            let help = "name another property of the object; both are of `Timestamp` or both of \
                        `RequestTimestamp`";
            self.report(at, problem, help);
            return None;
        };
        Some(Rule::LaterThan { field: field.name.clone(), other: other.to_owned() })
    }

    fn excluded_by(&mut self, value: &Value, property: &Property<'_>) -> Option<Rule> {
        let (field, fields) = (property.field, &property.object.fields);
        let is_optional = |field: &Field| !field.required && field.default.is_none();
        let other = fields.iter().find(|it| Some(it.name.as_str()) == value.as_str());
        let other = other.filter(|other| other.name != field.name && is_optional(other));
        let Some(other) = other.filter(|_| is_optional(field)) else {
            let problem = format!("`{EXCLUDED_BY}: {value}` does not name one of two alternatives");
            let help = "name another property of the object; both are optional, without default";
            self.report(&join(property.at, EXCLUDED_BY), problem, help);
            return None;
        };
        Some(Rule::ExcludedBy { field: field.name.clone(), other: other.name.clone() })
    }

    fn within(&mut self, value: &Value, property: &Property<'_>) -> Option<Rule> {
        let (field, at) = (property.field, &join(property.at, WITHIN));
        if !matches!(property.kind(&field.name), Some(Kind::Scalar(Scalar::RequestTimestamp, _))) {
            let problem = format!("`{WITHIN}` is supported for `RequestTimestamp` alone");
            self.report(at, problem, "leave it out, or let the property be of that schema");
            return None;
        }
        let bounds = value.as_object().cloned().unwrap_or_default();
        let [past, future] =
            ["past", "future"].map(|bound| u32::try_from(bounds.get(bound)?.as_u64()?).ok());
        if bounds.is_empty() || bounds.len() != past.iter().chain(&future).count() {
            let problem = format!("`{WITHIN}: {value}` does not say how many seconds");
            self.report(at, problem, "write `{ past: SECONDS, future: SECONDS }`, or one of them");
            return None;
        }
        Some(Rule::Within { field: field.name.clone(), past, future })
    }

    fn required_when(&mut self, written: &Value, property: &Property<'_>) -> Option<Rule> {
        let (field, at) = (property.field, &join(property.at, REQUIRED_WHEN));
        if field.required || field.nullable || field.default.is_some() {
            let problem = format!(
                "`{REQUIRED_WHEN}` needs a property that is optional, not nullable, without default"
            );
            self.report(at, problem, "leave it out, or change the property");
            return None;
        }
        if let Value::String(other) = written {
            return self.required_with(other, property);
        }
        let mut members = written.as_object().into_iter().flatten();
        let (Some((other, Value::String(value))), None) = (members.next(), members.next()) else {
            let problem = format!("`{REQUIRED_WHEN}` is not one property, or one and its value");
            self.report(at, problem, "write `property`, or `{ property: VALUE }`");
            return None;
        };
        let at = &join(at, other);
        match property.kind(other) {
            Some(Kind::Enum(values)) if values.contains(value) => Some(Rule::RequiredWhen {
                field: field.name.clone(),
                other: other.clone(),
                value: Some(value.clone()),
            }),
            Some(Kind::Enum(values)) => {
                let problem = format!("`{value}` is not a value of `{other}`");
                self.report(at, problem, format!("known: {}", values.join(", ")));
                None
            }
            _ => {
                let problem = format!("`{other}` is not a property with a closed value set");
                self.report(at, problem, "name a property whose schema has an `enum`");
                None
            }
        }
    }

    /// A property that is required where another one is given.
    fn required_with(&mut self, other: &str, property: &Property<'_>) -> Option<Rule> {
        let field = property.field.name.clone();
        let mut others = property.object.fields.iter().filter(|it| it.name != field);
        if !others.any(|it| it.name == other && !it.required && it.default.is_none()) {
            let problem = format!("`{REQUIRED_WHEN}: {other}` does not name an optional property");
            let help = "name another property of the object, which is optional, without default";
            self.report(&join(property.at, REQUIRED_WHEN), problem, help);
            return None;
        }
        Some(Rule::RequiredWhen { field, other: other.to_owned(), value: None })
    }
}
