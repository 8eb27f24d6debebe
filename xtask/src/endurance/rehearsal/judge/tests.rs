//! A load without a fault, and each way in which its record and the database can differ.

use std::time::Duration;

use super::{super::GROWING, *};

const ALLOWED: [u16; 3] = [200, 201, 503];

fn attempt(operation: u64, kind: Kind, status: u16, text: &str) -> Attempt {
    Attempt {
        operation,
        kind,
        organization: if kind == Kind::Detach { GROWING } else { 0 },
        server: 0,
        sent: Duration::from_millis(operation),
        took: Duration::from_millis(1),
        status,
        is_replayed: false,
        text: text.to_owned(),
        amount: 0,
        at_least: 0,
    }
}

fn row(operation: u64, id: &str, status: &str, changes: i64) -> Row {
    Row { operation, id: id.to_owned(), status: status.to_owned(), changes }
}

/// A read, a line that stays, and one whose creation and detaching were repeated after a 503.
fn load() -> (Vec<Attempt>, Evidence) {
    let mut detached = [
        attempt(3, Kind::Create, 503, ""),
        attempt(3, Kind::Create, 201, "cln_b"),
        attempt(3, Kind::Detach, 503, ""),
        attempt(3, Kind::Detach, 200, "cln_b"),
    ];
    detached.iter_mut().for_each(|attempt| attempt.organization = GROWING);
    let mut read = attempt(1, Kind::Read, 200, "");
    (read.amount, read.at_least) = (100, 100);
    let mut attempts = vec![read, attempt(2, Kind::Create, 201, "cln_a")];
    attempts.extend(detached);
    let mut charged = vec![0; GROWING + 1];
    (charged[0], charged[GROWING]) = (2, 2);
    let evidence = Evidence {
        rows: vec![row(2, "cln_a", "IN_PAYOUT", 1), row(3, "cln_b", "PENDING", 2)],
        amounts: vec![(200, 200)],
        charged,
        earlier: (7, 7),
    };
    (attempts, evidence)
}

/// The harms that are found after a change.
fn harms(change: impl FnOnce(&mut Vec<Attempt>, &mut Evidence)) -> Vec<Harm> {
    let (mut attempts, mut evidence) = load();
    change(&mut attempts, &mut evidence);
    let verdict = judge(&attempts, &evidence, &ALLOWED);
    verdict.findings.iter().map(|finding| finding.harm).collect()
}

#[test]
fn load_without_fault_has_no_finding() {
    let (attempts, evidence) = load();
    let verdict = judge(&attempts, &evidence, &ALLOWED);
    assert_eq!(verdict.findings, []);
    assert_eq!(verdict.statuses, BTreeMap::from([(200, 2), (201, 2), (503, 2)]));
    assert_eq!(verdict.overcharged, Some(0));
}

#[test]
fn lost_is_found_in_rows_statuses_history_amounts_charges_and_earlier_rows() {
    assert_eq!(harms(|_, evidence| drop(evidence.rows.remove(0))), [Harm::Lost]);
    assert_eq!(harms(|_, evidence| evidence.rows[1].changes = 1), [Harm::Lost]);
    assert_eq!(harms(|_, evidence| evidence.rows[1].status = "IN_PAYOUT".into()), [Harm::Lost]);
    assert_eq!(harms(|_, evidence| evidence.rows[0].status = "PENDING".into()), [Harm::Lost]);
    assert_eq!(harms(|_, evidence| evidence.amounts[0].0 = 100), [Harm::Lost]);
    assert_eq!(harms(|_, evidence| evidence.charged[GROWING] = 1), [Harm::Lost]);
    assert_eq!(harms(|_, evidence| evidence.earlier.1 = 6), [Harm::Lost]);
}

#[test]
fn row_under_another_id_than_answered_is_lost() {
    assert_eq!(harms(|_, evidence| evidence.rows[0].id = "cln_x".into()), [Harm::Lost]);
}

#[test]
fn twice_is_found_in_rows_answers_history_and_amounts() {
    let again = |attempts: &mut Vec<Attempt>, evidence: &mut Evidence| {
        evidence.rows.push(row(2, "cln_c", "IN_PAYOUT", 1));
        attempts.push(attempt(2, Kind::Create, 201, "cln_c"));
        evidence.charged[0] += 1;
    };
    assert_eq!(harms(again), [Harm::Twice, Harm::Twice]);
    let second_row = |_: &mut Vec<Attempt>, evidence: &mut Evidence| {
        evidence.rows.push(row(2, "cln_c", "IN_PAYOUT", 1));
    };
    assert_eq!(harms(second_row), [Harm::Twice]);
    assert_eq!(harms(|_, evidence| evidence.rows[1].changes = 3), [Harm::Twice]);
    assert_eq!(harms(|_, evidence| evidence.amounts[0].0 = 300), [Harm::Twice]);
    let of_nobody = |_: &mut Vec<Attempt>, evidence: &mut Evidence| {
        evidence.rows.push(row(9, "cln_z", "IN_PAYOUT", 1));
    };
    assert_eq!(harms(of_nobody), [Harm::Twice]);
}

#[test]
fn read_below_what_was_answered_before_is_stale() {
    assert_eq!(harms(|attempts, _| attempts[0].at_least = 101), [Harm::Stale]);
}

#[test]
fn other_status_and_no_response_are_found_also_where_the_repetition_succeeds() {
    for status in [0, 409, 422, 500] {
        assert_eq!(harms(|attempts, _| attempts[4].status = status), [Harm::Answer]);
    }
    let (attempts, evidence) = load();
    let verdict = judge(&attempts, &evidence, &[200, 201]);
    assert_eq!(verdict.count(Harm::Answer), 2);
}

#[test]
fn operation_without_success_is_unanswered_whether_it_was_done_or_not() {
    let fails = |attempts: &mut Vec<Attempt>, evidence: &mut Evidence| {
        attempts[1] = attempt(2, Kind::Create, 503, "");
        evidence.charged[0] -= 1;
    };
    assert_eq!(harms(fails), [Harm::Unanswered]);
    let detach_fails = |attempts: &mut Vec<Attempt>, evidence: &mut Evidence| {
        attempts.pop();
        evidence.charged[GROWING] -= 1;
    };
    assert_eq!(harms(detach_fails), [Harm::Unanswered]);
}

#[test]
fn excerpt_has_some_findings_of_each_harm() {
    let finding = |harm, number: i64| Finding { harm, text: number.to_string() };
    let mut findings: Vec<_> = (0..100).map(|number| finding(Harm::Stale, number)).collect();
    findings.push(finding(Harm::Lost, 100));
    let text = excerpt(&findings);
    assert_eq!(text.lines().count(), PRINTED + 1);
    assert!(text.ends_with("  STALE: 4\n  LOST: 100\n"), "{text}");
}

#[test]
fn charges_of_failures_are_counted_and_are_no_finding() {
    let (attempts, mut evidence) = load();
    evidence.charged[0] += 5;
    let verdict = judge(&attempts, &evidence, &ALLOWED);
    assert_eq!((verdict.findings.len(), verdict.overcharged), (0, Some(5)));
    evidence.charged.clear();
    assert_eq!(judge(&attempts, &evidence, &ALLOWED).overcharged, None);
}
