//! What the rounds found: a table of times and counts, and every finding.

use std::{collections::BTreeMap, path::Path, time::Duration};

use crate::{
    endurance::rehearsal::{Attempt, Finding, Harm, Verdict, excerpt},
    table::{Table, count, number},
};

const SLOW: &str = "Nothing was lost, done twice or stale. Operations had no success for a \
                    minute after the load: this machine is too slow for the --rate, as `--event \
                    nothing` shows, or a server did not recover.\n";
const EXPLANATION: &str = "Seconds, median and largest: down is the longest time without a \
                           success, last 503 is after the event. Replayed answers are of work that \
                           was done before its answer was lost.";

#[derive(Debug)]
pub(super) struct Round {
    event: &'static str,
    operations: u64,
    length: Duration,
    /// The longest time in which no request succeeded.
    down: Duration,
    /// From the event until the last failure ended.
    last_failure: Duration,
    /// Responses that repeat the first one of work that was done (X9).
    replayed: usize,
    verdict: Verdict,
}

#[derive(Debug)]
pub(super) struct Report {
    rate: u32,
    rounds: Vec<Round>,
}

impl Round {
    /// `happened` and `ended` are the times of the event and of the load's end.
    pub(super) fn new(
        event: &'static str,
        (attempts, operations): (&[Attempt], u64),
        (happened, ended): (Duration, Duration),
        verdict: Verdict,
    ) -> Self {
        let failures = attempts.iter().filter(|attempt| !attempt.is_success());
        let last = failures.map(Attempt::ended).max().unwrap_or_default();
        Self {
            event,
            operations,
            length: ended,
            down: longest_gap(attempts, ended),
            last_failure: last.saturating_sub(happened),
            replayed: attempts.iter().filter(|attempt| attempt.is_replayed).count(),
            verdict,
        }
    }

    pub(super) fn summary(&self) -> String {
        let findings = &self.verdict.findings;
        let text = format!(
            "down {:.1} s, last failure after {:.1} s, {} operations in {:.0} s, answers {}, \
             {} findings\n{}",
            self.down.as_secs_f64(),
            self.last_failure.as_secs_f64(),
            self.operations,
            self.length.as_secs_f64(),
            statuses(&self.verdict.statuses),
            findings.len(),
            excerpt(findings)
        );
        text.trim_end().to_owned()
    }

    fn count(&self, harm: Harm) -> usize {
        self.verdict.count(harm)
    }
}

impl Report {
    pub(super) fn new(rate: u32) -> Self {
        Self { rate, rounds: Vec::new() }
    }

    pub(super) fn add(&mut self, round: Round) {
        self.rounds.push(round);
    }

    pub(super) fn holds(&self) -> bool {
        self.rounds.iter().all(|round| round.verdict.findings.is_empty())
    }

    /// The table, and what it means.
    pub(super) fn text(&self, record: &Path) -> String {
        let findings: Vec<&Finding> =
            self.rounds.iter().flat_map(|round| &round.verdict.findings).collect();
        let conclusion = if findings.is_empty() {
            "Nothing was lost, done twice or stale, and every answer was 200, 201 or 503.".into()
        } else {
            let count = findings.len();
            let is_slow = findings.iter().all(|finding| finding.harm == Harm::Unanswered);
            let help = if is_slow { SLOW } else { "" };
            format!("{count} FINDINGS, of which the first are:\n{}{help}", excerpt(findings))
        };
        let record = format!("Every answer: {}; the logs are beside it.", record.display());
        let table = self.table().markdown();
        let rate = self.rate;
        format!("\n{rate} operations a second. {EXPLANATION}\n\n{table}\n{conclusion}\n{record}")
    }

