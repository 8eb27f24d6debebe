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

/// The framework's page of the viewer, with our document in place of its own.
static PAGE: LazyLock<String> = LazyLock::new(|| {
    let service = OpenApiService::new((), "", "");
    let mut document = JSON.clone();
    // "Try it out" calls the server that shows the page.
    if let Some(servers) = document["servers"].as_array_mut() {
        servers.insert(0, json!({ "url": "/", "description": "This server" }));
    }
    // A `</script>` in a text of the document would end the script around it.
    let document = document.to_string().replace("</", "<\\/");
    let page = service.swagger_ui_html();
    let page = page.replacen(&service.spec(), &document, 1);
    page.replacen("<title>Swagger UI</title>", TITLE, 1)
});

const TITLE: &str = "<title>Partner and Commission Payout API</title>";

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
mod tests {
    use super::*;

    #[test]
    fn page_has_our_document_and_loads_nothing_from_elsewhere() {
        assert!(PAGE.contains("\"operationId\":\"detachCommissionLine\""));
        assert!(PAGE.contains(TITLE));
        assert!(PAGE.contains("\"description\":\"This server\""));
        assert!(!PAGE.contains("<script src"));
        assert!(!PAGE.contains("<link "));
    }

    #[test]
    fn json_and_yaml_are_equal() {
        let json: serde_json::Value = serde_json::from_str(&JSON_TEXT).unwrap();
        let yaml = openapi_document::Document::parse("api.yaml", DOCUMENT).unwrap();
        assert_eq!(&json, yaml.value());
    }
}
