//! Typesetting alone: the server's own bench target, in a process for each size, so that the peak of memory is its own.
//!
//! It refuses the clock on the wall for the rate: processor time does not care what else the machine does.

use std::{io, path::Path, process::Command, time::Duration};

use serde_json::Value;

use crate::bench::figure::{Figure, median};

/// What is typeset: lines of a document, and documents of a round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) lines: u32,
    documents: u32,
}

/// The usual statement, the long one that has a goal, and the longest (S2).
pub(crate) const SIZES: [Size; 3] = [size(25, 1_000), size(2_000, 1), size(20_000, 1)];
const ROUNDS: u32 = 7;

const fn size(lines: u32, documents: u32) -> Size {
    Size { lines, documents }
}

/// What typesetting one size took.
#[derive(Clone, Debug)]
pub(crate) struct Documents {
    pub(crate) lines: u32,
    /// Documents for each second of processor time; the median of the rounds.
    pub(crate) rate: Figure,
    /// Milliseconds on the clock of one document: of a process' first, and the median of the rounds.
    pub(crate) first: Figure,
    pub(crate) usual: Figure,
    pub(crate) kilobytes: Figure,
    /// Most memory of the process; `None` where the system does not tell.
    pub(crate) peak: Option<Figure>,
}

/// Why documents could not be measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DocumentsError {
    /// The program cannot be started.
    #[error("the server's bench target cannot be started: {0}")]
    Start(io::Error),
    /// It failed, or said what is not understood.
    #[error(
        "the server's bench target does not tell what it measured; see `cargo bench --bench statements`: {0}"
    )]
    Output(String),
}

/// Typesets documents of one size in a process of their own.
///
/// # Errors
/// The program fails.
pub(crate) fn measure(program: &Path, size: Size) -> Result<Documents, DocumentsError> {
    let arguments = [size.lines, size.documents, ROUNDS].map(|number| number.to_string());
    let output = Command::new(program)
        .args(arguments)
        .output()
        .map_err(DocumentsError::Start)?;
    let told = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if !output.status.success() {
        return Err(DocumentsError::Output(told(&output.stderr)));
    }
    let text = told(&output.stdout);
    let measured = serde_json::from_str(&text).ok();
    let documents = measured.and_then(|measured: Value| summarize(size, &measured));
    documents.ok_or(DocumentsError::Output(text))
}

fn summarize(size: Size, measured: &Value) -> Option<Documents> {
    let documents = u64::from(size.documents);
    let rounds = measured["rounds"].as_array()?;
    let each = |name: &str| -> Option<u64> {
        let values: Option<Vec<u64>> = rounds.iter().map(|round| round[name].as_u64()).collect();
        median(values?)
    };
    let milliseconds = |nanoseconds: u64, count: u64| {
        Figure::quotient(nanoseconds.into(), u128::from(count) * 1_000_000)
    };
    Some(Documents {
        lines: size.lines,
        rate: Figure::per_second(documents, Duration::from_nanos(each("cpuNanoseconds")?)),
        first: milliseconds(measured["first"]["nanoseconds"].as_u64()?, 1),
        usual: milliseconds(each("nanoseconds")?, documents),
        kilobytes: Figure::quotient(each("bytes")?.into(), u128::from(documents) * 1_000),
        peak: measured["peakBytes"].as_u64().map(Figure::megabytes),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rounds_become_their_median() {
        let round = |milliseconds: u64| json!({ "cpuNanoseconds": milliseconds * 1_000_000, "nanoseconds": milliseconds * 2_000_000, "bytes": 40_000 });
        let measured = json!({
            "first": { "nanoseconds": 9_000_000 },
            "rounds": [round(10), round(500), round(20)],
            "peakBytes": 64_000_000,
        });
        let documents = summarize(size(25, 10), &measured).unwrap();
        assert_eq!(documents.rate.text(0), "500");
        assert_eq!(documents.usual.text(0), "4");
        assert_eq!(documents.first.text(0), "9");
        assert_eq!(documents.kilobytes.text(0), "4");
        assert_eq!(documents.peak.unwrap().text(0), "64");
    }

    #[test]
    fn what_was_not_told_is_not_made_up() {
        assert!(summarize(size(25, 10), &json!({ "rounds": [] })).is_none());
        let unknown = json!({ "first": {}, "rounds": [{ "cpuNanoseconds": "1" }] });
        assert!(summarize(size(25, 10), &unknown).is_none());
    }
}
