//! One valid, repeatable request for each operation: it always gets the same response and changes
//! nothing. An operation without one fails.

use payout_openapi::Operation;
use poem::http::Method;

use crate::support::{TestRequest, TestServer};

/// The requests of one operation, on the data set's organisation main.
pub(super) struct Fixture {
    /// The path of the repeatable request.
    pub path: &'static str,
    /// Its body.
    pub body: Option<&'static str>,
    /// Its status for a valid key.
    pub admitted: u16,
    /// A path that returns 200 at least once.
    pub success_path: &'static str,
    /// A path with unknown ids.
    pub absent_path: Option<&'static str>,
}

/// The requests of `operation`.
pub(super) fn fixture(operation: &Operation) -> Fixture {
    match operation.id.as_str() {
        "listPartners" => read("/api/v1/partners", None),
        "getPartner" => read(
            "/api/v1/partners/ptn_01JV3N8Q5R0000000000000001",
            Some("/api/v1/partners/ptn_01JV3N8Q5RZZZZZZZZZZZZZZZZ"),
        ),
        "updatePartner" => Fixture {
            body: Some("{}"),
            ..read(
                "/api/v1/partners/ptn_01JV3N8Q5R0000000000000001",
                Some("/api/v1/partners/ptn_01JV3N8Q5RZZZZZZZZZZZZZZZZ"),
            )
        },
        "listCommissionLines" => read("/api/v1/commission-lines", None),
        // A line of the pending pool: it is rejected each time, whereas an attached one would be
        // detached once.
        "detachCommissionLine" => Fixture {
            admitted: 422,
            success_path: "/api/v1/commission-lines/cln_01JV3N8Q5R000000000000001Q/detach",
            ..read(
                "/api/v1/commission-lines/cln_01JV3N8Q5R0000000000000032/detach",
                Some("/api/v1/commission-lines/cln_01JV3N8Q5RZZZZZZZZZZZZZZZZ/detach"),
            )
        },
        "getPayout" => read(
            "/api/v1/payouts/pay_01JV3N8Q5R0000000000000001",
            Some("/api/v1/payouts/pay_01JV3N8Q5RZZZZZZZZZZZZZZZZ"),
        ),
        // Generated once; then the same document each time.
        "generateStatement" => read(
            "/api/v1/payouts/pay_01JV3N8Q5R0000000000000001/statement",
            Some("/api/v1/payouts/pay_01JV3N8Q5RZZZZZZZZZZZZZZZZ/statement"),
        ),
        other => panic!("give the operation {other} a fixture here, so that the matrices test it"),
    }
}

/// A request without a key to `path`, with the operation's method and the fixture's body.
pub(super) fn request(server: &TestServer, operation: &Operation, path: &str) -> TestRequest {
    let method = Method::from_bytes(operation.method.as_str().as_bytes()).unwrap();
    let request = server.request(method, path);
    match fixture(operation).body {
        Some(body) => request.header("content-type", "application/json").body(body),
        None => request,
    }
}

const fn read(path: &'static str, absent_path: Option<&'static str>) -> Fixture {
    Fixture { path, body: None, admitted: 200, success_path: path, absent_path }
}
