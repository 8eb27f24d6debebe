//! Each line of `texts.txt` names a type, a text, and what is read of it.

use std::fmt::Display;

use super::{RequestTimestamp, Timestamp};
use crate::{Cursor, Money, MoneySum, json::read_json, reading::FromText};

fn read<T: FromText + Display>(text: &str) -> String {
    T::from_text(text).map_or_else(|(_, message)| message, |value| value.to_string())
}

#[test]
fn texts_are_read_as_the_file_says() {
    let file = include_str!("texts.txt");
    let found = file.lines().map(|line| {
        let columns: Vec<&str> = line.split(" | ").collect();
        let [name, written, _] = columns[..] else { panic!("{line}") };
        // A text with blanks at its ends is in quotes.
        let quoted = written.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let text = quoted.unwrap_or(written);
        let found = match name {
            "Money" => read::<Money>(text),
            "MoneySum" => read::<MoneySum>(text),
            "Timestamp" => read::<Timestamp>(text),
            "RequestTimestamp" => read::<RequestTimestamp>(text),
            "Cursor" => read::<Cursor>(text),
            "JSON" => read_json(text.as_bytes()).map_or_else(|it| it, |it| it.to_string()),
            _ => panic!("{line}"),
        };
        format!("{name} | {written} | {found}\n")
    });
    let found: String = found.collect();
    assert!(found == file, "{found}");
}
