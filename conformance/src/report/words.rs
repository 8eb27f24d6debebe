//! What every report says in the same words: the sentence above all, the order, how to run a case alone.
//!
//! It refuses to judge anew: it reads the verdicts that are there.

use super::model::{CaseReport, CoverageReport, ExchangeReport, Remains, Report, Verdict};
use crate::{case::Changes, cases, clause::Source};

/// All verdicts, in the order in which a person wants to read them.
pub const VERDICTS: [Verdict; 5] = [
    Verdict::Fail,
    Verdict::Error,
    Verdict::Inconclusive,
    Verdict::Skipped,
    Verdict::Pass,
];

/// The cases, what to look at in front: by verdict, within it what nobody foresaw, else in the order of the suite.
#[must_use]
pub fn ranked(report: &Report) -> Vec<&CaseReport> {
    let mut cases: Vec<&CaseReport> = report.cases.iter().collect();
    cases.sort_by_key(|case| (case.verdict, case.expected));
    cases
}

/// The verdict that colours the whole run: the worst of its cases; of none, that nothing is proved.
#[must_use]
pub fn worst(report: &Report) -> Verdict {
    let worst = report.cases.iter().map(|case| case.verdict).min();
    worst.unwrap_or(Verdict::Inconclusive)
}

/// What the run means, in one sentence or two.
#[must_use]
pub fn headline(report: &Report) -> String {
    let summary = &report.summary;
    let total = report.cases.len();
    let profile = &report.target.profile;
    let without_verdict = summary.error + summary.inconclusive;
    let mut sentence = if total == 0 {
        "No case was run, so nothing is proved.".to_owned()
    } else if summary.fail > 0 {
        broken(report)
    } else if without_verdict > 0 {
        format!(
            "No clause was found broken, but {} of {total} came to no verdict: that this deployment conforms is not proved.",
            counted(without_verdict, "case", "cases")
        )
    } else if summary.pass == 0 {
        format!("All {total} cases were skipped, so nothing is proved.")
    } else if summary.skipped > 0 {
        format!(
            "Every case that ran kept its clause; {} of {total} {} would prove is left open.",
            summary.skipped,
            if summary.skipped == 1 {
                "was skipped, and what it"
            } else {
                "were skipped, and what they"
            }
        )
    } else {
        format!(
            "Every case kept its clause: nothing was found in which this deployment departs from the {profile} profile."
        )
    };
    let surprises = report.cases.iter().filter(|case| is_surprise(case)).count();
    if surprises > 0 {
        sentence.push_str(&format!(
            " {} passed or skipped where the expectations file foresees something else: mend it there.",
            counted(surprises, "case", "cases")
        ));
    }
    sentence
}

fn broken(report: &Report) -> String {
    let failed: Vec<&CaseReport> = of(report, Verdict::Fail).collect();
    let total = report.cases.len();
    let profile = &report.target.profile;
    let many = counted(failed.len(), "case", "cases");
    if failed.iter().all(|case| case.expected) {
        format!(
            "{many} of {total} found a clause broken, each foreseen by the expectations file: this deployment departs from the {profile} profile where it is known to."
        )
    } else if failed
        .iter()
        .all(|case| case.clause.source == Source::Decision)
    {
        format!(
            "{many} of {total} found a decision of this project broken, none a sentence of the specification: this deployment may have decided otherwise (--decisions off judges by the specification alone)."
        )
    } else {
        format!(
            "{many} of {total} found a clause broken: this deployment does not conform to the {profile} profile."
        )
    }
}

/// Whether a case passed or was skipped although the expectations file says something else.
#[must_use]
pub fn is_surprise(case: &CaseReport) -> bool {
    !case.expected && matches!(case.verdict, Verdict::Pass | Verdict::Skipped)
}

/// The cases that ended so, in the order of the suite.
pub fn of(report: &Report, verdict: Verdict) -> impl Iterator<Item = &CaseReport> {
    report
        .cases
        .iter()
        .filter(move |case| case.verdict == verdict)
}

/// What stands above the cases that ended so, and what such an end means.
#[must_use]
pub fn group(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Fail => ("Failed", "The deployment broke the clause."),
        Verdict::Error => (
            "Errors",
            "The suite itself, or the way to the deployment, failed: nothing is said about the clause.",
        ),
        Verdict::Inconclusive => (
            "Inconclusive",
            "The request that should succeed did not, so that a refusal proves nothing.",
        ),
        Verdict::Skipped => (
            "Skipped",
            "Something was missing that the case needs, so it was not run.",
        ),
        Verdict::Pass => ("Passed", "The deployment kept the clause."),
    }
}

