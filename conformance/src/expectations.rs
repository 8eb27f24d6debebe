//! Known failures and skips of one deployment, each with its reason. An entry that no longer occurs
//! is an error, so the list cannot rot.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Deserializer, de::Error as _};
use toml::Spanned;

use crate::{
    toml_file::{self, Fault, line_of},
    verdict::Verdict,
};

/// How similar a case's id must be to be proposed in place of an unknown one.
#[expect(clippy::disallowed_types, reason = "a ratio of letters, no money")]
const MIN_SIMILARITY: f32 = 0.6;

/// What one deployment is known to do; without a file, that every case passes or is skipped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expectations {
    path: PathBuf,
    by_case: BTreeMap<String, (usize, Entry)>,
}

/// How one case ended, compared with the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub(crate) expected: bool,
    /// The file's comment on the case.
    pub(crate) comment: Option<String>,
    /// What to do about an entry that did not occur.
    pub(crate) advice: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    expect: Vec<Entry>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    case: Spanned<String>,
    #[serde(deserialize_with = "listed")]
    verdict: Verdict,
    because: Spanned<String>,
}

/// A pass needs no entry, and an error of the suite must not become normal.
fn listed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Verdict, D::Error> {
    match Verdict::deserialize(deserializer)? {
        Verdict::Pass | Verdict::Error => {
            Err(D::Error::custom("an entry lists `fail`, `skipped` or `inconclusive`"))
        }
        verdict => Ok(verdict),
    }
}

impl Expectations {
    /// Reads a file; `known` are the ids of all cases of the suite.
    pub(crate) fn read(path: &Path, known: &[&str]) -> Result<Self, String> {
        let text = toml_file::read_text(path).map_err(|error| {
            let path = path.display();
            format!("the expectations file {path} cannot be read: {error}")
        })?;
        Self::parse(&text, path, known)
    }

    /// Whether the file foresees that a case ended so; without an entry, a pass or a skip is.
    pub(crate) fn judge(&self, case_id: &str, verdict: Verdict) -> Judgement {
        let Some((line, entry)) = self.by_case.get(case_id) else {
            return Judgement {
                expected: matches!(verdict, Verdict::Pass | Verdict::Skipped),
                comment: None,
                advice: None,
            };
        };
        let expected = entry.verdict == verdict;
        Judgement {
            expected,
            comment: Some(entry.because.get_ref().trim().to_owned()),
            advice: (!expected).then(|| self.advice(*line, entry.verdict, verdict)),
        }
    }

    fn advice(&self, line: usize, listed: Verdict, verdict: Verdict) -> String {
        let place = format!("{}, line {line}", self.path.display());
        let (listed, ended) = (listed.name(), verdict.name());
        let advice = match verdict {
            Verdict::Pass | Verdict::Skipped => "remove the entry",
            // An error of the suite says nothing about the deployment.
            Verdict::Error => "keep the entry until the case has run",
            Verdict::Fail | Verdict::Inconclusive => "find out why, then update the entry",
        };
        format!("it lists {listed:?}, the case ended with {ended:?}: {advice} ({place})")
    }

    fn parse(text: &str, path: &Path, known: &[&str]) -> Result<Self, String> {
        let written: Written =
            toml_file::parse(text).map_err(|Fault { line, what }| list(path, &[(line, what)]))?;
        let mut expectations = Self { path: path.to_owned(), by_case: BTreeMap::new() };
        let mut faults = Vec::new();
        for entry in written.expect {
            let line = line_of(text, entry.case.span().start);
            if entry.because.get_ref().trim().is_empty() {
                let line = line_of(text, entry.because.span().start);
                let what = "because is empty: write the reason, or name the issue";
                faults.push((line, what.to_owned()));
            }
            let id = entry.case.get_ref().clone();
            if !known.contains(&id.as_str()) {
                faults.push((line, unknown(&id, known)));
            }
            if let Some((first, _)) = expectations.by_case.insert(id.clone(), (line, entry)) {
                let what = format!("{id:?} is already on line {first}: keep one of the two");
                faults.push((line, what));
            }
        }
        if faults.is_empty() { Ok(expectations) } else { Err(list(path, &faults)) }
    }
}

