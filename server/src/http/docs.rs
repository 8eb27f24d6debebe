//! The document as YAML and as JSON, and a page to read it, which loads nothing from elsewhere. The
//! framework's own version of the document is not served: it lacks a third of it.

use std::sync::LazyLock;

use poem::{
    IntoResponse, Response,
    http::{Method, header},
};
use poem_openapi::OpenApiService;
use serde_json::{Value, json};

use crate::contract::{Problem, types::ErrorCode};

/// `openapi/api.yaml`, to the byte.
pub const DOCUMENT: &str = include_str!("../../../openapi/api.yaml");

static JSON: LazyLock<Value> = LazyLock::new(|| {
    let document = openapi_document::Document::parse("openapi/api.yaml", DOCUMENT);
    document.expect("a test loads the document").value().clone()
});

static JSON_TEXT: LazyLock<String> = LazyLock::new(|| JSON.to_string());

/// The framework's page of the viewer, with our document in place of its own, and with its
/// extensions, which the viewer hides by default.
static PAGE: LazyLock<String> = LazyLock::new(|| {
    let service = OpenApiService::new((), "", "");
    let mut document = JSON.clone();
    name_shapes(&mut document);
    // "Try it out" calls the server that shows the page.
    if let Some(servers) = document["servers"].as_array_mut() {
        servers.insert(0, json!({ "url": "/", "description": "This server" }));
    }
    // A `</script>` in a text of the document would end the script around it.
    let document = document.to_string().replace("</", "<\\/");
    let page = service.swagger_ui_html();
    let page = page.replacen(&service.spec(), &document, 1);
    let page = page.replacen("deepLinking: true,", SETTINGS, 1);
    page.replacen("<title>Swagger UI</title>", HEAD, 1)
});

const SETTINGS: &str = include_str!("docs/settings.js");

/// An operation's extensions, such as its scope, come after its description, not after all its
/// responses.
const HEAD: &str = "<title>Partner and Commission Payout API</title>
<style>
.opblock-body { display: flex; flex-direction: column; }
.opblock-body > .opblock-description-wrapper { order: -2; }
.opblock-body > .opblock-section:last-child { order: -1; }
</style>";

/// Replaces each reference in `x-by-code` by the name of its schema. The viewer shows an extension
/// as JSON in one line, with whole schemas where they are referred to.
fn name_shapes(value: &mut Value) {
    if let Some(shapes) = value.get_mut("x-by-code").and_then(Value::as_object_mut) {
        for shape in shapes.values_mut() {
            if let Some((_, name)) = shape["$ref"].as_str().and_then(|path| path.rsplit_once('/')) {
                *shape = name.into();
            }
        }
    }
    match value {
        Value::Object(members) => members.values_mut().for_each(name_shapes),
        Value::Array(items) => items.iter_mut().for_each(name_shapes),
        _ => {}
    }
}

/// Answers these paths; `None` for all others.
pub(super) fn answer(method: &Method, path: &str) -> Option<Response> {
    let (content_type, text): (_, &'static str) = match path {
        "/openapi.yaml" => ("application/yaml", DOCUMENT),
        "/openapi.json" => ("application/json", &JSON_TEXT),
        "/docs" | "/docs/" => ("text/html; charset=utf-8", &PAGE),
        _ => return None,
    };
    if method != Method::GET && method != Method::HEAD {
        let problem = Problem::new(ErrorCode::MethodNotAllowed, "This path allows only GET, HEAD.");
        return Some(problem.with_header(header::ALLOW, "GET, HEAD").into_response());
    }
    let response =
        Response::builder().content_type(content_type).header("x-content-type-options", "nosniff");
    Some(response.body(text))
}

#[cfg(test)]
mod tests;
