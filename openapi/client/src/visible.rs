//! Text of a server in messages for people.

use std::{
    error::Error,
    fmt::{self, Write as _},
};

/// Shows a text with its control characters escaped, so that a response can neither forge a line of
/// a log nor command a terminal.
pub struct Visible<'text>(pub &'text str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character.is_control() || is_invisible(character) {
                true => write!(formatter, "{}", character.escape_default())?,
                false => formatter.write_char(character)?,
            }
        }
        Ok(())
    }
}

/// Characters that turn the direction of text, break lines or have no width: they make a text look
/// like another one.
pub fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}'
    )
}

/// The text of an error, with those of its causes that it does not have itself.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut below = error.source();
    while let Some(cause) = below {
        let reason = cause.to_string();
        if !text.contains(&reason) {
            text = format!("{text}: {reason}");
        }
        below = cause.source();
    }
    text
}

/// The beginning of a body, as text.
pub fn excerpt(body: &[u8], characters: usize) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    match text.char_indices().nth(characters) {
        _ if text.is_empty() => "the response has no body".to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
