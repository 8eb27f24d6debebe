//! Known failures and skips of one deployment, each with its reason: what lets a suite stay red nowhere but where it is news.
//!
//! It refuses an entry that no longer happens: a list that is not read shrinks never.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use toml::Spanned;

use crate::{
    toml_file::{self, Fault, line_of},
    verdict::Verdict,
};

/// How much of a case's id must agree before it is proposed in place of an unknown one.
const LIKENESS: Likeness = 0.6;

#[expect(clippy::disallowed_types, reason = "a share of letters, no money")]
type Likeness = f32;

/// What one deployment is known to do. Without a file: that every case passes or is skipped.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    path: PathBuf,
    by_case: BTreeMap<String, Entry>,
}

/// How one case ended, held against the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// Whether the file, or its silence, foresaw that.
    pub expected: bool,
    /// The file's comment on the case.
    pub comment: Option<String>,
    /// Of an entry that did not happen: what the file said, and what to do about it.
    pub remark: Option<String>,
}

/// Why an expectations file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ExpectationsError {
    /// It cannot be read.
    #[error("the expectations file {path} cannot be read: {source}", path = path.display())]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Its form, or entries of it: all that are wrong.
    #[error("{}", list(path, faults))]
    Faults {
        /// Which file.
        path: PathBuf,
        /// Line, counted from 1, and what is wrong there.
        faults: Vec<(usize, String)>,
    },
}

#[derive(Clone, Debug)]
struct Entry {
    line: usize,
    verdict: Verdict,
    because: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    expect: Vec<WrittenEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenEntry {
    case: Spanned<String>,
    verdict: WrittenVerdict,
    because: Spanned<String>,
}

/// A pass needs no entry, and an error of the suite is nothing to get used to.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WrittenVerdict {
    Fail,
    Skipped,
    Inconclusive,
}

impl Expectations {
    /// Reads a file; `known` are the ids of all cases of the suite.
    ///
    /// # Errors
    /// It cannot be read, or an entry is not of its form, has no comment, stands twice or names no case.
    pub fn read(path: &Path, known: &[&str]) -> Result<Self, ExpectationsError> {
        let text = toml_file::read_text(path).map_err(|source| ExpectationsError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text, path, known)
    }

    /// Whether the file, or its silence, foresaw that a case ended so. Silence foresees a pass and a skip.
    #[must_use]
    pub fn judge(&self, case_id: &str, verdict: Verdict) -> Judgement {
        let Some(entry) = self.by_case.get(case_id) else {
            return Judgement {
                expected: matches!(verdict, Verdict::Pass | Verdict::Skipped),
                comment: None,
                remark: None,
            };
        };
        let expected = entry.verdict == verdict;
        Judgement {
            expected,
            comment: Some(entry.because.clone()),
            remark: (!expected).then(|| self.remark(entry, verdict)),
        }
    }

    fn remark(&self, entry: &Entry, verdict: Verdict) -> String {
        let place = format!("{}, line {}", self.path.display(), entry.line);
        let (said, ended) = (entry.verdict.name(), verdict.name());
        let mend = match verdict {
            Verdict::Pass | Verdict::Skipped => "remove the entry",
            // That the suite failed says nothing of the deployment.
            Verdict::Error => "keep the entry until the case has run",
            Verdict::Fail | Verdict::Inconclusive => "see why, then write what is known now",
        };
        format!("expected {said:?} did not happen, the case ended with {ended:?}: {mend} ({place})")
    }

    fn parse(text: &str, path: &Path, known: &[&str]) -> Result<Self, ExpectationsError> {
        let refuse = |faults| ExpectationsError::Faults {
            path: path.to_owned(),
            faults,
        };
        let written: Written =
            toml_file::parse(text).map_err(|Fault { line, what }| refuse(vec![(line, what)]))?;
        let mut expectations = Self {
            path: path.to_owned(),
            by_case: BTreeMap::new(),
        };
        let mut faults = Vec::new();
        for entry in written.expect {
            let line = line_of(text, entry.case.span().start);
            if entry.because.get_ref().trim().is_empty() {
                let line = line_of(text, entry.because.span().start);
                let what = "because is empty: write why this is known, or which issue tells it";
                faults.push((line, what.to_owned()));
            }
            let id = entry.case.into_inner();
            if !known.contains(&id.as_str()) {
                faults.push((line, unknown(&id, known)));
            }
            let new = Entry {
                line,
                verdict: entry.verdict.into(),
                because: entry.because.into_inner().trim().to_owned(),
            };
            if let Some(first) = expectations.by_case.insert(id.clone(), new) {
                let what = format!(
                    "{id:?} stands on line {} already: keep one of the two",
                    first.line
                );
                faults.push((line, what));
            }
        }
        if faults.is_empty() {
            Ok(expectations)
        } else {
            Err(refuse(faults))
        }
    }
}

impl From<WrittenVerdict> for Verdict {
    fn from(written: WrittenVerdict) -> Self {
        match written {
            WrittenVerdict::Fail => Self::Fail,
            WrittenVerdict::Skipped => Self::Skipped,
            WrittenVerdict::Inconclusive => Self::Inconclusive,
        }
    }
}

