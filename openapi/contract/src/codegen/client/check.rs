//! Finds what the client does not have, with its place and a fix, before anything is generated.

use http::HeaderName;
use openapi_document::{Diagnostic, Document, Location, pointer::join};

use super::Api;
use crate::codegen::{
    answers,
    model::{Model, Operation, Parameter},
    names::value_name,
    read::diagnostic,
};

/// The beginning of a problem that the client alone has.
pub(in crate::codegen) const OF_CLIENT: &str = "the client: ";

/// Methods of the client that no operation makes.
const METHODS: [&str; 5] = ["api_version", "builder", "clone", "new", "request"];

/// Reports operations that the configured client, or the file of its answers, cannot have.
pub(in crate::codegen) fn check(model: &Model, document: &Document) -> Vec<Diagnostic> {
    let Some(client) = &model.config.client else { return Vec::new() };
    let api = Api::new(model, document, client);
    let mut check = Check { api: &api, found: Vec::new() };
    api.operations.iter().for_each(|operation| check.operation(operation));
    for id in &client.leave_out {
        if !model.operations.iter().any(|operation| operation.id == *id) {
            let problem = format!("`leave-out` names `{id}`, which is no operation of the server");
            check.report("/paths", problem, "remove it from `leave-out` of `[client]`");
        }
    }
    let mut found = check.found;
    if client.answers.is_some() {
        found.extend(answers::generate(model, document).err().into_iter().flatten());
    }
    found
}

struct Check<'a> {
    api: &'a Api<'a>,
    found: Vec<Diagnostic>,
}

impl Check<'_> {
    fn report(&mut self, at: &str, problem: impl Into<String>, help: &str) {
        let problem = format!("{OF_CLIENT}{}", problem.into());
        self.found.push(diagnostic(self.api.document, at, problem, Some(help.to_owned())));
    }

    fn operation(&mut self, operation: &Operation) {
        let documented = self.api.documented(operation);
        let at = &documented.pointer;
        let method = value_name(&operation.id).to_string();
        if METHODS.contains(&method.as_str()) {
            let problem = format!("it has a method `{method}` itself");
            self.report(at, problem, "give the operation another `operationId`");
        }
        let is_plain =
            |character: char| character.is_ascii_graphic() && !"\"<>?#\\`^|".contains(character);
        if !operation.path.starts_with('/') || !operation.path.chars().all(is_plain) {
            let problem = format!("`{}` is no path of a URL", operation.path);
            self.report(at, problem, "begin it with `/`, and encode other characters with `%`");
        }
        for parameter in &operation.parameters {
            let is_it = |known: &&openapi_document::Parameter| {
                known.name == parameter.name && known.location == parameter.location
            };
            if let Some(known) = documented.parameters.iter().find(is_it) {
                self.parameter(&known.pointer, parameter);
            }
        }
        let format = operation.body_formats.first();
        let content = documented.body.as_ref().map(|body| join(&body.pointer, "content"));
        if let (Some(format), Some(at)) = (format, content)
            && format.media_type.contains('*')
        {
            let problem = format!("it cannot send a body as `{}`", format.media_type);
            let help = "name the media type, such as `application/octet-stream`";
            self.report(&at, problem, help);
        }
    }

    fn parameter(&mut self, at: &str, parameter: &Parameter) {
        let (location, name) = (parameter.location, &parameter.name);
        if location == Location::Cookie {
            let help = "declare it in a header or in the query";
            return self.report(at, format!("it sends no cookie `{name}`"), help);
        }
        if location == Location::Header {
            let is_name = HeaderName::from_bytes(name.as_bytes()).is_ok();
            if !is_name || name.eq_ignore_ascii_case("content-type") {
                let problem = format!("it cannot set a header `{name}`");
                return self.report(at, problem, "rename it, or leave it out");
            }
        }
        if location != Location::Query && !self.api.is_one_text(&parameter.value) {
            let place = location.to_string();
            let problem = format!("it cannot write the value of `{name}` in a {place}");
            self.report(at, problem, "give it one type: a text, a number or a boolean");
        }
    }
}
