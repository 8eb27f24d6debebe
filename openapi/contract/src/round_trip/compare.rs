//! Walks through the document and looks up each element in the emitted one. Components count where
//! operations use them.

use openapi_document::{
    Document, Header, Location, MediaType, Operation, Parameter, RequestBody, Resolved, Response,
};
use serde_json::{Map, Value, json};

use super::{
    element::{Site, Use},
    schema::{Flat, resolved},
    spelling::{self, at},
};

/// What of the document is compared elsewhere, or is no promise: the version of OpenAPI.
const DOCUMENT_PARTS: [&str; 8] = [
    "components",
    "info",
    "openapi",
    "paths",
    "security",
    "servers",
    "tags",
    "x-unrouted-responses",
];

const OPERATION_PARTS: [&str; 4] = ["parameters", "requestBody", "responses", "security"];

/// `style` and `explode` say something of lists and objects only.
const PARAMETER_PARTS: [&str; 6] = ["content", "explode", "in", "name", "schema", "style"];

/// What the emitted document makes of each element.
pub fn compare(document: &Document, emitted: &Document) -> Vec<Use> {
    let mut comparison = Comparison { document, emitted, uses: Vec::new(), open: Vec::new() };
    comparison.all();
    comparison.uses
}

pub(super) struct Comparison<'d> {
    pub(super) document: &'d Document,
    pub(super) emitted: &'d Document,
    uses: Vec<Use>,
    /// The schemas around the compared one.
    pub(super) open: Vec<String>,
}

type Members = Map<String, Value>;

impl<'d> Comparison<'d> {
    pub(super) fn note(
        &mut self,
        site: &Site,
        member: &str,
        pointer: &str,
        ours: Option<&Value>,
        theirs: Option<&Value>,
    ) {
        self.uses.extend(site.compared(member, pointer, ours, theirs));
    }

    fn all(&mut self) {
        let (ours, theirs) = (self.document.value(), self.emitted.value());
        self.leaves(
            &Site::outside("document"),
            "",
            members(ours),
            members(theirs),
            &DOCUMENT_PARTS,
        );
        let info = |value: &'d Value| value.get("info").and_then(members);
        self.leaves(&Site::outside("info"), "/info", info(ours), info(theirs), &[]);
        self.listed("server", "/servers", "url");
        self.listed("tag", "/tags", "name");
        self.security_schemes();
        for operation in self.document.operations() {
            let same = |other: &&Operation| {
                (other.method, &other.path) == (operation.method, &operation.path)
            };
            let emitted = self.emitted.operations().iter().find(same);
            self.operation(operation, emitted);
        }
        for operation in self.emitted.operations() {
            let same = |other: &Operation| {
                (other.method, &other.path) == (operation.method, &operation.path)
            };
            if !self.document.operations().iter().any(same) {
                let name = json!(format!("{} {}", operation.method, operation.path));
                self.note(&Site::outside("operation"), "", "/paths", None, Some(&name));
            }
        }
        for response in self.document.unrouted_responses() {
            let status = response.status.to_string();
            let site = Site::outside("").response("unrouted", &status);
            let place = at("/x-unrouted-responses", &[&status]);
            self.response(&site, &place, response, None);
        }
    }

    /// The members of an object, apart from those that are compared in another way.
    fn leaves(
        &mut self,
        site: &Site,
        place: &str,
        ours: Option<&Members>,
        theirs: Option<&Members>,
        others: &[&str],
    ) {
        let mut seen: Vec<&String> = ours.into_iter().flat_map(Map::keys).collect();
        let added = theirs.into_iter().flat_map(Map::keys);
        seen.extend(added.filter(|name| !ours.is_some_and(|ours| ours.contains_key(*name))));
        for name in seen.into_iter().filter(|name| !others.contains(&name.as_str())) {
            let of = |members: Option<&Members>| {
                members.and_then(|members| spelling::member(name, members.get(name)?))
            };
            let (said, emitted) = (of(ours), of(theirs));
            self.note(site, name, &at(place, &[name]), said.as_ref(), emitted.as_ref());
        }
    }

    /// The objects of a list of the document, which a member names.
    fn listed(&mut self, kind: &str, place: &str, name: &str) {
        let of = |document: &'d Document| -> Vec<&'d Members> {
            let list = document.value().pointer(place).and_then(Value::as_array);
            list.into_iter().flatten().filter_map(Value::as_object).collect()
        };
        let (ours, theirs) = (of(self.document), of(self.emitted));
        let site = Site::outside(kind);
        for (index, one) in ours.iter().enumerate() {
            let other = theirs.iter().copied().find(|other| other.get(name) == one.get(name));
            let place = at(place, &[&index.to_string()]);
            self.leaves(&site, &place, Some(one), other, &[]);
        }
        for other in
            theirs.iter().filter(|other| !ours.iter().any(|one| one.get(name) == other.get(name)))
        {
            self.note(&site, "", place, None, other.get(name));
        }
    }

