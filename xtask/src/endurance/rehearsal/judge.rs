//! Compares the record of every response with the rows, meters and amounts that are in the database
//! afterwards.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
};

use super::attempt::{Attempt, Kind};

/// Findings of each harm that are printed; `findings.txt` has all.
const PRINTED: usize = 5;

/// The state of the database after a load.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    /// Lines of the load's operations.
    pub(crate) rows: Vec<Row>,
    /// By organisation: its payout's amount, and the sum of the payout's lines, in cents.
    pub(crate) amounts: Vec<(i64, i64)>,
    /// Credits that the load used, by organisation; empty where a month ended meanwhile.
    pub(crate) charged: Vec<i64>,
    /// Lines of earlier loads: before this one, and now.
    pub(crate) earlier: (i64, i64),
}

/// A commission line.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) operation: u64,
    pub(crate) id: String,
    pub(crate) status: String,
    /// Its rows of the history.
    pub(crate) changes: i64,
}

/// The harm that a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Harm {
    /// The response said that it was done, and the database does not have it.
    Lost,
    /// It was done more often than it was asked for.
    Twice,
    /// A response does not have what an earlier response had.
    Stale,
    /// A response with another status than the rehearsal allows, or none.
    Answer,
    /// An operation that was never answered with a success.
    Unanswered,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) harm: Harm,
    pub(crate) text: String,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) findings: Vec<Finding>,
    /// The number of responses by status.
    pub(crate) statuses: BTreeMap<u16, usize>,
    /// Credits charged beyond those of successes; `None` where a month ended meanwhile.
    pub(crate) overcharged: Option<i64>,
}

impl Verdict {
    pub(crate) fn count(&self, harm: Harm) -> usize {
        self.findings.iter().filter(|finding| finding.harm == harm).count()
    }

    fn find(&mut self, harm: Harm, text: String) {
        self.findings.push(Finding { harm, text });
    }
}

/// The attempts of one operation, and its rows.
#[derive(Default)]
struct Operation<'a> {
    attempts: Vec<&'a Attempt>,
    rows: Vec<&'a Row>,
}

impl Operation<'_> {
    /// The lines that its successes of a kind name.
    fn answers(&self, kind: Kind) -> BTreeSet<&str> {
        let successes = self.attempts.iter().filter(|attempt| attempt.is_success());
        let successes = successes.filter(|attempt| attempt.kind == kind);
        successes.map(|attempt| attempt.text.as_str()).collect()
    }

    fn asks_for(&self, kind: Kind) -> bool {
        self.attempts.iter().any(|attempt| attempt.kind == kind)
    }
}

/// Compares; every response must have one of the statuses.
pub(crate) fn judge(attempts: &[Attempt], evidence: &Evidence, allowed: &[u16]) -> Verdict {
    let mut verdict = Verdict::default();
    let mut operations: HashMap<u64, Operation> = HashMap::new();
    for attempt in attempts {
        *verdict.statuses.entry(attempt.status).or_default() += 1;
        judge_response(attempt, allowed, &mut verdict);
        if attempt.kind != Kind::Read {
            operations.entry(attempt.operation).or_default().attempts.push(attempt);
        }
    }
    for row in &evidence.rows {
        operations.entry(row.operation).or_default().rows.push(row);
    }
    for (number, operation) in operations.into_iter().collect::<BTreeMap<_, _>>() {
        judge_operation(number, &operation, &mut verdict);
    }
    judge_sums(attempts, evidence, &mut verdict);
    verdict
}

fn judge_response(attempt: &Attempt, allowed: &[u16], verdict: &mut Verdict) {
    let Attempt { operation, kind, status, text, amount, at_least, .. } = attempt;
    if !allowed.contains(status) {
        let answer = if *status == 0 { "no response".to_owned() } else { format!("{status}") };
        let at = attempt.sent.as_millis();
        let text = format!("operation {operation}: {kind} got {answer} at {at} ms: {text}");
        verdict.find(Harm::Answer, text);
    }
    if *kind == Kind::Read && attempt.is_success() && amount < at_least {
        let what = format!("read {amount} cents after {at_least} were answered");
        verdict.find(Harm::Stale, format!("operation {operation}: {what}"));
    }
}

