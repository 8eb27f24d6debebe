//! The limits of a request's head, and its one `host`. The HTTP library reads heads of twice these
//! sizes, so that the response to a head that is too large can have the error envelope and its
//! headers.

use poem::{
    Request,
    http::{StatusCode, Uri, Version, header},
};

use super::limits::{HEAD_SIZE_BYTES, HEADERS_LIMIT, URI_SIZE_BYTES};

/// The response to a head that is rejected.
#[derive(Debug)]
pub(super) struct HeadProblem {
    pub(super) status: StatusCode,
    pub(super) code: &'static str,
    pub(super) message: String,
}

/// Returns the first rule that the head of `request` breaks.
pub(super) fn problem(request: &Request) -> Option<HeadProblem> {
    if path_and_query_bytes(request.uri()) > URI_SIZE_BYTES {
        return Some(HeadProblem {
            status: StatusCode::URI_TOO_LONG,
            code: "URI_TOO_LONG",
            message: format!("The address is longer than {URI_SIZE_BYTES} bytes."),
        });
    }
    let hosts = request.headers().get_all(header::HOST).iter().count();
    if hosts > 1 || hosts == 0 && request.version() == Version::HTTP_11 {
        // A proxy and this server might each read another one of two (RFC 9112 §3.2).
        return Some(HeadProblem {
            status: StatusCode::BAD_REQUEST,
            code: "INVALID_HOST",
            message: format!("The request has {hosts} headers `host`; it must have one."),
        });
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
    Some(HeadProblem {
        status: StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        code: "HEADERS_TOO_LARGE",
        message,
    })
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