    fn security_schemes(&mut self) {
        const PLACE: &str = "/components/securitySchemes";
        let of = |document: &'d Document| document.value().pointer(PLACE).and_then(members);
        let (ours, theirs) = (of(self.document), of(self.emitted));
        for (name, scheme) in ours.into_iter().flatten() {
            let site = Site::outside("security-scheme").deeper(name);
            let emitted = theirs.and_then(|theirs| members(theirs.get(name)?));
            self.leaves(&site, &at(PLACE, &[name]), members(scheme), emitted, &[]);
        }
    }

    fn operation(&mut self, ours: &Operation, theirs: Option<&Operation>) {
        let site = Site::of(ours);
        let name = json!(format!("{} {}", ours.method, ours.path));
        self.note(&site, "", &ours.pointer, Some(&name), theirs.map(|_| &name));
        let (said, emitted) = (
            object(self.document, &ours.pointer),
            theirs.and_then(|theirs| object(self.emitted, &theirs.pointer)),
        );
        self.leaves(&site, &ours.pointer, said, emitted, &OPERATION_PARTS);
        self.security(&site, ours, theirs);
        for parameter in &ours.parameters {
            let known = theirs.and_then(|theirs| find_parameter(&theirs.parameters, parameter));
            self.parameter(&site, ours, parameter, known);
        }
        for added in theirs.into_iter().flat_map(|theirs| &theirs.parameters) {
            if find_parameter(&ours.parameters, added).is_none() {
                let site = site.part(added.location.as_str(), "");
                self.note(&site, "", &ours.pointer, None, Some(&json!(added.name)));
            }
        }
        self.body(&site, ours, theirs.and_then(|theirs| theirs.body.as_ref()));
        for response in &ours.responses {
            let known = theirs.and_then(|theirs| {
                theirs.responses.iter().find(|known| known.status == response.status)
            });
            let status = response.status.to_string();
            let place = at(&ours.pointer, &["responses", &status]);
            self.response(&site.response("response", &status), &place, response, known);
        }
        for added in theirs.into_iter().flat_map(|theirs| &theirs.responses) {
            if !ours.responses.iter().any(|response| response.status == added.status) {
                let status = json!(added.status.to_string());
                let place = at(&ours.pointer, &["responses"]);
                self.note(&site.part("response", ""), "", &place, None, Some(&status));
            }
        }
    }

    /// The requirements that apply, written for all operations or for this one.
    fn security(&mut self, site: &Site, ours: &Operation, theirs: Option<&Operation>) {
        let own = at(&ours.pointer, &["security"]);
        let is_own = self.document.value().pointer(&own).is_some();
        let place = if is_own { own } else { "/security".to_owned() };
        let of = |operation: &Operation| {
            (!operation.security.is_empty()).then(|| json!(operation.security))
        };
        let (said, emitted) = (of(ours), theirs.and_then(of));
        self.note(site, "security", &place, said.as_ref(), emitted.as_ref());
    }

    fn parameter(
        &mut self,
        site: &Site,
        operation: &Operation,
        ours: &Parameter,
        theirs: Option<&Parameter>,
    ) {
        let site = site.part(ours.location.as_str(), &format!("{} {}", ours.location, ours.name));
        let name = json!(ours.name);
        let place = self.parameter_place(operation, ours);
        self.note(&site, "", &place, Some(&name), theirs.map(|_| &name));
        let (said, emitted) = (
            object(self.document, &ours.pointer),
            theirs.and_then(|theirs| object(self.emitted, &theirs.pointer)),
        );
        self.leaves(&site, &ours.pointer, said, emitted, &PARAMETER_PARTS);
        let Some(schema) = &ours.schema_pointer else { return };
        let is_compound =
            matches!(Flat::of(self.document, schema).text("type"), Some("array" | "object"));
        if is_compound {
            let written = |parameter: &Parameter| json!([parameter.style, parameter.explode]);
            let emitted = theirs.map(written);
            let place = at(&ours.pointer, &["style"]);
            self.note(&site, "style", &place, Some(&written(ours)), emitted.as_ref());
        }
        let emitted = theirs.and_then(|theirs| theirs.schema_pointer.as_deref());
        self.schema(&site.inside("schema", ""), schema, emitted);
    }

    /// Where the operation or its path names the parameter, perhaps by a reference.
    fn parameter_place(&self, operation: &Operation, parameter: &Parameter) -> String {
        let path = operation.pointer.rfind('/').map_or("", |end| &operation.pointer[..end]);
        let mut places = [operation.pointer.as_str(), path].into_iter().flat_map(|owner| {
            let list = at(owner, &["parameters"]);
            let count = self.document.value().pointer(&list).and_then(Value::as_array);
            let count = count.map_or(0, Vec::len);
            (0..count).map(move |index| at(&list, &[&index.to_string()])).collect::<Vec<_>>()
        });
        let is_it = |place: &String| resolved(self.document, place).pointer == parameter.pointer;
        places.find(is_it).unwrap_or_else(|| parameter.pointer.clone())
    }

