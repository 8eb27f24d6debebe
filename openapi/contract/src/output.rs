//! The output of commands, and the formats in which they print findings: annotations, SARIF and
//! JUnit here, text and JSON by each command.

use std::{
    collections::BTreeSet,
    fmt::{Display, Write as _},
    io::{ErrorKind, Write as _},
    process,
};

use serde_json::{Value, json};

/// The exit status of a command that could not run.
pub const COULD_NOT_RUN: u8 = 2;

/// Prints a line like `println!`, by [`write`].
macro_rules! print_line {
    ($($text:tt)*) => {
        $crate::output::write(format_args!("{}\n", format_args!($($text)*)))
    };
}
pub(crate) use print_line;

/// Writes to the standard output. A closed one, as after `| head`, is no error; another error, such
/// as a full disk, ends the program.
pub fn write(text: impl Display) {
    let mut stdout = anstream::stdout();
    if let Err(error) = write!(stdout, "{text}").and_then(|()| stdout.flush())
        && error.kind() != ErrorKind::BrokenPipe
    {
        write_error(format_args!("could not write to the standard output: {error}"));
        process::exit(COULD_NOT_RUN.into());
    }
}

/// Writes a line to the standard error. Nobody can be told that this fails.
pub fn write_error(line: impl Display) {
    drop(writeln!(anstream::stderr(), "{line}"));
}

/// For whom the findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// For people: one line with `file:line:column` for each finding.
    #[default]
    Text,
    /// For programs.
    Json,
    /// Annotations of GitHub Actions.
    Github,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit's XML, for reports of tests.
    Junit,
}

/// A finding as the formats of others have it.
#[derive(Debug)]
pub(crate) struct Entry {
    /// `error`, `warning` or `notice`.
    pub(crate) level: &'static str,
    /// True if the command fails because of it.
    pub(crate) fails: bool,
    pub(crate) rule: String,
    /// File, line and column.
    pub(crate) place: Option<(String, u32, Option<u32>)>,
    pub(crate) message: String,
    /// The same for the finding after it has moved.
    pub(crate) fingerprint: Option<String>,
    /// The reason for which it was accepted.
    pub(crate) accepted: Option<String>,
}

/// The findings of a command in a format of others; `None` for those that each command prints.
pub(crate) fn print(command: &str, entries: &[Entry], format: Format) -> Option<String> {
    match format {
        Format::Text | Format::Json => None,
        Format::Github => {
            let open = entries.iter().filter(|entry| entry.accepted.is_none());
            Some(open.map(|entry| annotation(entry) + "\n").collect())
        }
        Format::Sarif => Some(format!("{:#}\n", sarif(command, entries))),
        Format::Junit => Some(junit(command, entries)),
    }
}

/// An annotation of GitHub Actions.
fn annotation(Entry { level, rule, place, message, .. }: &Entry) -> String {
    let Some((file, line, column)) = place else {
        return format!("::{level} ::{}", data(message));
    };
    let column = column.map(|column| format!(",col={column}")).unwrap_or_default();
    let (file, title, message) = (property(file), property(rule), data(message));
    format!("::{level} file={file},line={line}{column},title={title}::{message}")
}

/// Escapes the characters with a meaning in a command of GitHub Actions.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

fn sarif(command: &str, entries: &[Entry]) -> Value {
    let rules: BTreeSet<&str> = entries.iter().map(|entry| entry.rule.as_str()).collect();
    let rules: Vec<Value> = rules.into_iter().map(|id| json!({ "id": id })).collect();
    let driver = json!({
        "name": format!("contract {command}"),
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    let results: Vec<Value> = entries.iter().map(result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "results": results }],
    })
}

fn result(entry: &Entry) -> Value {
    let level = if entry.level == "notice" { "note" } else { entry.level };
    let mut result = json!({
        "ruleId": entry.rule,
        "level": level,
        "message": { "text": entry.message },
    });
    if let Some((file, line, column)) = &entry.place {
        let mut region = json!({ "startLine": line });
        if let Some(column) = column {
            region["startColumn"] = json!(column);
        }
        let artifact = json!({ "uri": uri(file) });
        let physical = json!({ "artifactLocation": artifact, "region": region });
        result["locations"] = json!([{ "physicalLocation": physical }]);
    }
    if let Some(fingerprint) = &entry.fingerprint {
        result["partialFingerprints"] = json!({ "contract/v1": fingerprint });
    }
    if let Some(reason) = &entry.accepted {
        result["suppressions"] = json!([{ "kind": "external", "justification": reason }]);
    }
    result
}