fn judge_operation(number: u64, operation: &Operation, verdict: &mut Verdict) {
    let mut find = |harm, text: &str| verdict.find(harm, format!("operation {number}: {text}"));
    let (created, detached) = (operation.answers(Kind::Create), operation.answers(Kind::Detach));
    if !operation.asks_for(Kind::Create) {
        find(Harm::Twice, "a line of an operation that no request asked for");
    } else if created.is_empty() {
        find(Harm::Unanswered, "its creation never succeeded");
    }
    if operation.asks_for(Kind::Detach) && detached.is_empty() {
        find(Harm::Unanswered, "its detaching never succeeded");
    }
    if created.len() > 1 {
        find(Harm::Twice, &format!("its creation was answered with the lines {created:?}"));
    }
    if operation.rows.len() > 1 {
        find(Harm::Twice, &format!("{} rows", operation.rows.len()));
    }
    for line in &created {
        if !operation.rows.iter().any(|row| row.id == *line) {
            find(Harm::Lost, &format!("{line} was answered, and has no row"));
        }
    }
    for row in operation.rows.iter().filter(|row| created.contains(row.id.as_str())) {
        let Row { id, status, changes, .. } = row;
        let is_settled = !operation.asks_for(Kind::Detach) || !detached.is_empty();
        let expected = if detached.is_empty() { "IN_PAYOUT" } else { "PENDING" };
        let expected_changes = 1 + i64::from(!detached.is_empty());
        if is_settled && status != expected {
            find(Harm::Lost, &format!("{id} is {status}, and was answered as {expected}"));
        }
        if is_settled && *changes != expected_changes {
            let harm = if *changes < expected_changes { Harm::Lost } else { Harm::Twice };
            find(harm, &format!("{id} has {changes} rows of the history, not {expected_changes}"));
        }
    }
}

fn judge_sums(attempts: &[Attempt], evidence: &Evidence, verdict: &mut Verdict) {
    for (organization, (amount, sum)) in evidence.amounts.iter().enumerate() {
        if amount != sum {
            let harm = if amount < sum { Harm::Lost } else { Harm::Twice };
            let payout = format!("the payout of organization {organization}");
            verdict.find(harm, format!("{payout} has {amount} cents, its lines have {sum}"));
        }
    }
    let (before, now) = evidence.earlier;
    if now != before {
        let harm = if now < before { Harm::Lost } else { Harm::Twice };
        verdict.find(harm, format!("{now} lines of earlier rounds, which had {before}"));
    }
    let mut answered = vec![0; evidence.charged.len()];
    for attempt in attempts.iter().filter(|attempt| attempt.is_success()) {
        if let Some(answered) = answered.get_mut(attempt.organization) {
            *answered += 1;
        }
    }
    let beyond: Vec<i64> = evidence
        .charged
        .iter()
        .zip(answered)
        .map(|(charged, answered)| charged - answered)
        .collect();
    for (organization, beyond) in beyond.iter().enumerate().filter(|(_, beyond)| **beyond < 0) {
        let text = format!("{} charges of organization {organization} are lost", -beyond);
        verdict.find(Harm::Lost, text);
    }
    verdict.overcharged = (!beyond.is_empty()).then(|| beyond.iter().sum());
}

/// The first findings of each harm, each on a line of its own.
pub(crate) fn excerpt<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> String {
    let mut times: BTreeMap<Harm, usize> = BTreeMap::new();
    let mut text = String::new();
    for finding in findings {
        let times = times.entry(finding.harm).or_default();
        *times += 1;
        if *times <= PRINTED {
            text += &format!("  {finding}\n");
        }
    }
    text
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let harm = match self.harm {
            Harm::Lost => "LOST",
            Harm::Twice => "TWICE",
            Harm::Stale => "STALE",
            Harm::Answer => "ANSWER",
            Harm::Unanswered => "UNANSWERED",
        };
        write!(formatter, "{harm}: {}", self.text)
    }
}

#[cfg(test)]
mod tests;
