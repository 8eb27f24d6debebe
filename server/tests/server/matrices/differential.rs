//! The server and the document's schema must agree on thousands of generated bodies. The seed is
//! fixed.

use futures_util::{StreamExt, stream};
use openapi_document::{Direction, Validator};
use payout_server::contract::Operation;
use serde_json::Value;

use super::document::{DOCUMENT, holds_nul};
use crate::support::{Key, Random, TestResponse, TestServer};

const BODIES: usize = 2_000;
const SEED: u64 = 0x5EED_CA5E;
/// Concurrent requests, each to a partner of its own.
const AT_ONCE: usize = 16;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_and_the_document_reject_the_same_bodies() {
    let server = TestServer::start().await;
    let schema =
        DOCUMENT.validator("/components/schemas/UpdatePartnerRequest", Direction::Request).unwrap();
    let mut source = Bodies(Random::new(SEED));
    let bodies: Vec<String> = (0..BODIES).map(|_| source.body()).collect();
    let answers = stream::iter(bodies.iter().enumerate()).map(|(number, body)| {
        let last = char::from(b"123456789ABCDEFG"[number % AT_ONCE]);
        let path = format!("/api/v1/partners/ptn_01JV3N8Q5R000000000000000{last}");
        let request = server
            .request(poem::http::Method::PATCH, &path)
            .header("x-api-key", server.key(Key::MAIN));
        let request = request.header("content-type", "application/json").body(body.clone());
        async move { (body, request.send().await) }
    });
    let answers: Vec<(&String, TestResponse)> = answers.buffered(AT_ONCE).collect().await;
    let mut verdicts = [0_usize; 3];
    for (body, response) in &answers {
        let verdict = judge(&schema, body);
        verdicts[verdict as usize] += 1;
        let (status, text) = (response.status.as_u16(), &response.text);
        match verdict {
            Verdict::Unreadable => {
                assert_eq!((status, response.code()), (400, "INVALID_JSON"), "{body}: {text}")
            }
            Verdict::Refused => {
                assert_eq!((status, response.code()), (422, "VALIDATION_FAILED"), "{body}: {text}")
            }
            Verdict::Sound if status == 422 => {
                assert_eq!(response.code(), "INVALID_REFERENCE", "{body}: {text}")
            }
            Verdict::Sound => assert_eq!(status, 200, "{body}: {text}"),
        }
    }
    assert!(
        verdicts.iter().all(|count| *count > BODIES / 20),
        "every verdict is met often: {verdicts:?}"
    );
}

#[derive(Clone, Copy, Debug)]
enum Verdict {
    Unreadable,
    Refused,
    Sound,
}

/// The verdict of the document on a body, and of R3 on U+0000.
fn judge(schema: &Validator, body: &str) -> Verdict {
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        return Verdict::Unreadable;
    };
    if names_a_key_twice(body, &value) {
        return Verdict::Unreadable;
    }
    if holds_nul(&value) || !schema.is_valid(&value) { Verdict::Refused } else { Verdict::Sound }
}

/// The generator writes `"key":` without blanks, and never in a text: if there are more than
/// members, a key is repeated.
fn names_a_key_twice(body: &str, value: &Value) -> bool {
    let written = body.matches("\":").count();
    let read = value.to_string().matches("\":").count();
    written != read
}

/// Bodies near the schema's bounds, from both sides.
struct Bodies(Random);

impl Bodies {
    /// Mostly an object with a few fields; sometimes another value, sometimes broken.
    fn body(&mut self) -> String {
        if self.0.next(20) == 0 {
            return self.value(2);
        }
        let names = Operation::UpdatePartner.info().body_fields;
        let mut members = Vec::new();
        for _ in 0..self.0.next(5) {
            let name = if self.0.next(12) == 0 {
                self.0.pick(&["status", "id", "", "Name", "__proto__"])
            } else {
                self.0.pick(names)
            };
            let value =
                if self.0.next(3) == 0 { self.value(2) } else { self.fitting(name).to_owned() };
            members.push(format!("\"{name}\":{value}"));
        }
        let body = format!("{{{}}}", members.join(","));
        match self.0.next(12) {
            0 => body[..body.floor_char_boundary(self.0.next(body.len()))].to_owned(),
            1 => format!("{body}{}", self.0.pick(&[",", "}", "{}", "null", "\u{feff}"])),
            2 => format!(" \n\t{body}\r\n"),
            _ => body,
        }
    }

    /// A value that its field accepts.
    fn fitting(&mut self, name: &str) -> &'static str {
        match name {
            "domain" => self.0.pick(&["null", r#""a""#, r#""domain.example""#]),
            "portalAccess" => self.0.pick(&[r#""RESTRICTED_USERS""#, r#""RESTRICTED_DOMAINS""#]),
            "tierId" => self.0.pick(&[
                r#""tier_01JV3N8Q5R0000000000000001""#,
                r#""tier_01JV3N8Q5R0000000000000002""#,
            ]),
            "phaseId" => self.0.pick(&[r#""phase_01JV3N8Q5R0000000000000001""#, r#""nobody""#]),
            "experienceTemplateId" => r#""tmpl_01JV3N8Q5R0000000000000002""#,
            "partnerOwnerId" => r#""user_01JV3N8Q5R0000000000000003""#,
            _ => self.0.pick(&[
                r#""x""#,
                r#""Füchse & Söhne""#,
                r#""\ud83d\ude80""#,
                r#""\"quoted\"""#,
            ]),
        }
    }

    /// Any JSON value, or nearly one.
    fn value(&mut self, depth: usize) -> String {
        match self.0.next(if depth == 0 { 8 } else { 10 }) {
            0 => "null".to_owned(),
            1 => self.0.pick(&["true", "false", "True", "nul"]).to_owned(),
            2 => self
                .0
                .pick(&["0", "-1", "1.5", "1e400", "01", "+1", "18446744073709551616", "NaN"])
                .to_owned(),
            3 => "\"\"".to_owned(),
            // Lengths count Unicode scalar values: 200 of four bytes are a valid name, 201 of one
            // byte are not.
            4 => format!(
                "\"{}\"",
                self.0.pick(&["a", "é", "🚀", "\\n"]).repeat([200, 201, 255, 256][self.0.next(4)])
            ),
            5 => self
                .0
                .pick(&[
                    r#""\u0000""#,
                    r#""a\u0000b""#,
                    r#""\\u0000""#,
                    r#""\ud800""#,
                    r#""\x""#,
                    "\"\n\"",
                    "'a'",
                ])
                .to_owned(),
            6 => self
                .0
                .pick(&[r#""RESTRICTED_USERS""#, r#""restricted_users""#, r#""OPEN""#])
                .to_owned(),
            7 => self.0.pick(&[r#"" ""#, r#""null""#, r#""0""#, r#""é""#]).to_owned(),
            8 => format!("[{}]", self.value(depth - 1)),
            _ => format!("{{\"name\":{}}}", self.value(depth - 1)),
        }
    }
}