/// How many cases ended how: those that ended so at all, the pass always.
#[must_use]
pub fn tally(report: &Report) -> String {
    let summary = &report.summary;
    let parts = [
        (summary.fail, "failed"),
        (
            summary.error,
            if summary.error == 1 {
                "error"
            } else {
                "errors"
            },
        ),
        (summary.inconclusive, "inconclusive"),
        (summary.skipped, "skipped"),
    ];
    let mut told: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    told.push(format!("{} passed", summary.pass));
    told.join(", ")
}

/// What a documented response lacks, as one phrase; none where it lacks nothing, or no client can provoke it.
#[must_use]
pub fn lack(coverage: &CoverageReport) -> Option<String> {
    if let Some(reason) = &coverage.exempt {
        return (coverage.responses > 0).then(|| {
            format!("it came, although it is exempt ({reason}): either this deployment is not sound, or the exemption goes")
        });
    }
    if coverage.responses == 0 {
        return Some("no such response was seen".to_owned());
    }
    let never = [
        ("header", &coverage.headers_missing),
        ("property", &coverage.properties_missing),
    ];
    let never: Vec<String> = never
        .iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(kind, names)| format!("{kind} never seen: {}", names.join(", ")))
        .collect();
    (!never.is_empty()).then(|| never.join("; "))
}

/// Invariants that responses of this case broke, each once, in order.
#[must_use]
pub fn broken_laws(case: &CaseReport) -> Vec<&str> {
    let mut invariants: Vec<&str> = Vec::new();
    for invariant in case
        .exchanges
        .iter()
        .flat_map(|exchange| &exchange.broken_laws)
    {
        if !invariants.contains(&invariant.as_str()) {
            invariants.push(invariant);
        }
    }
    invariants
}

/// The exchange that shows why a case ended so, with its index.
#[must_use]
pub fn telling_exchange(case: &CaseReport) -> Option<(usize, &ExchangeReport)> {
    let index = case.because.as_ref()?.exchange?;
    Some((index, case.exchanges.get(index)?))
}

/// The command that runs one case alone, judged as this run was, and with the consent that it needs.
#[must_use]
pub fn run_alone(report: &Report, case: &CaseReport) -> String {
    let target = &report.target;
    let mut command = format!(
        "payout-conformance run --target {} --case {}",
        shell_word(&target.file),
        shell_word(&case.id)
    );
    if !target.with_decisions {
        command.push_str(" --decisions off");
    }
    if target.read_only {
        command.push_str(" --read-only");
    } else if cannot_be_undone(case) {
        command.push_str(" --consent irreversible");
    }
    command
}

/// Whether a case changes what no request changes back.
#[must_use]
pub fn cannot_be_undone(case: &CaseReport) -> bool {
    let mut all = cases::all().into_iter();
    all.any(|known| known.id == case.id && known.changes == Changes::Irreversible)
}

/// Of what stayed changed, that which cases did that cannot be undone.
#[must_use]
pub fn irreversible(cases: &[CaseReport], remains: &[Remains]) -> Vec<String> {
    let lasting = cases.iter().filter(|case| cannot_be_undone(case));
    let lasting: Vec<&str> = lasting.map(|case| case.id.as_str()).collect();
    let remains = remains.iter();
    let remains = remains.filter(|remains| lasting.contains(&remains.case.as_str()));
    remains.map(|remains| remains.what.clone()).collect()
}

/// Who says a clause, in words.
#[must_use]
pub fn said_by(source: Source) -> &'static str {
    match source {
        Source::Specification => "the specification",
        Source::Decision => "a decision of this project",
    }
}

/// What the expectations file has to do with how a case ended; none where it has nothing to do with it.
#[must_use]
pub fn expectation(case: &CaseReport) -> Option<String> {
    let comment = case.expectation.as_deref();
    match (case.expected, comment) {
        (true, None) => None,
        (true, Some(comment)) => Some(format!(
            "Ended as the expectations file foresees: {comment}"
        )),
        (false, Some(comment)) => Some(format!(
            "The expectations file foresees something else: {comment}"
        )),
        (false, None) if is_surprise(case) => {
            Some("The expectations file foresees something else.".to_owned())
        }
        (false, None) => None,
    }
}

/// `3.214 s`, from milliseconds.
#[must_use]
pub fn seconds(milliseconds: u64) -> String {
    format!("{} s", decimal_seconds(milliseconds))
}

/// `3.214`, from milliseconds.
#[must_use]
pub fn decimal_seconds(milliseconds: u64) -> String {
    format!("{}.{:03}", milliseconds / 1_000, milliseconds % 1_000)
}

/// `1 case`, `2 cases`.
#[must_use]
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A word of a command line, quoted where a shell would read it otherwise.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "-_./:@+=,".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests;
