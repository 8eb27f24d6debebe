//! The limits of a request's head, and its one `host`. The HTTP library reads heads of twice these
//! sizes, so that the response to a head that is too large can have the error envelope and its
//! headers.

use poem::{
    Request, Response,
    http::{StatusCode, Uri, Version, header},
};

use openapi_runtime::{AnsweredCode, Written as _};

use super::limits::{HEAD_SIZE_BYTES, HEADERS_LIMIT, URI_SIZE_BYTES};
use crate::contract::types::{Error, ErrorObject};

/// Rejects a head with the first rule that it breaks. The codes are not in the document, because
/// they belong to no operation.
pub(super) fn rejection(request: &Request) -> Option<Response> {
    if path_and_query_bytes(request.uri()) > URI_SIZE_BYTES {
        let message = format!("The address is longer than {URI_SIZE_BYTES} bytes.");
        return Some(response(StatusCode::URI_TOO_LONG, "URI_TOO_LONG", message));
    }
    let hosts = request.headers().get_all(header::HOST).iter().count();
    if hosts > 1 || hosts == 0 && request.version() == Version::HTTP_11 {
        // A proxy and this server might each read another one of two (RFC 9112 §3.2).
        let message = format!("The request has {hosts} headers `host`; it must have one.");
        return Some(response(StatusCode::BAD_REQUEST, "INVALID_HOST", message));
    }
    let count = request.headers().len();
    let message = if count > HEADERS_LIMIT {
        format!("The request has {count} headers; at most {HEADERS_LIMIT} are allowed.")
    } else if head_bytes(request) > HEAD_SIZE_BYTES {
        format!(
            "The request line and the headers are together larger than {HEAD_SIZE_BYTES} bytes."
        )
    } else {
        return None;
    };
    let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    Some(response(status, "HEADERS_TOO_LARGE", message))
}

fn response(status: StatusCode, code: &'static str, message: String) -> Response {
    let error = ErrorObject { code: code.to_owned(), message, details: None };
    let mut response = Error { error }.into_response_with(status);
    response.extensions_mut().insert(AnsweredCode(code));
    response
}

/// Counts the bytes of the head as HTTP/1.1 writes it, also where it arrived over HTTP/2.
fn head_bytes(request: &Request) -> usize {
    let uri = request.uri();
    let base = uri.scheme_str().map_or(0, |scheme| scheme.len() + 3)
        + uri.authority().map_or(0, |host| host.as_str().len());
    let method = request.method().as_str();
    let line = method.len() + base + path_and_query_bytes(uri) + "  HTTP/1.1\r\n".len();
    let headers = request.headers().iter();
    let headers = headers.map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len());
    line + headers.sum::<usize>() + "\r\n".len()
}

fn path_and_query_bytes(uri: &Uri) -> usize {
    uri.path_and_query().map_or(0, |uri| uri.as_str().len())
}
