//! One request and its response, folded: lines, headers, bodies.
//!
//! It refuses to change a body: JSON is indented by its text, whatever else stays as it came.

use std::fmt::Write as _;

use super::markup::{command, escaped, preformatted};
use crate::report::{
    model::{ExchangeReport, MessageReport},
    pretty, words,
};

/// The exchange with this index; `is_telling` where it shows why the case ended as it did.
pub(super) fn folded(index: usize, exchange: &ExchangeReport, is_telling: bool) -> String {
    let response = exchange
        .response
        .as_ref()
        .map_or("no response", |response| &response.line);
    let open = if is_telling { " open" } else { "" };
    let mark = if is_telling {
        " — this one shows it"
    } else {
        ""
    };
    let mut out = format!("<details class=\"exchange\"{open}>\n");
    let _ = writeln!(
        out,
        "<summary>{}. {} → {}, {} ms{mark}</summary>\n<div class=\"inside\">",
        index + 1,
        escaped(&exchange.request.line),
        escaped(response),
        exchange.elapsed_milliseconds
    );
    for invariant in &exchange.broken_laws {
        let _ = writeln!(
            out,
            "<p><strong>Broken invariant:</strong> {}</p>",
            escaped(invariant)
        );
    }
    out.push_str("<h5>As a command</h5>\n");
    out.push_str(&command(&exchange.curl));
    out.push_str("<h5>Request</h5>\n");
    out.push_str(&message(&exchange.request));
    out.push_str("<h5>Response</h5>\n");
    match &exchange.response {
        Some(response) => out.push_str(&message(response)),
        None => out.push_str("<p>The connection failed before a response came.</p>\n"),
    }
    if let Some(operation) = &exchange.operation {
        let _ = writeln!(
            out,
            "<p class=\"soft\">Operation: {}</p>",
            escaped(operation)
        );
    }
    out.push_str("</div>\n</details>\n");
    out
}

fn message(message: &MessageReport) -> String {
    let mut head = message.line.clone();
    for (name, value) in &message.headers {
        let _ = write!(head, "\n{name}: {value}");
    }
    let mut out = preformatted(&head);
    match &message.body {
        Some(body) if !body.is_empty() => {
            let _ = writeln!(
                out,
                "<p class=\"soft\">Body, {}:</p>",
                bytes(message.body_bytes)
            );
            out.push_str(&preformatted(
                pretty::indented(body).as_deref().unwrap_or(body),
            ));
        }
        Some(_) | None if message.body_bytes == 0 => {
            out.push_str("<p class=\"soft\">No body.</p>\n")
        }
        Some(_) | None => {
            let _ = writeln!(
                out,
                "<p class=\"soft\">A body of {}, which is no text.</p>",
                bytes(message.body_bytes)
            );
        }
    }
    out
}

fn bytes(count: usize) -> String {
    words::counted(count, "byte", "bytes")
}
