//! From tokens to the text of a file, formatted by rustfmt, so that `cargo fmt --check` passes.

use std::{
    io::{self, Write},
    process::{Command, Stdio},
};

use proc_macro2::TokenStream;
use quote::quote;

/// Doc comments fit into 100 columns with the indentation of a field or a method.
const DOC_WIDTH: usize = 92;

/// A whole file: header, module docs, items, and tables in the syntax of a macro, which rustfmt
/// does not change.
pub(crate) fn file(
    header: &str,
    docs: &str,
    items: TokenStream,
    tables: &str,
) -> io::Result<String> {
    let docs = doc_lines(docs);
    let docs: String = docs.iter().map(|line| format!("//!{line}\n")).collect();
    let pretty = syn::parse2(items)
        .map_err(|error| io::Error::other(format!("the generator wrote invalid Rust: {error}")))?;
    let pretty = spaced(&prettyplease::unparse(&pretty));
    rustfmt(&format!("// {header}\n{docs}\n{pretty}{tables}"))
}

/// Fills a template, in which `$name$` stands for the tokens of this name.
pub(crate) fn template(text: &str, tokens: &[(&str, TokenStream)]) -> TokenStream {
    let filled = |(index, part): (usize, &str)| match index % 2 {
        0 => part.to_owned(),
        _ => {
            let named = tokens.iter().find(|(name, _)| *name == part);
            named.expect("each name of a template has its tokens").1.to_string()
        }
    };
    let text: String = text.split('$').enumerate().map(filled).collect();
    text.parse().expect("the templates are Rust")
}

/// Doc comments of a text in Markdown, wrapped; none for an empty one.
pub(crate) fn docs(text: &str) -> TokenStream {
    let lines = doc_lines(text);
    quote!(#(#[doc = #lines])*)
}

/// The lines of a doc comment, each with its leading blank.
pub(crate) fn doc_lines(text: &str) -> Vec<String> {
    let lines = wrapped(text).into_iter();
    lines
        .map(|line| match line.as_str() {
            "" => line,
            line => format!(" {line}"),
        })
        .collect()
}

/// Puts a blank line between items and between groups of imports; prettyplease prints none.
fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len() * 11 / 10);
    let mut previous = "";
    for line in text.lines() {
        if begins_item(previous, line) {
            spaced.push('\n');
        }
        spaced.push_str(line);
        spaced.push('\n');
        previous = line;
    }
    spaced
}

fn begins_item(previous: &str, line: &str) -> bool {
    let ended = previous.ends_with(['}', ';']) && !previous.trim_start().starts_with("//");
    if let (Some(last), Some(next)) = (import_group(previous), import_group(line)) {
        return last != next;
    }
    if [previous, line].iter().all(|line| line.starts_with("pub mod ")) {
        return false;
    }
    let in_item = line.strip_prefix("    ").is_some_and(|line| line.starts_with("///"));
    let at_top =
        line.starts_with(|first: char| !first.is_whitespace() && !matches!(first, '}' | ')' | ']'));
    // A macro call belongs to the type before it.
    let is_macro = line.split_once('(').is_some_and(|(name, _)| name.ends_with('!'));
    ended && (in_item || (at_top && !is_macro))
}

/// The group of an import by its first line: standard library, crates, our own.
fn import_group(line: &str) -> Option<u8> {
    let path = line.strip_prefix("pub ").unwrap_or(line).strip_prefix("use ")?;
    Some(if path.starts_with("std::") {
        0
    } else if path.starts_with("super::") {
        2
    } else {
        1
    })
}

#[cfg(test)]
thread_local! {
    /// Set by a test that compares hundreds of files, whose layout does not matter.
    pub(crate) static UNFORMATTED: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

fn rustfmt(text: &str) -> io::Result<String> {
    #[cfg(test)]
    if UNFORMATTED.get() {
        return Ok(text.to_owned());
    }
    let failed = |error: &str| {
        io::Error::other(format!(
            "rustfmt could not format the generated code: {error}; run `rustup component add \
             rustfmt`"
        ))
    };
    let run = || {
        let mut child = Command::new("rustfmt")
            .args(["--edition", "2024"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut input = child.stdin.take().expect("stdin is piped");
        input.write_all(text.as_bytes())?;
        drop(input);
        child.wait_with_output()
    };
    let output = run().map_err(|error: io::Error| failed(&error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim()));
    }
    String::from_utf8(output.stdout).map_err(|error| failed(&error.to_string()))
}

/// Wraps paragraphs; the lines of lists, tables and code stay as they are.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut fill = String::new();
    for line in text.trim().lines() {
        let stays = line.is_empty()
            || line.starts_with([' ', '-', '*', '|', '#', '>', '`']) && !line.starts_with('`')
            || line.starts_with("```");
        if stays {
            lines.extend((!fill.is_empty()).then(|| std::mem::take(&mut fill)));
            lines.push(line.to_owned());
            continue;
        }
        for word in line.split_whitespace() {
            if !fill.is_empty() && fill.chars().count() + 1 + word.chars().count() > DOC_WIDTH {
                lines.push(std::mem::take(&mut fill));
            }
            if !fill.is_empty() {
                fill.push(' ');
            }
            fill.push_str(word);
        }
    }
    lines.extend((!fill.is_empty()).then_some(fill));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_that_are_not_items_are_an_error() {
        let error = file("Generated.", "Nothing.", quote!(1 + 1), "").unwrap_err();
        assert!(error.to_string().starts_with("the generator wrote invalid Rust"), "{error}");
    }
}
