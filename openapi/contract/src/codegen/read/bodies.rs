//! Representations of bodies: JSON as types, forms as the same types, texts and bytes as they are.
//! Not supported: `multipart` other than forms, and rules of a text. A media type of several ones
//! where another is read is a note.

use openapi_document::{MediaType, pointer::join};
use openapi_formats::Format as CheckedFormat;
use serde_json::Value;

use super::{Reader, diagnostic, used::Used};
use crate::codegen::model::{BodyFormat, Encoding, Format, Kind, Object, Part, Schema, Type, kind};

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
            Format::Multipart if !is_form_data(media) => return self.unsupported(media),
            Format::Json | Format::Form | Format::Multipart => self.schema_of(media)?,
            Format::Text | Format::Bytes => self.raw(media, format)?,
        };
        let mut formats = vec![self.format(media, format, &value, schemas)?];
        // Another representation of the same type; others are not read.
        for other in body.content.iter().filter(|other| other.pointer != media.pointer) {
            let other_format = Format::of(&other.content_type);
            let is_same = match other_format {
                Format::Multipart if !is_form_data(other) => false,
                Format::Form | Format::Multipart if !is_form(&value, schemas) => false,
                Format::Json | Format::Form | Format::Multipart => {
                    self.peek(other).is_some_and(|known| known == value)
                }
                Format::Text | Format::Bytes => other_format == format,
            };
            if is_same {
                formats.push(self.format(other, other_format, &value, schemas)?);
            } else {
                let problem = format!("not read: the body is read as `{}`", media.content_type);
                self.notes.push(diagnostic(self.document, &other.pointer, problem, None));
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

    /// A text, or bytes, which the handler gets as they are: rules of their schema are reported.
    /// XML may be described as an object.
    fn raw(&mut self, media: &MediaType, format: Format) -> Option<Type> {
        const RULES: [&str; 7] =
            ["anyOf", "enum", "maxLength", "minLength", "not", "oneOf", "pattern"];
        let raw = if format == Format::Text { Type::String } else { Type::Bytes };
        let Some(at) = &media.schema_pointer else { return Some(raw) };
        let shape = self.document.shape(at).ok()?;
        let type_name = shape.keyword("type").and_then(Value::as_str).unwrap_or("string");
        let is_other = type_name != "string";
        if is_other && (format == Format::Bytes || media.content_type.contains("xml")) {
            return Some(raw);
        }
        let written = shape.keyword("format").and_then(Value::as_str);
        let is_checked = written.is_some_and(|name| CheckedFormat::named(name).is_some());
        let rule = RULES.into_iter().find(|rule| shape.keyword(rule).is_some());
        let rule = rule.or(is_checked.then_some("format"));
        let rule = if is_other { Some("type") } else { rule };
        let Some(rule) = rule else { return Some(raw) };
        let problem = format!("`{rule}` of a body of `{}` is not supported", media.content_type);
        let help = "write `type: string` alone, and let the handler check the body; or send JSON";
        self.report(at, problem, help);
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
        let (encodings, parts) = match format {
            Format::Form => (self.encodings(media, value, schemas)?, Vec::new()),
            Format::Multipart => (Vec::new(), self.parts(media, value, schemas)?),
            _ => Default::default(),
        };
        let media_type = media.content_type.split(';').next().unwrap_or_default();
        let media_type = media_type.trim().to_ascii_lowercase();
        Some(BodyFormat { format, media_type, encodings, parts })
    }

    /// How the properties of a form are written: a text or a list of texts in the usual way, and
    /// others as `encoding` says. Without one, an object is JSON.
    fn encodings(
        &mut self,
        media: &MediaType,
        value: &Type,
        schemas: &[Schema],
    ) -> Option<Vec<(String, Encoding)>> {
        let object = self.fields_of_form(media, value, schemas)?;
        let mut encodings = Vec::new();
        for field in object.into_iter().flat_map(|object| &object.fields) {
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

    /// The object that a form has; inside, none for a map of texts.
    #[expect(clippy::option_option, reason = "none is reported")]
    fn fields_of_form<'s>(
        &mut self,
        media: &MediaType,
        value: &Type,
        schemas: &'s [Schema],
    ) -> Option<Option<&'s Object>> {
        match value.name().and_then(|name| kind(schemas, name)) {
            Some(Kind::Object(object)) => Some(Some(object)),
            Some(Kind::TextMap(_)) => Some(None),
            _ => {
                let problem = "a form that is no object with properties is not supported";
                let help = "name the fields as properties of an object";
                self.report(&media.pointer, problem, help);
                None
            }
        }
    }

    /// The parts of `multipart/form-data`: files, JSON, and texts as in another form.
    fn parts(
        &mut self,
        media: &MediaType,
        value: &Type,
        schemas: &[Schema],
    ) -> Option<Vec<(String, Part)>> {
        let object = self.fields_of_form(media, value, schemas)?;
        let shape = self.document.shape(media.schema_pointer.as_deref()?).ok()?;
        let mut parts = Vec::new();
        for field in object.into_iter().flat_map(|object| &object.fields) {
            let at = shape.properties.iter().find(|(name, _)| *name == field.name);
            let own = at.and_then(|(_, at)| self.document.shape(at).ok()).unwrap_or_default();
            let items = own.items.as_ref().and_then(|at| self.document.shape(at).ok());
            let item = items.as_ref().unwrap_or(&own);
            let at = join(&join(&media.pointer, "encoding"), &field.name);
            let at = join(&at, "contentType");
            let media_types = self.written(&at).and_then(Value::as_str).unwrap_or_default();
            let media_types = media_types.split(',').map(str::trim).filter(|it| !it.is_empty());
            let media_types: Vec<String> = media_types.map(str::to_ascii_lowercase).collect();
            let all = |format| media_types.iter().all(|it| Format::of(it) == format);
            let is_structured = match &field.value {
                Type::List { items, .. } => items.is_structured(schemas),
                value => value.is_structured(schemas),
            };
            let is_binary = item.keyword("format").is_some_and(|format| format == "binary");
            let is_text = item.is("string") || item.keyword("type").is_none();
            let is_json = all(Format::Json) && (is_structured || !media_types.is_empty());
            let is_file = is_text && (is_binary || !all(Format::Json) && !all(Format::Text));
            let part = match matches!(field.value, Type::List { .. }) {
                _ if is_file => {
                    let count = |keyword| u64::try_from(item.number(keyword)?).ok();
                    let (min_bytes, max_bytes) =
                        (count("minLength").unwrap_or(0), count("maxLength"));
                    Part::File { media_types, min_bytes, max_bytes }
                }
                true if is_json => Part::JsonList,
                false if is_json => Part::Json,
                _ if all(Format::Text) && !is_structured => Part::Text,
                _ => {
                    let problem =
                        format!("a part of `{}` is not supported", media_types.join(", "));
                    self.report(&at, problem, "send JSON, a text, or a file: `format: binary`");
                    continue;
                }
            };
            parts.push((field.name.clone(), part));
        }
        Some(parts)
    }
}

/// Returns true if a form can have the type.
fn is_form(value: &Type, schemas: &[Schema]) -> bool {
    let kind = value.name().and_then(|name| kind(schemas, name));
    matches!(kind, Some(Kind::Object(_) | Kind::TextMap(_)))
}

fn is_form_data(media: &MediaType) -> bool {
    let essence = media.content_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("multipart/form-data")
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
