//! Representations of bodies: JSON as types, forms as the same types, texts and bytes as they are.
//! Not supported: `multipart`, and a media type of several ones where another is read.

use openapi_document::{MediaType, pointer::join};
use serde_json::Value;

use super::{Reader, used::Used};
use crate::codegen::model::{BodyFormat, Encoding, Format, Kind, Schema, Type, kind};

impl Reader<'_> {
    pub(super) fn request_body(
        &mut self,
        body: &openapi_document::RequestBody,
        schemas: &[Schema],
    ) -> Option<(Type, Vec<BodyFormat>)> {
        let Some(media) = preferred(&body.content) else {
            let help = "give it the representation `application/json`";
            self.report(&body.pointer, "the request body has no representation", help);
            return None;
        };
        let format = Format::of(&media.content_type);
        let value = match format {
            Format::Json | Format::Form => self.schema_of(media)?,
            Format::Text => Type::String,
            Format::Bytes => Type::Bytes,
            Format::Multipart => return self.unsupported(media),
        };
        let mut formats = vec![self.format(media, format, &value, schemas)?];
        // Another representation of the same type; others are not read.
        for other in body.content.iter().filter(|other| other.pointer != media.pointer) {
            let other_format = Format::of(&other.content_type);
            let is_same = match other_format {
                Format::Json | Format::Form => self.peek(other).is_some_and(|known| known == value),
                Format::Text | Format::Bytes => other_format == format,
                Format::Multipart => false,
            };
            if is_same {
                formats.push(self.format(other, other_format, &value, schemas)?);
            }
        }
        Some((value, formats))
    }

    fn unsupported<T>(&mut self, media: &MediaType) -> Option<T> {
        let problem = format!("a body of `{}` is not supported", media.content_type);
        let help = "write `application/json`, a form, or the media type of the file itself";
        self.report(&media.pointer, problem, help);
        None
    }

    /// The type of a representation, without a report.
    fn peek(&self, media: &MediaType) -> Option<Type> {
        let Some(at) = &media.schema_pointer else {
            return Some(Type::Any);
        };
        let place = self.places.get(at).filter(|place| place.diagnostics.is_empty())?;
        place.used.clone().map(Used::in_a_whole)
    }

    pub(super) fn schema_of(&mut self, media: &MediaType) -> Option<Type> {
        let Some(at) = &media.schema_pointer else {
            return Some(Type::Any);
        };
        self.used_at(at).map(Used::in_a_whole)
    }

    fn format(
        &mut self,
        media: &MediaType,
        format: Format,
        value: &Type,
        schemas: &[Schema],
    ) -> Option<BodyFormat> {
        let encodings = match format {
            Format::Form => self.encodings(media, value, schemas)?,
            _ => Vec::new(),
        };
        let media_type = media.content_type.split(';').next().unwrap_or_default();
        let media_type = media_type.trim().to_ascii_lowercase();
        Some(BodyFormat { format, media_type, encodings })
    }

    /// How the properties of a form are written: a text or a list of texts in the usual way, and
    /// others as `encoding` says. Without one, an object is JSON.
    fn encodings(
        &mut self,
        media: &MediaType,
        value: &Type,
        schemas: &[Schema],
    ) -> Option<Vec<(String, Encoding)>> {
        let kind = value.name().and_then(|name| kind(schemas, name));
        let Some(Kind::Object(object)) = kind else {
            // A map of texts, or whatever the form has.
            let is_map = matches!(kind, Some(Kind::TextMap(_)));
            if !is_map {
                let problem = "a form that is no object with properties is not supported";
                let help = "name the fields as properties of an object";
                self.report(&media.pointer, problem, help);
            }
            return is_map.then(Vec::new);
        };
        let mut encodings = Vec::new();
        for field in &object.fields {
            let at = join(&join(&media.pointer, "encoding"), &field.name);
            let style = self.written(&join(&at, "style")).and_then(Value::as_str);
            let explode = self.written(&join(&at, "explode")).and_then(Value::as_bool);
            let is_list = matches!(field.value, Type::List { .. });
            let is_flat = match &field.value {
                Type::List { items, .. } => !items.is_structured(schemas),
                value => !value.is_structured(schemas),
            };
            let encoding = match (style, explode) {
                (Some("deepObject"), _) => Encoding::Brackets,
                (None | Some("form"), None | Some(true)) if is_flat => continue,
                (Some("form") | None, Some(false)) if is_list && is_flat => {
                    Encoding::Separated(',')
                }
                (Some("spaceDelimited"), _) if is_list && is_flat => Encoding::Separated(' '),
                (Some("pipeDelimited"), _) if is_list && is_flat => Encoding::Separated('|'),
                (None, None) if field.value.is_structured(schemas) => Encoding::Json,
                _ => {
                    let problem = format!("this encoding of `{}` is not supported", field.name);
                    self.report(&at, problem, "write `style: deepObject`, or leave `encoding` out");
                    continue;
                }
            };
            encodings.push((field.name.clone(), encoding));
        }
        Some(encodings)
    }
}

/// The JSON among the representations of a body.
pub(crate) fn json_of(content: &[MediaType]) -> Option<&MediaType> {
    preferred(content).filter(|media| matches!(Format::of(&media.content_type), Format::Json))
}

/// The representation that is generated: JSON, else a form, a text, bytes.
fn preferred(content: &[MediaType]) -> Option<&MediaType> {
    content.iter().min_by_key(|media| rank(&media.content_type))
}

pub(super) fn rank(media_type: &str) -> u8 {
    let is_plain = media_type.to_ascii_lowercase().starts_with("application/json");
    match Format::of(media_type) {
        Format::Json if is_plain => 0,
        Format::Json => 1,
        Format::Form => 2,
        Format::Text => 3,
        Format::Bytes => 4,
        Format::Multipart => 5,
    }
}
