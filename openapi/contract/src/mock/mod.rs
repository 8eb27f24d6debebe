//! `contract mock`: serves a document without code. [`replies`] are made when it starts;
//! [`request`] judges a request by the schemas of the document; nothing is kept between requests.

mod prefer;
mod replies;
mod request;
#[cfg(test)]
mod tests;

use std::{cmp::Reverse, path::PathBuf, sync::Arc};

use openapi_document::{Document, Operation, pointer::percent_decoded};
use poem::{
    Endpoint, Request, Response, Server,
    http::{StatusCode, header},
    listener::{Acceptor as _, Listener as _, TcpListener},
};

use self::{
    prefer::Preference,
    replies::Replies,
    request::{Judge, Rejection},
};
use crate::{
    Result,
    codegen::ErrorConfig,
    output::{print_line, write_error},
    project::Project,
    validators::Validators,
};

#[derive(Debug, clap::Args)]
pub struct Options {
    /// The document; without it, the configuration's
    document: Option<PathBuf>,
    /// The address; port 0 for a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4010")]
    listen: String,
}

/// The largest body of a request, in bytes.
const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// Serves the document until the program is stopped.
pub(crate) fn run(options: &Options, project: &Project) -> Result<bool> {
    let path = project.document(options.document.as_ref());
    let document = project.load_document(&path)?;
    let (mock, notes) = Mock::of(&document, &project.config.error);
    notes.iter().for_each(write_error);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let acceptor = TcpListener::bind(options.listen.clone()).into_acceptor().await;
        let acceptor = acceptor.map_err(|error| {
            let help = "write --listen HOST:PORT, with port 0 for a free one";
            format!("the mock cannot listen at {}: {error}; {help}", options.listen)
        })?;
        let address = acceptor.local_addr().into_iter().next();
        let address = address.and_then(|it| it.as_socket_addr().copied());
        let address = address.map_or_else(|| options.listen.clone(), |it| it.to_string());
        print_line!("{} is served at http://{address}", path.display());
        Server::new_with_acceptor(acceptor).run(Arc::new(mock)).await?;
        Ok(true)
    })
}

/// A served document.
struct Mock {
    /// The path of the first server, such as `/v1`, which a request may have before its path.
    base: String,
    routes: Vec<Route>,
}

struct Route {
    method: &'static str,
    /// The segments of the path template.
    segments: Vec<String>,
    judge: Judge,
    replies: Replies,
}

impl Mock {
    /// Prepares every answer; also returns what cannot be made as its schema says.
    fn of(document: &Document, error: &ErrorConfig) -> (Self, Vec<String>) {
        let (mut notes, mut validators) = (Vec::new(), Validators::of(document));
        let route = |operation: &Operation| Route {
            method: operation.method.as_str(),
            segments: segments(&operation.path).map(str::to_owned).collect(),
            judge: Judge::of(document, operation, &mut validators),
            replies: Replies::of(document, operation, error, &mut validators, &mut notes),
        };
        let routes = document.operations().iter().map(route).collect();
        let server = document.value().pointer("/servers/0/url").and_then(|url| url.as_str());
        let server = server.unwrap_or_default();
        let after_scheme = server.split_once("://").map_or(server, |(_, rest)| rest);
        let base = after_scheme.find('/').map_or("", |start| &after_scheme[start..]);
        notes.dedup();
        (Self { base: base.trim_end_matches('/').to_owned(), routes }, notes)
    }

    async fn respond(&self, mut request: Request) -> Response {
        let path = request.uri().path().to_owned();
        let below = path.strip_prefix(&self.base).filter(|below| below.starts_with('/'));
        let path = below.unwrap_or(&path);
        let mut found: Vec<(&Route, Vec<(String, String)>)> = Vec::new();
        for route in &self.routes {
            found.extend(route.arguments(path).map(|arguments| (route, arguments)));
        }
        // The template with the fewest parameters is the most exact one, then the longest.
        found.sort_by_key(|(route, arguments)| {
            let length: usize = route.segments.iter().map(String::len).sum();
            (arguments.len(), Reverse(length))
        });
        let fewest = found.first().map_or(0, |(_, arguments)| arguments.len());
        let same = found.iter().filter(|(_, arguments)| arguments.len() == fewest);
        let allowed: Vec<&str> = same.map(|(route, _)| route.method).collect();
        let Some((route, arguments)) =
            found.iter().find(|(route, _)| route.method == request.method().as_str())
        else {
            return match allowed.is_empty() {
                true => text(StatusCode::NOT_FOUND, &format!("the document has no path {path}")),
                false => {
                    let problem = format!("the path has the methods {}", allowed.join(", "));
                    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, &problem);
                    if let Ok(allowed) = allowed.join(", ").parse() {
                        response.headers_mut().insert(header::ALLOW, allowed);
                    }
                    response
                }
            };
        };
        let preference = match Preference::of(request.headers()) {
            Ok(preference) => preference,
            Err(problem) => return text(StatusCode::BAD_REQUEST, &problem),
        };
        let Ok(body) = request.take_body().into_bytes_limit(BODY_LIMIT).await else {
            let problem = format!("the body has more than {BODY_LIMIT} bytes");
            return text(StatusCode::PAYLOAD_TOO_LARGE, &problem);
        };
        let accept = request.headers().get(header::ACCEPT).and_then(|it| it.to_str().ok());
        // Who asks for an answer gets it, whatever the request is.
        if preference.status.is_none() {
            let judged =
                route.judge.judge(arguments, request.uri().query(), request.headers(), &body);
            if let Err(rejection) = judged {
                return route.replies.rejected(&rejection, accept);
            }
        }
        match route.replies.choose(&preference, accept) {
            Ok(reply) => reply.response(),
            Err((status, problem)) => text(status, &problem),
        }
    }
}

impl Endpoint for Mock {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        Ok(self.respond(request).await)
    }
}

impl Route {
    /// The parameters of a path, decoded, if the template matches it.
    fn arguments(&self, path: &str) -> Option<Vec<(String, String)>> {
        let mut arguments = Vec::new();
        let mut given = segments(path);
        for template in &self.segments {
            let given = given.next()?;
            let Some((before, rest)) = template.split_once('{') else {
                let is_same = given == template
                    || given.contains('%') && percent_decoded(given)? == *template;
                if !is_same {
                    return None;
                }
                continue;
            };
            let (name, after) = rest.split_once('}')?;
            let value = given.strip_prefix(before)?.strip_suffix(after)?;
            arguments.push((name.to_owned(), percent_decoded(value)?));
        }
        (given.next().is_none() && arguments.iter().all(|(_, value)| !value.is_empty()))
            .then_some(arguments)
    }
}

fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').skip(1)
}

/// A response that the document does not have.
fn text(status: StatusCode, problem: &str) -> Response {
    Response::builder().status(status).content_type("text/plain").body(format!("{problem}\n"))
}
