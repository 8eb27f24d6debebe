//! The variation of a connection; those of responses are in `variations.toml`.

use hyper::server::conn::http1;

use crate::proxy::prelude::*;

/// Names of headers begin with capitals.
#[fault("§4")]
fn allowed_title_case_headers(builder: &mut http1::Builder) {
    builder.title_case_headers(true);
}
