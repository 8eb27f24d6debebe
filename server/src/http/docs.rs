//! The document as YAML and as JSON, and a page to read it, which loads nothing from elsewhere. The
//! framework's own version of the document is not served: it lacks a third of it.

use std::{io::Write as _, sync::LazyLock};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use poem::{
    IntoResponse, Request, Response,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
};
use poem_openapi::OpenApiService;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::contract::{Problem, types::ErrorCode};

/// `openapi/api.yaml`, to the byte.
pub const DOCUMENT: &str = include_str!("../../../openapi/api.yaml");

/// The document as JSON, which `cargo xtask codegen` writes.
const JSON_TEXT: &str = include_str!("docs/openapi.json");

static JSON: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(JSON_TEXT).expect("codegen writes JSON"));

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

/// One of the three texts, compressed once.
struct Page {
    content_type: &'static str,
    text: &'static str,
    compressed: Vec<u8>,
    /// The entity tag of the text; that of the compressed form has a suffix.
    tag: String,
    policy: String,
}

static PAGES: LazyLock<[Page; 3]> = LazyLock::new(|| {
    [
        Page::new("application/yaml", DOCUMENT, NO_SCRIPTS.to_owned()),
        Page::new("application/json", JSON_TEXT, NO_SCRIPTS.to_owned()),
        Page::new("text/html; charset=utf-8", &PAGE, policy(&PAGE)),
    ]
});

const NO_SCRIPTS: &str = "default-src 'none'; frame-ancestors 'none'";
const CACHE_CONTROL: &str = "public, max-age=300";

/// Allows the page's own scripts by their hashes, its styles and pictures, and calls of this
/// server, and nothing else.
fn policy(page: &str) -> String {
    let mut policy = "default-src 'none'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; connect-src 'self'; img-src 'self' data:; \
                      font-src data:; style-src 'unsafe-inline'; script-src"
        .to_owned();
    let mut rest = page;
    while let Some((_, script)) = rest.split_once("<script") {
        let (script, after) = script.split_once("</script>").unwrap_or((script, ""));
        let text = script.split_once('>').map_or("", |(_, text)| text);
        policy.push_str(&format!(" 'sha256-{}'", STANDARD.encode(Sha256::digest(text))));
        rest = after;
    }
    policy
}

impl Page {
    fn new(content_type: &'static str, text: &'static str, policy: String) -> Self {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let compressed = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
        let compressed = compressed.expect("memory takes any bytes");
        let tag = hex::encode(&Sha256::digest(text)[..16]);
        Self { content_type, text, compressed, tag, policy }
    }

    fn respond(&'static self, headers: &HeaderMap) -> Response {
        let is_compressed = accepts_gzip(headers);
        let tag = format!("\"{}{}\"", self.tag, if is_compressed { "-gzip" } else { "" });
        let mut response = Response::builder()
            .header(header::ETAG, &tag)
            .header(header::CACHE_CONTROL, CACHE_CONTROL)
            .header(header::VARY, "accept-encoding")
            .header(header::CONTENT_SECURITY_POLICY, &self.policy)
            .header(header::X_FRAME_OPTIONS, "DENY")
            .header(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
        let mut known = items(headers, header::IF_NONE_MATCH);
        if known.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag) {
            return response.status(StatusCode::NOT_MODIFIED).finish();
        }
        response = response.content_type(self.content_type);
        if is_compressed {
            let response = response.header(header::CONTENT_ENCODING, "gzip");
            return response.body(Bytes::from_static(&self.compressed));
        }
        response.body(self.text)
    }
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    items(headers, header::ACCEPT_ENCODING).any(|item| {
        let (coding, weight) = item.split_once(';').unwrap_or((item, "q=1"));
        let weight = weight.trim().strip_prefix("q=");
        // `q=0` and `q=0.000` refuse it.
        let is_zero = |weight: &str| weight.trim_matches(['0', '.']).is_empty();
        coding.trim().eq_ignore_ascii_case("gzip") && !weight.is_none_or(is_zero)
    })
}

fn items(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

/// Answers these paths; `None` for all others.
pub(super) fn answer(request: &Request) -> Option<Response> {
    let index = match request.uri().path() {
        "/openapi.yaml" => 0,
        "/openapi.json" => 1,
        "/docs" | "/docs/" => 2,
        _ => return None,
    };
    if request.method() != Method::GET && request.method() != Method::HEAD {
        let problem = Problem::new(ErrorCode::MethodNotAllowed, "This path allows only GET, HEAD.");
        return Some(
            problem
                .with_header(header::ALLOW, HeaderValue::from_static("GET, HEAD"))
                .into_response(),
        );
    }
    Some(PAGES[index].respond(request.headers()))
}

#[cfg(test)]
mod tests;