    fn body(&mut self, site: &Site, ours: &Operation, theirs: Option<&RequestBody>) {
        let site = site.part("body", "body");
        let place = at(&ours.pointer, &["requestBody"]);
        let is_there = json!(true);
        let said = ours.body.as_ref();
        self.note(&site, "", &place, said.map(|_| &is_there), theirs.map(|_| &is_there));
        let Some(ours) = said else { return };
        let (said, emitted) = (
            object(self.document, &ours.pointer),
            theirs.and_then(|theirs| object(self.emitted, &theirs.pointer)),
        );
        self.leaves(&site, &ours.pointer, said, emitted, &["content"]);
        self.content(&site, &ours.pointer, &ours.content, theirs.map(|body| &*body.content));
    }

    fn response(&mut self, site: &Site, place: &str, ours: &Response, theirs: Option<&Response>) {
        let status = json!(ours.status.to_string());
        self.note(site, "", place, Some(&status), theirs.map(|_| &status));
        let (said, emitted) = (
            object(self.document, &ours.pointer),
            theirs.and_then(|theirs| object(self.emitted, &theirs.pointer)),
        );
        self.leaves(site, &ours.pointer, said, emitted, &["content", "headers"]);
        let same = |one: &Header, other: &Header| one.name.eq_ignore_ascii_case(&other.name);
        let emitted = theirs.map(|theirs| &*theirs.headers).unwrap_or_default();
        for header in &ours.headers {
            let known = emitted.iter().find(|known| same(known, header));
            let place = at(&ours.pointer, &["headers", &header.name]);
            self.header(site, &place, header, known);
        }
        for added in emitted.iter().filter(|added| !ours.headers.iter().any(|one| same(one, added)))
        {
            self.note(site, "header", &ours.pointer, None, Some(&json!(added.name)));
        }
        self.content(site, &ours.pointer, &ours.content, theirs.map(|known| &*known.content));
    }

    fn header(&mut self, site: &Site, place: &str, ours: &Header, theirs: Option<&Header>) {
        let site = site.inside("header", &ours.name);
        let name = json!(ours.name);
        self.note(&site, "", place, Some(&name), theirs.map(|_| &name));
        let (said, emitted) = (
            object(self.document, &ours.pointer),
            theirs.and_then(|theirs| object(self.emitted, &theirs.pointer)),
        );
        self.leaves(
            &site,
            &ours.pointer,
            said,
            emitted,
            &["content", "explode", "schema", "style"],
        );
        if let Some(schema) = &ours.schema_pointer {
            let emitted = theirs.and_then(|theirs| theirs.schema_pointer.as_deref());
            self.schema(&site.inside("schema", ""), schema, emitted);
        }
    }

    /// The representations of a body; the examples of each are elements one by one.
    fn content(
        &mut self,
        site: &Site,
        place: &str,
        ours: &[MediaType],
        theirs: Option<&[MediaType]>,
    ) {
        let theirs = theirs.unwrap_or_default();
        let same = |one: &MediaType, other: &MediaType| {
            spelling::media_type(&one.content_type) == spelling::media_type(&other.content_type)
        };
        for media in ours {
            let known = theirs.iter().find(|known| same(known, media));
            let name = json!(spelling::media_type(&media.content_type));
            self.note(site, "media-type", &media.pointer, Some(&name), known.map(|_| &name));
            let (said, emitted) = (
                object(self.document, &media.pointer),
                known.and_then(|known| object(self.emitted, &known.pointer)),
            );
            self.leaves(site, &media.pointer, said, emitted, &["examples", "schema"]);
            let examples = said.and_then(|said| members(said.get("examples")?));
            for (name, _) in examples.into_iter().flatten() {
                let place = at(&media.pointer, &["examples", name]);
                self.note(site, "example", &place, Some(&json!(name)), None);
            }
            if let Some(schema) = &media.schema_pointer {
                let emitted = known.and_then(|known| known.schema_pointer.as_deref());
                self.schema(&site.inside("schema", ""), schema, emitted);
            }
        }
        for added in theirs.iter().filter(|added| !ours.iter().any(|one| same(one, added))) {
            self.note(site, "media-type", place, None, Some(&json!(added.content_type)));
        }
    }
}

fn members(value: &Value) -> Option<&Members> {
    value.as_object()
}

fn object<'d>(document: &'d Document, pointer: &str) -> Option<&'d Members> {
    let Resolved { value, .. } = resolved(document, pointer);
    value.as_object()
}

/// The names of headers are the same in capitals.
fn find_parameter<'p>(parameters: &'p [Parameter], wanted: &Parameter) -> Option<&'p Parameter> {
    parameters.iter().find(|known| {
        known.location == wanted.location
            && match wanted.location {
                Location::Header => known.name.eq_ignore_ascii_case(&wanted.name),
                _ => known.name == wanted.name,
            }
    })
}