    fn table(&self) -> Table {
        let mut names: Vec<&str> = self.rounds.iter().map(|round| round.event).collect();
        names.dedup();
        let row = |name: &&str| {
            let rounds: Vec<&Round> =
                self.rounds.iter().filter(|round| round.event == *name).collect();
            let sum = |of: &dyn Fn(&Round) -> usize| count(rounds.iter().map(|it| of(it)).sum());
            let status = |status: u16| {
                move |round: &Round| round.verdict.statuses.get(&status).copied().unwrap_or(0)
            };
            let success = |round: &Round| status(200)(round) + status(201)(round);
            let [down, longest] = spread(rounds.iter().map(|round| round.down));
            let [last, latest] = spread(rounds.iter().map(|round| round.last_failure));
            let beyond = rounds.iter().filter_map(|round| round.verdict.overcharged);
            vec![
                (*name).to_owned(),
                count(rounds.len()),
                down,
                longest,
                last,
                latest,
                sum(&success),
                sum(&status(503)),
                sum(&|round| round.replayed),
                sum(&|round| round.count(Harm::Answer)),
                sum(&|round| round.count(Harm::Lost)),
                sum(&|round| round.count(Harm::Twice)),
                sum(&|round| round.count(Harm::Stale)),
                sum(&|round| round.count(Harm::Unanswered)),
                beyond.max().map_or("–".to_owned(), |most| most.to_string()),
            ]
        };
        Table {
            columns: vec![
                "event",
                "rounds",
                "down",
                "at most",
                "last 503",
                "at most",
                "200, 201",
                "503",
                "replayed",
                "other",
                "lost",
                "twice",
                "stale",
                "unanswered",
                "most charged beyond answers",
            ],
            rows: names.iter().map(row).collect(),
        }
    }
}

/// The longest time between two successes, or between one and an end of the load.
fn longest_gap(attempts: &[Attempt], ended: Duration) -> Duration {
    let successes = attempts.iter().filter(|attempt| attempt.is_success());
    let mut ends: Vec<Duration> = successes.map(Attempt::ended).collect();
    ends.extend([Duration::ZERO, ended]);
    ends.sort_unstable();
    ends.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or_default()
}

/// Median and largest.
fn spread(times: impl Iterator<Item = Duration>) -> [String; 2] {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    let middle = times.get(times.len() / 2).or(times.last());
    [middle, times.last()].map(|time| number(time.map(Duration::as_secs_f64), 1))
}

/// `200: 17, 503: 2`; 0 is no response.
fn statuses(statuses: &BTreeMap<u16, usize>) -> String {
    let texts = statuses.iter().map(|(status, times)| format!("{status}: {times}"));
    texts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endurance::rehearsal::Kind;

    fn attempt(status: u16, sent: u64, took: u64) -> Attempt {
        Attempt {
            operation: 1,
            kind: Kind::Read,
            organization: 0,
            server: 0,
            sent: Duration::from_secs(sent),
            took: Duration::from_secs(took),
            status,
            is_replayed: false,
            text: String::new(),
            amount: 0,
            at_least: 0,
        }
    }

    #[test]
    fn down_is_the_longest_time_without_a_success_and_the_last_503_counts_from_the_event() {
        let attempts = [attempt(200, 0, 1), attempt(503, 2, 6), attempt(200, 4, 5)];
        let times = (Duration::from_secs(2), Duration::from_secs(12));
        let round = Round::new("kill", (&attempts, 3), times, Verdict::default());
        assert_eq!(round.down, Duration::from_secs(8));
        assert_eq!(round.last_failure, Duration::from_secs(6));
        let never = Round::new("kill", (&attempts[1..2], 1), times, Verdict::default());
        assert_eq!(never.down, Duration::from_secs(12));
    }

    #[test]
    fn report_has_a_row_for_each_event_and_holds_without_findings() {
        let attempts = [attempt(200, 0, 1), attempt(503, 2, 6)];
        let times = (Duration::from_secs(2), Duration::from_secs(10));
        let round = |event, findings| {
            let statuses = BTreeMap::from([(200, 1), (503, 1)]);
            let verdict = Verdict { findings, statuses, overcharged: Some(2) };
            Round::new(event, (&attempts, 2), times, verdict)
        };
        let mut report = Report::new(200);
        report.add(round("kill", Vec::new()));
        report.add(round("kill", Vec::new()));
        assert!(report.holds());
        let lost = Finding { harm: Harm::Lost, text: "operation 7: no row".to_owned() };
        report.add(round("freeze", vec![lost]));
        assert!(!report.holds());
        let text = report.text(Path::new("answers.tsv"));
        assert_eq!(text.matches("\n| kill").count(), 1, "{text}");
        assert!(!text.contains("too slow"), "{text}");
        let mut slow = Report::new(9_000);
        let unanswered = Finding { harm: Harm::Unanswered, text: "operation 7".to_owned() };
        slow.add(round("nothing", vec![unanswered]));
        assert!(!slow.holds() && slow.text(Path::new("")).contains("too slow for the --rate"));
        assert!(text.contains("1 FINDINGS") && text.contains("LOST: operation 7"), "{text}");
    }
}
