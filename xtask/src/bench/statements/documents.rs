//! Typesetting alone, by the server's bench target: each size in its own process, so that the peak
//! memory is its own. The rate is per CPU second, which other load on the machine hardly affects.

use std::{path::Path, process::Command};

use serde::Deserialize;

use super::{LONG_LINES, USUAL_LINES};
use crate::{
    Result,
    bench::{
        run::progress,
        stat::{median, megabytes},
    },
    program::{RELEASE, build, output},
    table::{Table, count, number},
};

/// Lines of a document, and documents in a round; 20,000 lines is the longest (S2).
const SIZES: [(usize, usize); 3] = [(USUAL_LINES, 1_000), (LONG_LINES, 1), (20_000, 1)];
const ROUNDS: usize = 7;

/// The cost of documents of one size; medians of the rounds.
#[derive(Clone, Debug)]
pub(super) struct Documents {
    pub(super) lines: usize,
    pub(super) per_cpu_second: f64,
    /// The time of a process' first document.
    pub(super) first_milliseconds: f64,
    pub(super) milliseconds: f64,
    pub(super) kilobytes: f64,
    /// Peak memory of the process.
    pub(super) peak_megabytes: Option<f64>,
}

/// The output of the bench target.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Output {
    first: Cost,
    rounds: Vec<Cost>,
    peak_bytes: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cost {
    cpu_nanoseconds: f64,
    nanoseconds: f64,
    bytes: f64,
}

/// Builds the server's bench target and measures every size.
pub(super) fn measure_all(root: &Path) -> Result<Vec<Documents>> {
    progress("building the server's bench target (some minutes the first time)");
    let program = build(root, &RELEASE, "--bench", "statements")?;
    let measured = SIZES.map(|(lines, documents)| {
        progress(&format!("documents of {lines} lines"));
        measure(&program, lines, documents)
    });
    measured.into_iter().collect()
}

fn measure(program: &Path, lines: usize, documents: usize) -> Result<Documents> {
    let arguments = [lines, documents, ROUNDS].map(|number| number.to_string());
    let output = output(Command::new(program).args(arguments))?;
    summarize(lines, documents, output.as_bytes())
        .ok_or_else(|| format!("{} wrote unexpected output:\n{output}", program.display()).into())
}

fn summarize(lines: usize, documents: usize, output: &[u8]) -> Option<Documents> {
    let Output { first, rounds, peak_bytes } = serde_json::from_slice(output).ok()?;
    let documents = documents as f64;
    let median = |cost: fn(&Cost) -> f64| median(rounds.iter().map(cost));
    Some(Documents {
        lines,
        per_cpu_second: documents / (median(|round| round.cpu_nanoseconds)? / 1e9),
        first_milliseconds: first.nanoseconds / 1e6,
        milliseconds: median(|round| round.nanoseconds)? / documents / 1e6,
        kilobytes: median(|round| round.bytes)? / documents / 1e3,
        peak_megabytes: peak_bytes.map(megabytes),
    })
}

pub(super) fn table(measured: &[Documents]) -> Table {
    let row = |size: &Documents| {
        vec![
            count(size.lines),
            number(size.per_cpu_second, 1),
            number(size.milliseconds, 1),
            number(size.first_milliseconds, 1),
            number(size.kilobytes, 0),
            number(size.peak_megabytes, 1),
        ]
    };
    Table {
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
            "first": round(9),
            "rounds": [round(10), round(500), round(20)],
            "peakBytes": 64_000_000,
        });
        let documents = summarize(25, 10, measured.to_string().as_bytes()).unwrap();
        assert_eq!(documents.per_cpu_second, 500.0);
        assert_eq!(documents.milliseconds, 4.0);
        assert_eq!(documents.first_milliseconds, 18.0);
        assert_eq!(documents.kilobytes, 4.0);
        assert_eq!(documents.peak_megabytes, Some(64.0));
        assert_eq!(table(&[documents]).rows[0].len(), 6);
    }
}
