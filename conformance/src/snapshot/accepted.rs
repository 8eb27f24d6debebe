//! The reviewed texts, compiled into the binary, by `<operation>/<status>_<code>` for
//! what the document describes, and `<operation>/<status>_<case>` for what a case by hand adds.

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};

/// `conformance/snapshots`: a folder for each operation.
static FOLDERS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/snapshots");

/// In place of an error code.
pub(super) const SUCCESS: &str = "success";

pub(crate) type Accepted = BTreeMap<String, String>;

pub(super) fn all() -> Accepted {
    let files = FOLDERS.dirs().flat_map(Dir::files).filter_map(|file| {
        // Files that wait for review end with `.snap.new`.
        let name = file.path().to_str()?.strip_suffix(".snap")?.replace('\\', "/");
        Some((name, contents(file.contents_utf8()?).to_owned()))
    });
    files.collect()
}

/// The text below insta's header, which is between two lines of `---`.
fn contents(file: &str) -> &str {
    let below = file
        .strip_prefix("---\n")
        .and_then(|head| head.split_once("\n---\n"))
        .map_or(file, |(_, below)| below);
    below.trim()
}

pub(super) fn name(operation: &str, status: u16, case: &str) -> String {
    format!("{operation}/{status}_{case}")
}

/// Returns true if a snapshot of this label is one of the document's codes, rather than of a case
/// by hand.
pub(super) fn is_code(label: &str) -> bool {
    label == SUCCESS || !label.contains(char::is_lowercase)
}

/// Operation, status and case of a snapshot's name.
pub(super) fn parts(name: &str) -> Option<(&str, u16, &str)> {
    let (operation, rest) = name.split_once('/')?;
    let (status, case) = rest.split_once('_')?;
    Some((operation, status.parse().ok()?, case))
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use regex::Regex;

    use super::*;
    use crate::snapshot::text;

    /// Keys of either environment, queries of links, and headers that hold a key.
    static SECRETS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)pcp_(live|test)_|signature=|expires=\d|x-api-key: |bearer ").unwrap()
    });

    #[test]
    fn each_file_is_named_for_what_it_holds() {
        let cases = crate::probes::all_cases();
        for (name, text) in all() {
            let (_, status, case) = parts(&name).expect(&name);
            assert!(is_code(case) || cases.iter().any(|known| known.id == case), "{name}");
            let mut responses = text::responses(&text).peekable();
            assert!(responses.peek().is_some(), "{name} holds no response");
            for response in responses {
                assert!(response.starts_with(&format!("{status} ")), "{name}: {response}");
            }
        }
    }

    #[test]
    fn no_file_holds_a_secret() {
        for canary in [
            "GET /a?key=pcp_test_0123",
            "https://a/b?expires=1&signature=abc",
            "authorization: Bearer abc",
        ] {
            assert!(SECRETS.is_match(canary), "the test proves nothing: {canary}");
        }
        for file in FOLDERS.dirs().flat_map(Dir::files) {
            let found = SECRETS.find(file.contents_utf8().unwrap());
            assert!(found.is_none(), "{}: {found:?}", file.path().display());
        }
    }
}
