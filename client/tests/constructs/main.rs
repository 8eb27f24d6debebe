//! The client of the document `constructs.yaml`, which has each construct that the generator
//! accepts: it compiles with the support of this crate, writes requests as the document says, and
//! reads every success.

#![expect(clippy::unwrap_used, reason = "a panic names its line")]
#![allow(dead_code, unused_imports, unused_macros, reason = "another document uses more of it")]
#![allow(clippy::disallowed_types, reason = "numbers of a document, no money")]

#[path = "../../src/alternatives.rs"]
mod alternatives;
#[allow(unreachable_pub, clippy::all, reason = "generated code")]
mod generated;
#[path = "../../src/operation.rs"]
mod operation;
#[path = "../../src/api/pages.rs"]
mod pages;
#[path = "../../src/api/request.rs"]
mod request;
#[path = "../../src/api/response.rs"]
mod response;
#[path = "../../src/api/rules.rs"]
mod rules;
mod support;
#[path = "../../src/texts.rs"]
mod texts;

use payout_client::{Bytes, Change, Timestamp, UnknownFields};
use reqwest::{Request, header::HeaderMap};
use serde_json::{Value, json};

use self::{
    generated::{Client, ErrorCode, Operation, types},
    operation::Idempotency,
    response::{Response, Success},
    support::{
        DecodeError, Error, ErrorResponse, Meters, TransportError, call, client, error_response,
        open_sets, sent, transport,
    },
};
use types::{Cat, Changes, Dog, Form, GenReply, Job, Mixed, Pet, Range, StartReply, Ticket};

/// Sends a call, and returns the request, with its body after a blank.
macro_rules! request {
    ($call:expr) => {{
        let _ = $call.send().await;
        sent()
    }};
}

#[tokio::test]
async fn requests_are_written_as_the_document_says() {
    let client = client(204, "");
    let job = Job::builder("a").r#gen(1).default(true);
    let call = client.r#gen(7, "acme", job).body_parameter("b").client_parameter("c").r#gen("g");
}
