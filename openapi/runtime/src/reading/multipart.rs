//! Reads `multipart/form-data` (RFC 7578): the parts of a body that is in memory.

use poem::http::header::CONTENT_TYPE;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    body::{FromJson, wrong_type},
    forms::{accepts, json},
    reader::Reader,
    rules::{Invalid, Violation, miscounted},
    texts::add,
};
use crate::{ErrorCode, Problem, from_json, pointer::join, problem::IssueCode};

/// RFC 2046 § 5.1.1.
const BOUNDARY_LIMIT: usize = 70;

/// How a part is read; one that the document does not name is a text or, if it is none, null.
#[derive(Debug, Clone, Copy)]
pub enum Part {
    Text,
    Json,
    /// A list in JSON: as one part, or a part for each item.
    JsonList,
    File {
        /// Without any, every one is read.
        media_types: &'static [&'static str],
        min_bytes: usize,
        max_bytes: Option<usize>,
    },
}

/// A file that was sent as a part of a form.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct File {
    pub name: Option<String>,
    pub content_type: Option<String>,
    pub bytes: Vec<u8>,
}

// The parts of a form are beside its values. A text of JSON is a file without a name.
from_json!(File, |value, pointer, violations| {
    let Value::String(text) = value else {
        return Err(wrong_type(&value, "one file", pointer, violations));
    };
    let file = violations.take_file(pointer);
    Ok(file.unwrap_or_else(|| Self { bytes: text.into_bytes(), ..Self::default() }))
});

struct RawPart<'b> {
    name: String,
    file: File,
    bytes: &'b [u8],
}

impl<C: ErrorCode> Reader<'_, C> {
    /// `limit` is the size of the largest part, in bytes.
    pub(super) fn multipart<T: FromJson>(
        &mut self,
        known: &[(&'static str, Part)],
        limit: Option<usize>,
    ) -> Result<T::Value, Invalid> {
        let declared = self.request.headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
        let parts = match split(self.request.body, declared.unwrap_or_default()) {
            Ok(parts) => parts,
            Err(reason) => {
                let message = format!("The body is not valid multipart/form-data: {reason}.");
                return Err(self.reject(Problem::new(C::INVALID_JSON, message)));
            }
        };
        let (mut texts, mut members, mut invalid) = (Map::new(), Map::new(), Vec::new());
        for part in parts {
            let kind = known.iter().find(|(name, _)| *name == part.name).map(|(_, part)| *part);
            let pointer = join("", &part.name);
            let read = miscounted(part.bytes.len(), 0, limit, "bytes")
                .map_or_else(|| part.read(kind), Err);
            match (read, kind) {
                (Err(violation), _) => invalid.push((pointer, violation)),
                (Ok(value), None | Some(Part::Text)) => add(&mut texts, part.name, value),
                (Ok(value), Some(Part::JsonList)) => {
                    let items = match value {
                        Value::Array(items) => items,
                        item => vec![item],
                    };
                    let list = members.entry(part.name).or_insert_with(|| Value::Array(Vec::new()));
                    if let Value::Array(list) = list {
                        list.extend(items);
                    }
                }
                (Ok(value), Some(Part::Json)) => add(&mut members, part.name, value),
                (Ok(value), Some(Part::File { .. })) => {
                    let file = File { bytes: part.bytes.to_vec(), ..part.file };
                    self.violations.add_file(pointer, file);
                    add(&mut texts, part.name, value);
                }
            }
        }
        let mut value = T::of_text(Value::Object(texts));
        if let Value::Object(all) = &mut value {
            all.extend(members);
        }
        self.members::<T>(value, invalid)
    }
}

impl RawPart<'_> {
    /// The value of the part; that of a file is beside it.
    fn read(&self, kind: Option<Part>) -> Result<Value, Violation> {
        let text = || str::from_utf8(self.bytes);
        match kind {
            None if self.file.name.is_some() => Ok(Value::Null),
            None => Ok(text().map_or(Value::Null, Value::from)),
            Some(Part::File { media_types, min_bytes, max_bytes }) => {
                let declared = self.file.content_type.as_deref().unwrap_or("text/plain");
                let essence = declared.split(';').next().unwrap_or_default().trim();
                if !media_types.is_empty() && !media_types.iter().any(|it| accepts(it, essence)) {
                    let message = format!("must be declared as {}", media_types.join(" or "));
                    return Err((IssueCode::BadFormat, message));
                }
                let miscounted = miscounted(self.bytes.len(), min_bytes, max_bytes, "bytes");
                miscounted.map_or_else(|| Ok(Value::from("")), Err)
            }
            Some(part) => {
                let not_utf8 = |_| (IssueCode::BadFormat, "must be a text in UTF-8".to_owned());
                let text = text().map_err(not_utf8)?;
                if matches!(part, Part::Text) { Ok(Value::from(text)) } else { json(text) }
            }
        }
    }
}

