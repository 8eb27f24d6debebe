//! A request provokes each example of a response in the document. Errors have equal status, code,
//! message and details; successes have equal keys and types.

use openapi_document::{Operation, Response, Status};
use openapi_runtime::Cursor;
use poem::http::Method;
use serde_json::Value;
use sqlx::AssertSqlSafe;

use super::{
    bodies::{attach_to, invalid_body, line_in, reused_body, unknown_references},
    document::{DOCUMENT, violations},
    fixtures::{self, fixture},
};
use crate::support::{Key, Replica, TestRequest, TestResponse, TestServer, dataset::*};

/// Examples that no request alone provokes; `statuses` does.
const NOT_PROVOKED: [&str; 4] =
    ["IDEMPOTENCY_IN_PROGRESS", "REQUEST_TIMEOUT", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE"];

/// The examples' waits are right at this time: 30 seconds before the next minute, and 86,370 before
/// the next month.
const TIME_OF_THE_EXAMPLES: &str = "2026-06-30T00:00:30.000Z";
const REQUESTS_PER_MINUTE: u32 = 120;
const ANOTHER_AMOUNT: &str = r#"{"amount": "1.23"}"#;
const LINES_OF_THE_LARGE_PAYOUT: u32 = 20_314;
const BODY_SIZE_BYTES: usize = 64 * 1024;

/// Objects whose keys are the customer's.
const MAPS: [&str; 4] =
    ["partnerObjectCrmProperties", "companyCrmProperties", "crmProperties", "metadata"];

#[tokio::test]
async fn every_example_of_a_response_is_a_response_of_the_server() {
    let deployment = Deployment::start().await;
    let routed = DOCUMENT.operations().iter().flat_map(|operation| {
        let responses = operation.responses.iter();
        responses.map(move |response| (Some(operation), response))
    });
    let unrouted = DOCUMENT.unrouted_responses().iter();
    let mut faults = Vec::new();
    let mut not_provoked = Vec::new();
    for (operation, response) in routed.chain(unrouted.map(|response| (None, response))) {
        for example in response.content.iter().flat_map(|media| &media.examples) {
            let name = example.name.as_deref().expect("examples of responses have names");
            let id = operation.map_or("unrouted", |operation| &operation.id);
            if NOT_PROVOKED.contains(&name) {
                not_provoked.push(name);
                continue;
            }
            let actual = match operation {
                Some(operation) => deployment.respond(operation, response, name).await,
                None => deployment.unrouted_response(response).await,
            };
            let differences = differences(&actual, response, &example.value);
            faults.extend(differences.iter().map(|what| format!("{id}, {name}: {what}")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for name in NOT_PROVOKED {
        assert!(not_provoked.contains(&name), "{name} is not an example any more");
    }
}

#[test]
fn every_example_of_a_cursor_is_a_cursor_of_the_server() {
    let examples = DOCUMENT.examples().unwrap();
    let cursors = examples.iter().filter_map(|example| {
        let is_cursor = example.pointer.ends_with("/Cursor/example")
            || example.pointer.ends_with("/PageCursor/example");
        let of_a_page = || example.value.pointer("/pagination/nextCursor")?.as_str();
        if is_cursor { example.value.as_str() } else { of_a_page() }
    });
    let cursors: Vec<&str> = cursors.collect();
    assert!(cursors.len() >= 3, "{cursors:?}");
    for text in cursors {
        assert!(Cursor::read(text, "listCommissionLines", []).is_ok(), "{text}");
    }
}

/// A server in the state that the examples show.
struct Deployment {
    server: TestServer,
    /// Another one, whose limit for requests without a valid key is the documented default.
    with_address_limit: Replica,
}

impl Deployment {
    async fn start() -> Self {
        let server = TestServer::start().await;
        server.database.set_clock(TIME_OF_THE_EXAMPLES).await.unwrap();
        let superuser = server.superuser().await;
        let lines_to_add = LINES_OF_THE_LARGE_PAYOUT - 41;
        for statement in [
            "UPDATE payout.billing_information
                SET legal_name = 'x', address_line_1 = 'x', postal_code = 'x', city = 'x',
                    country = 'DE'
              WHERE organization_id IN
                    (SELECT id FROM payout.organizations WHERE name = 'no_billing')"
                .to_owned(),
            format!(
                "UPDATE payout.meters SET requests_per_minute = {REQUESTS_PER_MINUTE}
                  WHERE organization_id = '{TIGHT}'"
            ),
            format!(
                "INSERT INTO payout.commission_lines
                        (organization_id, id, partner_id, payout_id, description, amount,
                         source_amount, currency, status, plan_name, period_end)
                 SELECT organization_id, 'cln_many_' || n, partner_id, payout_id, 'one of many', 0,
                        0, currency, status, plan_name, period_end
                   FROM payout.commission_lines, generate_series(1, {lines_to_add}) AS n
                  WHERE organization_id = '{MAIN}'
                    AND id IN (SELECT min(id) FROM payout.commission_lines
                                WHERE payout_id = '{FORTY_ONE}')"
            ),
        ] {
            sqlx::query(AssertSqlSafe(statement)).execute(&superuser).await.unwrap();
        }
        for _ in 0..REQUESTS_PER_MINUTE {
            let request = server.get(Key("tight", "all"), "/api/v1/partners?limit=1");
            request.expect(200).await;
        }
        let with_address_limit = server.replica_with(|options| {
            options.anonymous_requests_per_minute = REQUESTS_PER_MINUTE;
        });
        Self { with_address_limit: with_address_limit.await, server }
    }

    /// Provokes the response that an example shows.
    async fn respond(
        &self,
        operation: &Operation,
        response: &Response,
        example: &str,
    ) -> TestResponse {
        if example == "RATE_LIMITED_WITHOUT_KEY" {
            let method = Method::from_bytes(operation.method.as_str().as_bytes()).unwrap();
            return self.beyond_the_limit_of_an_address(method, fixture(operation).path).await;
        }
        if response.status.is_success() {
            return self.success(operation, response.status, example).send().await;
        }
        self.error(operation, example).await.send().await
    }

    fn success(&self, operation: &Operation, status: Status, example: &str) -> TestRequest {
        let uploaded = format!("/api/v1/payouts/{UPLOADED}/statement");
        let path = match example {
            "UploadedStatement" => &uploaded,
            _ => fixture(operation).success_path,
        };
        let request = self.with_key(operation, Key::MAIN, path);
        if let Some(created) = fixture(operation).created {
            return match status {
                Status::Code(201) => request.body(created),
                _ => request,
            };
        }
        if operation.id == "attachCommissionLine" {
            return request;
        }
        // The document's own example of a body.
        let body = operation.body.iter().flat_map(|body| &body.content);
        match body.flat_map(|media| &media.examples).next() {
            Some(example) => request.body(example.value.to_string()),
            None => request,
        }
    }

    async fn error(&self, operation: &Operation, example: &str) -> TestRequest {
        let path = fixture(operation).path;
        let with = |key, path: &str| self.with_key(operation, key, path);
        let sound = || with(Key::MAIN, path);
        let line = |id: &str| operation.path.replace("{id}", id);
        let statement = |payout: &str| format!("/api/v1/payouts/{payout}/statement");
        match example {
            "UNSUPPORTED_API_VERSION" => sound().header("api-version", "1999-12-31"),
            "INVALID_CURSOR" => with(Key::MAIN, &format!("{path}?cursor=x")),
            "INVALID_CURSOR_OF_ANOTHER_LIST" => {
                let cursor = self.cursor_of_another_list(operation).await;
                with(Key::MAIN, &format!("{path}?cursor={cursor}"))
            }
            "INVALID_JSON" => sound().body(r#"{"name": Nordwind}"#),
            "UNAUTHORIZED" => fixtures::request(&self.server, operation, path),
            "API_CREDITS_EXHAUSTED" => with(Key("exhausted", "all"), path),
            "INSUFFICIENT_SCOPE" => with(Key("main", "affiliate-write"), path),
            "NOT_FOUND" => with(Key::MAIN, &fixture(operation).absent_path.expect("it has a 404")),
            "PAYLOAD_TOO_LARGE" => sound().body(vec![b' '; BODY_SIZE_BYTES + 1]),
            "UNSUPPORTED_MEDIA_TYPE" => {
                let method = Method::from_bytes(operation.method.as_str().as_bytes()).unwrap();
                let request = self.server.request(method, path);
                let request = request.header("x-api-key", self.server.key(Key::MAIN));
                request.header("content-type", "text/plain").body("{}")
            }
            "VALIDATION_FAILED" if operation.body.is_some() => {
                sound().body(invalid_body(operation))
            }
            "VALIDATION_FAILED" => with(Key::MAIN, &format!("{path}?limit=101")),
            "INVALID_REFERENCE" => sound().body(unknown_references(operation)),
            "INVALID_STAGE_TRANSITION" => {
                with(Key::MAIN, &format!("/api/v1/payouts/{EMPTY}")).body(r#"{"stage": "PAID"}"#)
            }
            "IDEMPOTENCY_KEY_REUSED" => {
                let keyed = |path: &str| with(Key::MAIN, path).header("idempotency-key", "reused");
                let absent = fixture(operation).absent_path.unwrap_or_else(|| path.to_owned());
                keyed(&absent).send().await;
                keyed(path).body(reused_body(operation))
            }
            "IDEMPOTENCY_IN_PROGRESS" => unreachable!("it is not provoked"),
            "LINE_IN_PAYOUT" | "PARTNER_MISMATCH" | "CURRENCY_MISMATCH" | "PAYOUT_LOCKED"
                if operation.id == "attachCommissionLine" =>
            {
                self.attach(operation, example).await
            }
            "LINE_NOT_PENDING" => sound(),
            "PARTNER_MISMATCH" => sound().body(line_in(FORTY_ONE, BARE, "EUR")),
            "CURRENCY_MISMATCH" if operation.id == "createCommissionLine" => {
                sound().body(line_in(FORTY_ONE, NORDWIND, "USD"))
            }
            "CURRENCY_MISMATCH" => sound().body(r#"{"currency": "USD"}"#),
            "PAYOUT_LOCKED" => {
                sound().body(line_in(TO_DETACH, "ptn_01JV3N8Q5R000000000000000G", "EUR"))
            }
            "LINE_VOIDED" => with(Key::MAIN, &line(VOIDED_LINE)).body(ANOTHER_AMOUNT),
            "LINE_LOCKED" if operation.id == "updateCommissionLine" => {
                with(Key::MAIN, &line(DETACHABLE)).body(ANOTHER_AMOUNT)
            }
            "LINE_LOCKED" => with(Key::MAIN, &line(DETACHABLE)),
            // The fixture's line is in the pending pool.
            "LINE_NOT_IN_PAYOUT" => sound(),
            "NO_COMMISSION_LINES" => with(Key::MAIN, &statement(EMPTY)),
            "NO_BILLING_INFO" => {
                let payout = "pay_01JV3N8Q5R0300000000000001";
                with(Key("no_billing", "all"), &statement(payout))
            }
            "STATEMENT_TOO_LARGE" => with(Key::MAIN, &statement(FORTY_ONE)),
            "RATE_LIMITED" => with(Key("tight", "all"), path),
            other => panic!("{}: say here how the example {other} comes about", operation.id),
        }
    }

    /// An attachment that is rejected with this code.
    async fn attach(&self, operation: &Operation, code: &str) -> TestRequest {
        let (line, payout) = match code {
            "LINE_IN_PAYOUT" => (ITS_LINE, FORTY_ONE),
            "PARTNER_MISMATCH" => (PENDING_LINE, EMPTY),
            "CURRENCY_MISMATCH" => ("cln_01JV3N8Q5R0000000000000031", ONE_LINE),
            _ => {
                let detached = "cln_01JV3N8Q5R000000000000001W";
                self.server.detach(detached).send().await;
                (detached, TO_DETACH)
            }
        };
        let path = operation.path.replace("{id}", line);
        self.with_key(operation, Key::MAIN, &path).body(attach_to(payout))
    }

    async fn unrouted_response(&self, response: &Response) -> TestResponse {
        let partner = format!("/api/v1/partners/{NORDWIND}");
        match response.status {
            Status::Code(404) => self.server.request(Method::GET, "/nothing").send().await,
            Status::Code(405) => self.server.request(Method::PUT, &partner).send().await,
            Status::Code(429) => self.beyond_the_limit_of_an_address(Method::GET, "/nothing").await,
            other => panic!("say here how the unrouted response {other:?} comes about"),
        }
    }

    /// Sends requests without a valid key until one gets 429. That minute is the machine's and may
    /// end between two requests, so the wait in the response is replaced by the example's.
    async fn beyond_the_limit_of_an_address(&self, method: Method, path: &str) -> TestResponse {
        loop {
            let request = self.with_address_limit.request(method.clone(), path, "not a key");
            let mut response = request.send().await;
            if response.status == 429 {
                let details = &response.body["error"]["details"];
                let seconds = details["retryAfterSeconds"].as_u64().unwrap();
                assert!((1..=60).contains(&seconds), "{}", response.text);
                let text = response.text.replace(&format!("in {seconds} seconds"), "in 30 seconds");
                let text = text.replace(&format!("Seconds\":{seconds}}}"), "Seconds\":30}");
                response.body = serde_json::from_str(&text).unwrap();
                return response;
            }
        }
    }

    async fn cursor_of_another_list(&self, operation: &Operation) -> String {
        let lists = ["/api/v1/commission-lines", "/api/v1/partners"];
        let other = lists.into_iter().find(|path| *path != operation.path).unwrap();
        let page = self.server.get(Key::MAIN, &format!("{other}?limit=1")).expect(200).await;
        page.next_cursor().expect("the data set has more").to_owned()
    }

    fn with_key(&self, operation: &Operation, key: Key, path: &str) -> TestRequest {
        fixtures::request(&self.server, operation, path).header("x-api-key", self.server.key(key))
    }
}

/// Where the actual response differs from the documented one and from its example.
fn differences(actual: &TestResponse, documented: &Response, example: &Value) -> Vec<String> {
    if !documented.status.matches(actual.status.as_u16()) {
        return vec![format!("the status is {}: {}", actual.status, actual.text)];
    }
    let mut differences = violations(actual, documented);
    if actual.status.is_success() {
        shape_differences("", &actual.body, example, &mut differences);
    } else {
        let mut body = actual.body.clone();
        // The data set's ids are others.
        if let Some(id) = body.pointer_mut("/error/details/payoutId") {
            *id = example["error"]["details"]["payoutId"].clone();
        }
        if body != *example {
            differences.push(format!("the server says {body}, the example {example}"));
        }
    }
    differences
}

/// Where keys or types of two values differ; null may stand for any value.
fn shape_differences(path: &str, actual: &Value, example: &Value, differences: &mut Vec<String>) {
    match (actual, example) {
        (Value::Null, _) | (_, Value::Null) => {}
        (Value::Object(_), Value::Object(_)) if MAPS.iter().any(|map| path.ends_with(map)) => {}
        (Value::Object(actual), Value::Object(shown)) => {
            let names = |members: &serde_json::Map<String, Value>| {
                let mut names: Vec<String> = members.keys().cloned().collect();
                names.sort();
                names
            };
            if names(actual) != names(shown) {
                differences.push(format!("{path}: {:?}, shown {:?}", names(actual), names(shown)));
            }
            for (name, value) in shown {
                let actual = actual.get(name).unwrap_or(&Value::Null);
                shape_differences(&format!("{path}/{name}"), actual, value, differences);
            }
        }
        (Value::Array(actual), Value::Array(shown)) => {
            if let (Some(actual), Some(shown)) = (actual.first(), shown.first()) {
                shape_differences(&format!("{path}/0"), actual, shown, differences);
            } else if path == "/data" {
                differences.push("one of the lists is empty".to_owned());
            }
        }
        (actual, shown) => {
            if std::mem::discriminant(actual) != std::mem::discriminant(shown) {
                differences.push(format!("{path}: {actual}, shown {shown}"));
            }
        }
    }
}