/// That there is no such case, and the one that may be meant.
pub(crate) fn unknown(id: &str, known: &[&str]) -> String {
    let close = similar::get_close_matches(id, known, 1, MIN_SIMILARITY);
    let instead = match close.as_slice() {
        [close, ..] => format!("did you mean {close:?}?"),
        [] => "`payout-conformance list` lists all".to_owned(),
    };
    format!("there is no case {id:?}: {instead}")
}

fn list(path: &Path, faults: &[(usize, String)]) -> String {
    let lines =
        faults.iter().map(|(line, what)| format!("{}, line {line}: {what}", path.display()));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator as _;

    use super::*;

    const KNOWN: [&str; 2] = ["partners.get.by-external-id", "partners.update.name-too-long"];

    fn entry(case: &str, verdict: &str, because: &str) -> String {
        format!("[[expect]]\ncase = {case:?}\nverdict = {verdict:?}\nbecause = {because:?}\n")
    }

    fn parse(text: &str) -> Result<Expectations, String> {
        Expectations::parse(text, Path::new("e.toml"), &KNOWN)
    }

    /// Each verdict of a case with and without an entry.
    #[test]
    fn ends_of_cases_are_judged_as_they_were_reviewed() {
        let listed = parse(&format!("\n{}", entry(KNOWN[0], "fail", " PAY-7: known "))).unwrap();
        let mut judged = String::new();
        for case in KNOWN {
            for verdict in Verdict::iter() {
                let Judgement { expected, comment, advice } = listed.judge(case, verdict);
                let expected = if expected { "expected" } else { "unexpected" };
                let texts = [comment, advice].map(Option::unwrap_or_default).join(" | ");
                judged.push_str(&format!("{case} {}: {expected} {texts}\n", verdict.name()));
            }
        }
        insta::assert_snapshot!(judged);
        let skipped = parse(&entry(KNOWN[0], "skipped", "no hook")).unwrap();
        assert!(!skipped.judge(KNOWN[0], Verdict::Pass).expected);
        assert!(skipped.judge(KNOWN[0], Verdict::Skipped).expected);
    }

    /// The README's example of a file, and what it says of an entry that did not occur.
    #[test]
    fn example_of_the_readme_is_a_file_and_its_advice_is_given() {
        let readme = include_str!("../README.md");
        let start = readme.find("[[expect]]").unwrap();
        let example = readme[start..].split("```").next().unwrap();
        let known: Vec<&str> = crate::probes::all_cases().iter().map(|case| case.id).collect();
        let path = Path::new("staging.expectations.toml");
        let expectations = Expectations::parse(example, path, &known).unwrap();
        let (id, (_, first)) =
            expectations.by_case.iter().min_by_key(|(_, (line, _))| line).unwrap();
        assert_eq!(first.verdict, Verdict::Fail);
        let advice = expectations.judge(id, Verdict::Pass).advice.unwrap();
        assert!(readme.contains(&advice), "{advice}");
    }

    #[test]
    fn all_faults_of_a_file_are_reported_as_they_were_reviewed() {
        let several = [
            entry(KNOWN[0], "fail", " "),
            entry("partners.get.by-externalid", "fail", "x"),
            entry("zzz", "fail", "x"),
            entry(KNOWN[0], "skipped", "x"),
        ];
        let reported = [
            several.concat(),
            entry(KNOWN[0], "pass", "x"),
            entry(KNOWN[0], "error", "x"),
            format!("[[expect]]\ncase = {:?}\nverdict = \"fail\"\n", KNOWN[0]),
            "[[expects]]\n".to_owned(),
        ];
        let reported = reported.map(|text| format!("{text}=> {}\n", parse(&text).unwrap_err()));
        insta::assert_snapshot!(reported.join("\n"));
    }
}