fn split<'b>(body: &'b [u8], content_type: &str) -> Result<Vec<RawPart<'b>>, String> {
    let boundary = parameter(content_type, "boundary")
        .filter(|boundary| (1..=BOUNDARY_LIMIT).contains(&boundary.len()))
        .ok_or("its content-type has no boundary")?;
    let delimiter = format!("\r\n--{boundary}");
    let no_end = || format!("`--{boundary}--` does not end it");
    // The first boundary may be at the very beginning.
    let mut rest = match body.strip_prefix(&delimiter.as_bytes()[2..]) {
        Some(rest) => rest,
        None => split_at(body, delimiter.as_bytes()).ok_or_else(no_end)?.1,
    };
    let mut parts = Vec::new();
    while !rest.starts_with(b"--") {
        let (padding, behind) = split_at(rest, b"\r\n").ok_or_else(no_end)?;
        if !padding.iter().all(|byte| matches!(byte, b' ' | b'\t')) {
            return Err(format!("`--{boundary}` is not alone in its line"));
        }
        // A part without headers begins with the empty line that ends them.
        let (head, behind) = match behind.strip_prefix(b"\r\n") {
            Some(behind) => (&b""[..], behind),
            None => split_at(behind, b"\r\n\r\n").ok_or("a part has no end of its headers")?,
        };
        let (bytes, behind) = split_at(behind, delimiter.as_bytes()).ok_or_else(no_end)?;
        parts.push(part(head, bytes)?);
        rest = behind;
    }
    Ok(parts)
}

/// What is before and behind the first occurrence.
fn split_at<'b>(bytes: &'b [u8], what: &[u8]) -> Option<(&'b [u8], &'b [u8])> {
    let at = bytes.windows(what.len()).position(|window| window == what)?;
    Some((&bytes[..at], &bytes[at + what.len()..]))
}

fn part<'b>(head: &[u8], bytes: &'b [u8]) -> Result<RawPart<'b>, String> {
    let head = str::from_utf8(head).map_err(|_| "the headers of a part are not UTF-8")?;
    let header = |wanted: &str| {
        let mut headers = head.split("\r\n").filter_map(|line| line.split_once(':'));
        headers.find(|(name, _)| name.trim().eq_ignore_ascii_case(wanted)).map(|(_, it)| it.trim())
    };
    let disposition = header("content-disposition").unwrap_or_default();
    let name = parameter(disposition, "name").ok_or("a part has no name")?;
    let file = File {
        name: parameter(disposition, "filename"),
        content_type: header("content-type").map(str::to_owned),
        bytes: Vec::new(),
    };
    Ok(RawPart { name, file, bytes })
}

/// A parameter of a header, such as `name` of `form-data; name="a"`.
fn parameter(header: &str, wanted: &str) -> Option<String> {
    let mut rest = header.split_once(';')?.1;
    loop {
        let (name, behind) = rest.split_once('=')?;
        let behind = behind.trim_start();
        let (value, behind) = match behind.strip_prefix('"') {
            Some(quoted) => unquoted(quoted)?,
            None => {
                let (value, behind) = behind.split_at(behind.find(';').unwrap_or(behind.len()));
                (value.trim().to_owned(), behind)
            }
        };
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        rest = behind.trim_start().strip_prefix(';')?;
    }
}

/// A text up to its closing quote, and what is behind that.
fn unquoted(quoted: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut characters = quoted.char_indices().peekable();
    while let Some((index, character)) = characters.next() {
        match (character, characters.peek()) {
            ('"', _) => return Some((text, &quoted[index + 1..])),
            ('\\', Some((_, escaped @ ('"' | '\\')))) => {
                text.push(*escaped);
                characters.next();
            }
            _ => text.push(character),
        }
    }
    None
}
