//! A call as a command line that a person can paste: the key as `$VARIABLE`.
//!
//! It refuses to hold a key of the target.

use super::call::{Call, Key};

/// The command line.
#[must_use]
pub fn line(base_url: &str, call: &Call) -> String {
    let mut words = vec!["curl -sS -i --path-as-is".to_owned()];
    if call.method != hyper::Method::GET {
        words.push(format!("-X {}", call.method));
    }
    match &call.key {
        Key::None => {}
        // An empty header; with a colon curl would leave it out.
        Key::Altered(secret) if secret.expose().is_empty() => {
            words.push("-H 'x-api-key;'".to_owned())
        }
        Key::Secret(secret) | Key::Altered(secret) => {
            words.push(format!("-H \"x-api-key: {}\"", secret.placeholder()))
        }
        Key::Repeated(secrets) => words.extend(
            secrets
                .iter()
                .map(|secret| format!("-H \"x-api-key: {}\"", secret.placeholder())),
        ),
    }
    for (name, value) in &call.headers {
        words.push(format!("-H {}", quoted(&format!("{name}: {value}"))));
    }
    if let Some(body) = &call.body {
        words.push(match std::str::from_utf8(body) {
            Ok(text) if text.len() <= BODY_LIMIT => format!("--data-binary {}", quoted(text)),
            _ => format!("--data-binary @body  # {} bytes", body.len()),
        });
    }
    words.insert(1, quoted(&format!("{base_url}{}", call.target)));
    words.join(" ")
}

/// A longer body is named, not shown.
const BODY_LIMIT: usize = 2_000;

/// Text for a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::secret::Secret;

    #[test]
    fn altered_key_is_a_variable_too_and_an_empty_one_is_sent() {
        let key = Secret::new("KEY_ALL", "pcp_test_secret");
        let told = |key| line("http://h", &Call::get("/p").with_key(Key::Altered(key)));
        let cut = told(key.altered(|key| key[..14].to_owned()));
        assert_eq!(
            cut,
            r#"curl -sS -i --path-as-is 'http://h/p' -H "x-api-key: $KEY_ALL_ALTERED""#
        );
        let empty = told(key.altered(|_| String::new()));
        assert!(empty.ends_with("-H 'x-api-key;'"), "{empty}");
    }

    #[test]
    fn key_is_a_variable_and_the_body_is_quoted() {
        let call = Call::patch("/api/v1/partners/1", &json!({"name": "O'Reilly"}))
            .with(&Secret::new("KEY_ALL", "pcp_test_secret"));
        assert_eq!(
            line("http://127.0.0.1:8080", &call),
            r#"curl -sS -i --path-as-is 'http://127.0.0.1:8080/api/v1/partners/1' -X PATCH -H "x-api-key: $KEY_ALL" -H 'content-type: application/json' --data-binary '{"name":"O'\''Reilly"}'"#
        );
    }
}
