//! Typesetting alone, by the server's bench target: each size in its own process, so that the peak
//! memory is its own. The rate is per CPU second, which other load on the machine hardly affects.

use std::{path::Path, process::Command};

use serde_json::Value;

use super::{LONG_LINES, USUAL_LINES};
use crate::{
    Result,
    bench::{
        report::{Cell, Table},
        run::progress,
        stat::{median, megabytes},
    },
    program::{Program, build},
};

/// Lines of a document, and documents in a round; 20,000 lines is the longest (S2).
const SIZES: [(usize, usize); 3] = [(USUAL_LINES, 1_000), (LONG_LINES, 1), (20_000, 1)];
const ROUNDS: usize = 7;

/// The cost of documents of one size; medians of the rounds.
#[derive(Clone, Debug)]
pub(super) struct Documents {
    pub(super) lines: usize,
    pub(super) per_cpu_second: f64,
    /// Of a process' first document.
    pub(super) first_milliseconds: f64,
    pub(super) milliseconds: f64,
    pub(super) kilobytes: f64,
    /// Peak memory of the process.
    pub(super) peak_megabytes: Option<f64>,
}

/// Builds the server's bench target and measures every size.
pub(super) fn measure_all(root: &Path) -> Result<Vec<Documents>> {
    progress("building the server's bench target (some minutes the first time)");
    let program = build(root, Program::Bench("statements"))?;
    let mut measured = Vec::new();
    for (lines, documents) in SIZES {
        progress(&format!("documents of {lines} lines"));
        measured.push(measure(&program, lines, documents)?);
    }
    Ok(measured)
}

fn measure(program: &Path, lines: usize, documents: usize) -> Result<Documents> {
    let arguments = [lines, documents, ROUNDS].map(|number| number.to_string());
    let mut command = Command::new(program);
    let output = command.args(arguments).output()?;
    let measured = serde_json::from_slice(&output.stdout).ok();
    let measured = measured.filter(|_| output.status.success());
    let summary = measured.and_then(|measured: Value| summarize(lines, documents, &measured));
    summary.ok_or_else(|| {
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        format!("{} failed or wrote unexpected output:\n{text}", program.display()).into()
    })
}

fn summarize(lines: usize, documents: usize, measured: &Value) -> Option<Documents> {
    let documents = documents as f64;
    let rounds = measured["rounds"].as_array()?;
    let each = |name: &str| -> Option<f64> {
        let values: Option<Vec<f64>> = rounds.iter().map(|round| round[name].as_f64()).collect();
        median(values?)
    };
    Some(Documents {
        lines,
        per_cpu_second: documents / (each("cpuNanoseconds")? / 1e9),
        first_milliseconds: measured["first"]["nanoseconds"].as_f64()? / 1e6,
        milliseconds: each("nanoseconds")? / documents / 1e6,
        kilobytes: each("bytes")? / documents / 1e3,
        peak_megabytes: measured["peakBytes"].as_u64().map(megabytes),
    })
}

pub(super) fn table(measured: &[Documents]) -> Table {
    let row = |size: &Documents| {
        vec![
            Cell::count(size.lines),
            Cell::number(Some(size.per_cpu_second), 1),
            Cell::number(Some(size.milliseconds), 1),
            Cell::number(Some(size.first_milliseconds), 1),
            Cell::number(Some(size.kilobytes), 0),
            Cell::number(size.peak_megabytes, 1),
        ]
    };
    Table {
        title: "Documents, typeset on one thread",
        columns: vec![
            "lines",
            "documents per CPU second",
            "ms each",
            "ms of the first",
            "kB each",
            "peak MB",
        ],
        rows: measured.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rounds_become_their_median() {
        let round = |milliseconds: u64| {
            json!({
                "cpuNanoseconds": milliseconds * 1_000_000,
                "nanoseconds": milliseconds * 2_000_000,
                "bytes": 40_000,
            })
        };
        let measured = json!({
            "first": { "nanoseconds": 9_000_000 },
            "rounds": [round(10), round(500), round(20)],
            "peakBytes": 64_000_000,
        });
        let documents = summarize(25, 10, &measured).unwrap();
        assert_eq!(documents.per_cpu_second, 500.0);
        assert_eq!(documents.milliseconds, 4.0);
        assert_eq!(documents.first_milliseconds, 9.0);
        assert_eq!(documents.kilobytes, 4.0);
        assert_eq!(documents.peak_megabytes, Some(64.0));
        assert_eq!(table(&[documents]).rows[0].len(), 6);
    }

    #[test]
    fn incomplete_output_has_no_summary() {
        assert!(summarize(25, 10, &json!({ "rounds": [] })).is_none());
        let unknown = json!({ "first": {}, "rounds": [{ "cpuNanoseconds": "1" }] });
        assert!(summarize(25, 10, &unknown).is_none());
    }
}
