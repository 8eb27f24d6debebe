//! The representations and the headers of responses.

use http::HeaderName;
use openapi_document::{MediaType, Response, Status, pointer::join};

use super::{Names, Reader, bodies::rank, property_rules::OF_PROPERTIES, used::Use};
use crate::codegen::{
    model::{Format, Header, Kind, Representation, Schema, Success, Type, kind},
    names,
};

/// The redirects of a client to another address, whether the document lists the header or not.
const REDIRECTS: [u16; 5] = [301, 302, 303, 307, 308];

impl Reader<'_> {
    /// A response that a handler returns; `status` is none of `default`.
    pub(super) fn success(
        &mut self,
        response: &Response,
        status: u16,
        schemas: &[Schema],
    ) -> Option<Success> {
        let representations = self.representations(&response.content)?;
        let headers = self.headers(response, schemas)?;
        let body = representations.first().map(|first| first.value.clone());
        Some(Success { status, body, representations, headers })
    }

    /// JSON as types, anything else as a handler writes it; the preferred one first.
    fn representations(&mut self, content: &[MediaType]) -> Option<Vec<Representation>> {
        let mut sorted: Vec<&MediaType> = content.iter().collect();
        sorted.sort_by_key(|media| rank(&media.content_type));
        let help = "leave one of them out";
        let mut names = Names::new(&[names::type_name], "the representation", help);
        let found: Vec<_> = sorted
            .into_iter()
            .filter_map(|media| {
                let media_type = media.content_type.trim().to_owned();
                self.check_name(&mut names, &media.pointer, &media_type);
                let is_range = media_type.contains('*');
                let value = match Format::of(&media_type) {
                    Format::Json if !is_range => self.schema_of(media)?,
                    _ => Type::Content(self.media_type(&media_type)),
                };
                Some(Representation { media_type, value })
            })
            .collect();
        (found.len() == content.len()).then_some(found)
    }

    fn media_type(&mut self, media_type: &str) -> String {
        let words = media_type.replace('*', "any");
        let name = names::upper_camel(&format!("{words}-media"));
        self.media_types.entry(name.clone()).or_insert_with(|| media_type.to_owned());
        name
    }

    /// Returns true if the handler fills a header: not one that other code of the server writes,
    /// nor the one that says the representation.
    fn is_filled_by_handler(&self, name: &str) -> bool {
        !name.eq_ignore_ascii_case("content-type") && !self.is_written_header(name)
    }

    pub(super) fn is_written_header(&self, name: &str) -> bool {
        let server = self.config.server.as_ref();
        server.is_some_and(|server| server.written_headers.contains(&name.to_lowercase()))
    }

    /// Reads the schemas of the headers that handlers fill.
    pub(super) fn header_places(&mut self) {
        let document = self.document;
        for operation in document.operations() {
            for header in operation.responses.iter().flat_map(|response| &response.headers) {
                let Some(at) = &header.schema_pointer else { continue };
                let Some(schema) = self.written(at) else { continue };
                if self.is_filled_by_handler(&header.name) && !self.places.contains_key(at) {
                    let component = header.pointer.strip_prefix("/components/headers/");
                    let hint = format!("{}-header", component.unwrap_or(&header.name));
                    self.place(at, schema, &hint, Use::Parameter, &OF_PROPERTIES[1..]);
                }
            }
        }
    }

    fn headers(&mut self, response: &Response, schemas: &[Schema]) -> Option<Vec<Header>> {
        let help = "rename one of them";
        let mut names = Names::new(&[names::value_name], "the field", help);
        names.collision(&response.pointer, "body");
        if response.status == Status::Default {
            names.collision(&response.pointer, "status");
        }
        let filled = response.headers.iter().filter(|it| self.is_filled_by_handler(&it.name));
        let filled: Vec<_> = filled.collect();
        let mut headers = Vec::new();
        for header in &filled {
            self.check_name(&mut names, &header.pointer, &header.name);
            headers.extend(self.header(header, schemas));
        }
        if headers.len() < filled.len() {
            return None;
        }
        let is_redirect = matches!(response.status, Status::Code(it) if REDIRECTS.contains(&it));
        let has_location = response.headers.iter().any(|it| it.name.to_lowercase() == "location");
        if is_redirect && !has_location {
            headers.push(Header {
                name: "Location".to_owned(),
                description: "Where the client goes.".to_owned(),
                required: false,
                value: Type::String,
            });
        }
        Some(headers)
    }

    fn header(&mut self, header: &openapi_document::Header, schemas: &[Schema]) -> Option<Header> {
        if HeaderName::from_bytes(header.name.as_bytes()).is_err() {
            let problem = format!("`{}` cannot be the name of a header", header.name);
            self.report(&header.pointer, problem, "write letters, digits and `-`");
            return None;
        }
        let in_content = join(&header.pointer, "content");
        if self.written(&in_content).is_some() {
            let problem = "a header with `content` is not supported";
            self.report(&in_content, problem, "give it a `schema` of a text or a number");
            return None;
        }
        let value = match &header.schema_pointer {
            Some(at) => self.used_at(at)?.value,
            None => Type::String,
        };
        let value = if value == Type::Any { Type::String } else { value };
        let item = match &value {
            Type::List { items, .. } => &**items,
            value => value,
        };
        let named = item.name().and_then(|name| kind(schemas, name));
        if item.is_structured(schemas) || matches!(named, Some(Kind::Alternatives(_))) {
            let problem = "a header that is no text, number or boolean, or a list of them, is not \
                           supported";
            self.report(&header.pointer, problem, "give it a schema of single values");
            return None;
        }
        Some(Header {
            name: header.name.clone(),
            description: header.description.clone().unwrap_or_default().trim().to_owned(),
            required: header.required,
            value,
        })
    }
}