fn unknown(id: &str, known: &[&str]) -> String {
    let close = similar::get_close_matches(id, known, 1, LIKENESS);
    let instead = match close.as_slice() {
        [close, ..] => format!("did you mean {close:?}?"),
        [] => "`payout-conformance list` shows them all".to_owned(),
    };
    format!("there is no case {id:?}: {instead}")
}

fn list(path: &Path, faults: &[(usize, String)]) -> String {
    let lines = faults
        .iter()
        .map(|(line, what)| format!("{}, line {line}: {what}", path.display()));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 2] = [
        "partners.get.by-external-id",
        "partners.update.name-too-long",
    ];

    fn parse(text: &str) -> Result<Expectations, ExpectationsError> {
        Expectations::parse(text, Path::new("e.toml"), &KNOWN)
    }

    fn entry(case: &str, verdict: &str, because: &str) -> String {
        format!("[[expect]]\ncase = {case:?}\nverdict = {verdict:?}\nbecause = {because:?}\n")
    }

    fn told(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn silence_foresees_pass_and_skip_alone() {
        let silent = parse("").unwrap();
        for (verdict, expected) in [
            (Verdict::Pass, true),
            (Verdict::Skipped, true),
            (Verdict::Fail, false),
            (Verdict::Inconclusive, false),
            (Verdict::Error, false),
        ] {
            let judgement = silent.judge(KNOWN[0], verdict);
            assert_eq!(judgement.expected, expected, "{verdict:?}");
            assert_eq!((judgement.comment, judgement.remark), (None, None));
        }
    }

    #[test]
    fn listed_failure_is_expected_with_its_comment_and_of_no_other_case() {
        let listed = parse(&entry(KNOWN[0], "fail", " PAY-7: ignored there ")).unwrap();
        let judgement = listed.judge(KNOWN[0], Verdict::Fail);
        assert!(judgement.expected && judgement.remark.is_none());
        assert_eq!(judgement.comment.as_deref(), Some("PAY-7: ignored there"));
        assert!(!listed.judge(KNOWN[1], Verdict::Fail).expected);
    }

    #[test]
    fn entry_that_did_not_happen_is_unexpected_and_says_what_to_do() {
        let listed = parse(&format!("\n{}", entry(KNOWN[0], "fail", "known"))).unwrap();
        for (verdict, mend) in [
            (Verdict::Pass, "remove the entry (e.toml, line 3)"),
            (Verdict::Skipped, "remove the entry"),
            (Verdict::Inconclusive, "see why"),
            (Verdict::Error, "keep the entry"),
        ] {
            let judgement = listed.judge(KNOWN[0], verdict);
            assert!(!judgement.expected, "{verdict:?}");
            let remark = judgement.remark.unwrap();
            assert!(
                remark.contains("did not happen") && remark.contains(mend),
                "{remark}"
            );
        }
        let skipped = parse(&entry(KNOWN[0], "skipped", "no hook")).unwrap();
        assert!(!skipped.judge(KNOWN[0], Verdict::Pass).expected);
        assert!(skipped.judge(KNOWN[0], Verdict::Skipped).expected);
    }

    #[test]
    fn unknown_case_is_refused_with_the_closest_one() {
        let error = told(&entry("partners.get.by-externalid", "fail", "known"));
        assert!(error.starts_with("e.toml, line 2: "), "{error}");
        assert!(
            error.contains("did you mean \"partners.get.by-external-id\"?"),
            "{error}"
        );
        let error = told(&entry("zzz", "fail", "known"));
        assert!(error.contains("payout-conformance list"), "{error}");
    }

    #[test]
    fn all_faults_of_entries_are_told_at_once_with_their_lines() {
        let text = [
            entry(KNOWN[0], "fail", " "),
            entry("zzz", "fail", "x"),
            entry(KNOWN[0], "skipped", "x"),
        ]
        .concat();
        let error = told(&text);
        for fault in [
            "line 4: because is empty",
            "line 6: there is no case",
            "line 10: \"partners.get.by-external-id\" stands on line 2",
        ] {
            assert!(error.contains(fault), "{fault}: {error}");
        }
    }

    #[test]
    fn entry_of_another_form_is_refused_with_what_could_stand_there() {
        for (text, line, instead) in [
            (entry(KNOWN[0], "pass", "x"), 3, "`inconclusive`"),
            (entry(KNOWN[0], "error", "x"), 3, "`skipped`"),
            (
                format!("[[expect]]\ncase = {:?}\nverdict = \"fail\"\n", KNOWN[0]),
                1,
                "`because`",
            ),
            ("[[expects]]\n".to_owned(), 1, "`expect`"),
        ] {
            let error = told(&text);
            assert!(
                error.contains(&format!("line {line}: ")) && error.contains(instead),
                "{error}"
            );
        }
    }

    #[test]
    fn file_that_is_not_there_is_named() {
        let error = Expectations::read(Path::new("no-such.toml"), &KNOWN).unwrap_err();
        assert!(error.to_string().contains("no-such.toml"), "{error}");
    }
}
