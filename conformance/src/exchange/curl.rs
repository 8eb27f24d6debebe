//! A request as a curl command line, with keys and other secrets as `$VARIABLE`.

use super::request::Request;
use crate::{
    secret::{Piece, Redaction},
    visible::acts,
};

const BODY_LIMIT: usize = 2_000;

/// The command line, for bash: one line, whatever the request contains.
pub(crate) fn line(url: &str, request: &Request, redaction: &Redaction) -> String {
    let mut words = vec!["curl -sS -i --path-as-is".to_owned(), quoted(url, redaction)];
    if url.contains(['[', ']', '{', '}']) {
        // curl would expand them to several addresses.
        words.push("--globoff".to_owned());
    }
    if request.method == hyper::Method::HEAD {
        // With -X alone curl would wait for a body.
        words.push("-I".to_owned());
    } else if request.method != hyper::Method::GET {
        words.push(format!("-X {}", request.method));
    }
    words.extend(request.key.secrets().iter().map(|secret| match secret.expose() {
        "" => header("x-api-key", "", redaction),
        _ => format!("-H \"x-api-key: {}\"", secret.placeholder()),
    }));
    let headers = request.headers.iter();
    words.extend(headers.map(|(name, value)| {
        header(name.as_str(), &String::from_utf8_lossy(value.as_bytes()), redaction)
    }));
    if let Some(body) = &request.body {
        if !request.headers.contains_key("content-type") {
            // Otherwise curl declares a form.
            words.push("-H 'content-type:'".to_owned());
        }
        words.push(data(body, redaction));
    }
    words.join(" ")
}

/// curl drops a header without a value, unless it ends with a semicolon.
fn header(name: &str, value: &str, redaction: &Redaction) -> String {
    let text = if value.is_empty() { format!("{name};") } else { format!("{name}: {value}") };
    format!("-H {}", quoted(&text, redaction))
}

fn data(body: &[u8], redaction: &Redaction) -> String {
    match std::str::from_utf8(body) {
        Ok(_) if body.len() > BODY_LIMIT => {}
        // An argument cannot contain a NUL; the output of printf can.
        Ok(text) if text.contains('\0') => {
            let format = word(text, redaction, format_of_printf);
            return format!("--data-binary @<(printf {format})");
        }
        Ok(text) => return format!("--data-binary {}", quoted(text, redaction)),
        Err(_) => {}
    }
    format!("--data-binary @body  # {} bytes", body.len())
}

fn quoted(text: &str, redaction: &Redaction) -> String {
    word(text, redaction, in_quotes)
}

/// One word of bash, which substitutes the secrets.
fn word(text: &str, redaction: &Redaction, in_quotes: fn(&str) -> String) -> String {
    let pieces = redaction.pieces(text);
    if pieces.is_empty() {
        return in_quotes("");
    }
    let pieces = pieces.into_iter().map(|piece| match piece {
        Piece::Shown(text) => in_quotes(text),
        Piece::Secret(secret) => format!("\"{}\"", secret.placeholder()),
    });
    pieces.collect()
}

/// Quotes a text, and escapes characters that act on a terminal.
fn in_quotes(text: &str) -> String {
    if !text.contains(must_be_escaped) {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    format!(
        "$'{}'",
        escaped(text, |character| match character {
            '\n' => Some(r"\n"),
            '\r' => Some(r"\r"),
            '\t' => Some(r"\t"),
            '\\' => Some(r"\\"),
            '\'' => Some(r"\'"),
            _ => None,
        })
    )
}

/// Quotes a text as a format of printf.
fn format_of_printf(text: &str) -> String {
    format!(
        "'{}'",
        escaped(text, |character| match character {
            '%' => Some("%%"),
            '\\' => Some(r"\\"),
            '\'' => Some(r"\047"),
            _ => None,
        })
    )
}

/// The text with these in place of characters. The bytes of others that act on a terminal are three
/// octal digits each, independent of the shell's encoding.
fn escaped(text: &str, known: impl Fn(char) -> Option<&'static str>) -> String {
    let mut word = String::new();
    for character in text.chars() {
        match known(character) {
            Some(escape) => word.push_str(escape),
            None if must_be_escaped(character) => {
                let mut bytes = [0; 4];
                for byte in character.encode_utf8(&mut bytes).bytes() {
                    word.push_str(&format!("\\{byte:03o}"));
                }
            }
            None => word.push(character),
        }
    }
    word
}

fn must_be_escaped(character: char) -> bool {
    character == '\n' || acts(character)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::exchange::Key;
    use crate::secret::Secret;

    /// Requests with keys, secrets, odd letters and nothing that curl could add, by their command
    /// lines.
    #[test]
    fn lines_are_as_they_were_reviewed() {
        let key = Secret::new("KEY_ALL", "pcp_test_secret");
        let redaction = Redaction::of([Secret::new("KEY", "pcp_test_abc")]);
        let cut = Key::Altered(key.altered(|key| key[..14].to_owned()));
        let empty = Key::Altered(key.altered(|_| String::new()));
        let lines = [
            Request::get("/p").with_key(cut),
            Request::get("/p").with_key(empty),
            Request::patch("/api/v1/partners/1", &json!({"name": "O'Reilly"})).with(&key),
            Request::post("/p?key=pcp_test_abc")
                .header("authorization", "Bearer pcp_test_abc")
                .body("text/plain", "it\u{1b}pcp_test_abc\u{1b}"),
            Request::post("/p").body("text/plain", "\0pcp_test_abc"),
            Request::new(hyper::Method::HEAD, "/a").header("x-empty", ""),
            Request::post("/a").body("", "x"),
            Request::get("/a?b=[c]"),
        ];
        let lines =
            lines.map(|request| line(&format!("http://h{}", request.target), &request, &redaction));
        insta::assert_snapshot!(lines.join("\n"));
    }

    /// A word as bash reads it; `None` where there is no bash.
    fn in_bash(word: &str) -> Option<Vec<u8>> {
        let command = format!("cat {word}");
        let output = std::process::Command::new("bash").args(["-c", &command]).output();
        output.ok().map(|output| output.stdout)
    }

    #[test]
    fn bash_reads_every_text_back() {
        let all: String = (0..0x250_u32).chain(0x2000..0x2070).filter_map(char::from_u32).collect();
        let without_nul = all.replace('\0', "");
        for text in [without_nul.as_str(), "12\u{1b}12", "%d \\n 'quoted' $HOME `x` !1", "é桜🚀"]
        {
            let word = quoted(text, &Redaction::default());
            assert!(!word.contains(must_be_escaped), "{word:?}");
            let Some(read) = in_bash(&format!("<(printf %s {word})")) else {
                eprintln!("bash is not installed: nothing is tested");
                return;
            };
            assert_eq!(String::from_utf8_lossy(&read), text);
        }
        for text in [all.as_str(), "a\0b", "\x0012 %s \\0"] {
            let word = data(text.as_bytes(), &Redaction::default());
            let word = word.strip_prefix("--data-binary @").unwrap();
            assert_eq!(String::from_utf8_lossy(&in_bash(word).unwrap()), text, "{word}");
        }
    }
}