/// A path as the reference of a URI.
fn uri(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let byte = |byte: u8| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    path.bytes().map(byte).collect()
}

fn junit(command: &str, entries: &[Entry]) -> String {
    let name = format!("contract {command}");
    let failures = entries.iter().filter(|entry| entry.fails).count();
    // A report without a test is an error for some.
    let tests = entries.len().max(1);
    let counts = format!("name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\"");
    let mut cases = String::new();
    if entries.is_empty() {
        _ = writeln!(cases, "    <testcase classname=\"{name}\" name=\"no finding\"/>");
    }
    for Entry { level, fails, rule, place, message, accepted, .. } in entries {
        let place = place.as_ref().map(|(file, line, column)| {
            let column = column.map(|column| format!(":{column}")).unwrap_or_default();
            format!("{file}:{line}{column}")
        });
        let (rule, place) = (xml(rule), xml(&place.unwrap_or_default()));
        let message = xml(message);
        let outcome = match accepted {
            Some(reason) => format!("<skipped message=\"{}\"/>", xml(reason)),
            None if *fails => format!("<failure type=\"{level}\" message=\"{message}\"/>"),
            None => format!("<system-out>{level}: {message}</system-out>"),
        };
        _ = writeln!(
            cases,
            "    <testcase classname=\"{name}.{rule}\" name=\"{place}\">{outcome}</testcase>"
        );
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite \
         {counts}>\n{cases}  </testsuite>\n</testsuites>\n"
    )
}

/// A text in XML, which has no control characters.
fn xml(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\u{fffe}' | '\u{ffff}' => {}
            other if other.is_control() => {}
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> [Entry; 2] {
        let first = Entry {
            level: "error",
            fails: true,
            rule: "rule".to_owned(),
            place: Some(("a,b c.yaml".to_owned(), 3, Some(7))),
            message: "50 %: <one>\ntwo\u{1b}".to_owned(),
            fingerprint: Some("0f".to_owned()),
            accepted: None,
        };
        let second = Entry {
            level: "notice",
            fails: false,
            rule: "other".to_owned(),
            place: None,
            message: "A second one.".to_owned(),
            fingerprint: None,
            accepted: Some("\"Nobody\" & nothing.".to_owned()),
        };
        [first, second]
    }

    fn printed(format: Format) -> String {
        print("lint", &entries(), format).unwrap()
    }

    #[test]
    fn annotation_escapes_what_would_end_a_property() {
        let first =
            "::error file=a%2Cb c.yaml,line=3,col=7,title=rule::50 %25: <one>%0Atwo\u{1b}\n";
        assert_eq!(printed(Format::Github), first);
    }

    #[test]
    fn sarif_has_levels_places_fingerprints_and_reasons() {
        let report: Value = serde_json::from_str(&printed(Format::Sarif)).unwrap();
        assert_eq!(report["version"], "2.1.0");
        let run = &report["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"], json!([{ "id": "other" }, { "id": "rule" }]));
        let place = json!([{ "physicalLocation": {
            "artifactLocation": { "uri": "a%2Cb%20c.yaml" },
            "region": { "startLine": 3, "startColumn": 7 },
        } }]);
        let expected = json!([
            {
                "ruleId": "rule",
                "level": "error",
                "message": { "text": "50 %: <one>\ntwo\u{1b}" },
                "locations": place,
                "partialFingerprints": { "contract/v1": "0f" },
            },
            {
                "ruleId": "other",
                "level": "note",
                "message": { "text": "A second one." },
                "suppressions": [
                    { "kind": "external", "justification": "\"Nobody\" & nothing." },
                ],
            },
        ]);
        assert_eq!(run["results"], expected);
    }

    #[test]
    fn junit_has_a_case_for_each_finding_and_one_where_there_is_none() {
        let cases: Vec<String> = printed(Format::Junit).lines().map(str::to_owned).collect();
        let counts = "name=\"contract lint\" tests=\"2\" failures=\"1\"";
        assert_eq!(cases[1], format!("<testsuites {counts}>"));
        assert_eq!(
            cases[3].trim(),
            "<testcase classname=\"contract lint.rule\" name=\"a,b c.yaml:3:7\"><failure \
             type=\"error\" message=\"50 %: &lt;one&gt;&#10;two\"/></testcase>"
        );
        assert_eq!(
            cases[4].trim(),
            "<testcase classname=\"contract lint.other\" name=\"\"><skipped \
             message=\"&quot;Nobody&quot; &amp; nothing.\"/></testcase>"
        );
        let none = print("lint", &[], Format::Junit).unwrap();
        assert!(none.contains("tests=\"1\" failures=\"0\""), "{none}");
    }
}
