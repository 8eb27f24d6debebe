//! A type and how it is used, with what a schema says of the use.

use serde_json::{Value, json};

use super::{Keywords, property_rules::OF_PROPERTIES, text};
use crate::codegen::model::Type;

/// Where a schema is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Property,
    Parameter,
    /// A body, an item, or a value of a map.
    Other,
    /// An alternative, of which the whole says whether it may be null.
    Alternative,
}

impl Use {
    pub(super) fn has_default(self) -> bool {
        matches!(self, Self::Property | Self::Parameter)
    }
}

/// The use of a schema.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    /// Where it is written.
    pub(super) at: &'a str,
    /// Its name, if it needs one.
    pub(super) hint: &'a str,
    pub(super) place: Use,
    /// True if null is valid, and the schema names it.
    pub(super) is_nullable: bool,
}

impl<'a> Site<'a> {
    pub(super) fn new(at: &'a str, hint: &'a str, place: Use) -> Self {
        Self { at, hint, place, is_nullable: false }
    }

    /// The place of a part, of which the whole says whether it may be null.
    pub(super) fn part(self, at: &'a str, hint: &'a str) -> Self {
        Self { at, hint, is_nullable: false, ..self }
    }
}

/// A type and how it is used.
#[derive(Debug, Clone)]
pub(super) struct Used {
    /// Where its keywords are written.
    pub(super) at: String,
    pub(super) value: Type,
    pub(super) nullable: bool,
    /// Its own description, which a reference may lack.
    pub(super) description: String,
    /// The keywords that only properties have, such as `default`.
    pub(super) keywords: Keywords,
    /// True for a `$ref`, beside which a keyword has no effect.
    pub(super) is_reference: bool,
    /// True if Rust can write the default.
    pub(super) has_literal: bool,
    /// The schema of a text in place.
    pub(super) text: Option<Keywords>,
}

impl Used {
    pub(super) fn new(site: Site<'_>, value: Type, schema: &Keywords) -> Self {
        let mut keywords = schema.clone();
        keywords.retain(|keyword, _| OF_PROPERTIES.contains(&keyword.as_str()));
        Self {
            at: site.at.to_owned(),
            value,
            nullable: site.is_nullable,
            description: text(schema, "description"),
            keywords,
            is_reference: false,
            has_literal: true,
            text: None,
        }
    }

    /// The type of an item, of a value of a map, or of a body, which may be null itself.
    pub(super) fn in_a_whole(self) -> Type {
        match self.value {
            // Any value is null, too.
            Type::Any => Type::Any,
            value if self.nullable => Type::Nullable(Box::new(value)),
            value => value,
        }
    }

    /// The only part of a composition, with what is said beside it.
    pub(super) fn with(self, site: Site<'_>, schema: &Keywords) -> Self {
        let mut used = Self::new(site, self.value, schema);
        used.has_literal = self.has_literal;
        if !schema.contains_key("description") {
            used.description = self.description;
        }
        if !self.is_reference {
            let own = std::mem::replace(&mut used.keywords, self.keywords);
            used.keywords.extend(own);
        }
        used.text = self.text.map(|mut text| {
            text.extend(schema.clone());
            text
        });
        used
    }

    /// Describes a default that no generated type has: the handler applies it.
    pub(super) fn describe_default(&mut self) {
        if let Some(default) = self.keywords.shift_remove("default") {
            self.description = described(&self.description, &default);
        }
    }
}

fn described(description: &str, default: &Value) -> String {
    format!("{}\n\nWhere it is absent: `{default}`.", description.trim()).trim().to_owned()
}

/// Describes the default of a schema that is not read yet.
pub(super) fn describe_default(schema: &mut Keywords) {
    if let Some(default) = schema.shift_remove("default") {
        let described = described(&text(schema, "description"), &default);
        schema.insert("description".to_owned(), json!(described));
    }
}
