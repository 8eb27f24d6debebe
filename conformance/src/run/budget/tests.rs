//! Claims about the budget, without a deployment: requests and credits are numbers here.
//!
//! They refuse to wait: what must wait is polled, and is still waiting.

use futures_util::FutureExt as _;

use super::*;
use crate::case::{CaseContext, CaseOutcome, definition::runs};

async fn nothing(_: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    Ok(())
}

const CASE: Case = Case::new("a.case", "A sentence.", "§4.6", runs!(nothing)).requests(10);

fn keys(text: &str) -> Keys {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.toml");
    let head = "name = \"t\"\nbase_url = \"http://localhost\"\nprofile = \"core\"\n";
    std::fs::write(&path, format!("{head}[keys]\n{text}")).unwrap();
    let file = crate::target::TargetFile::read(&path).unwrap();
    file.keys(|name| Some(format!("key-{}", name.trim_end_matches("_AGAIN"))))
        .unwrap()
}

fn budget(max_requests: i64, credits_reserve: i64) -> Budget {
    let limits = limits::Budget {
        max_requests: max_requests.try_into().unwrap(),
        credits_reserve: credits_reserve.try_into().unwrap(),
    };
    let keys = keys(
        "all = \"ALL\"\npartners_read = \"READ\"\nother_organization = \"OTHER\"\nexhausted = \"EXHAUSTED\"\nunlimited = \"ALL_AGAIN\"\n",
    );
    Budget::new(&limits, &keys)
}

/// What would come of a case now; nothing where it has to wait.
fn now<'budget>(
    budget: &'budget Budget,
    case: &Case,
    sent: u64,
) -> Option<Result<Share<'budget>, String>> {
    budget.begin(case, || sent).now_or_never()
}

fn refused(budget: &Budget, case: &Case, sent: u64) -> String {
    now(budget, case, sent).unwrap().unwrap_err()
}

fn claim(budget: &Budget, organization: Role, claims: &[u64], is_refusal: bool) {
    for &left in claims {
        budget.note(organization, Claim { left, is_refusal });
    }
}

/// Answers that serve, and tell less each time, down to this.
fn falling(budget: &Budget, organization: Role, to: u64) {
    let claims: Vec<u64> = (0..CLAIMS as u64).rev().map(|n| to + n).collect();
    claim(budget, organization, &claims, false);
}

fn exhausted(budget: &Budget, organization: Role) {
    claim(budget, organization, &[0; CLAIMS], true);
}

#[test]
fn case_whose_requests_fit_exactly_begins_and_one_more_does_not() {
    let budget = budget(100, 0);
    assert!(now(&budget, &CASE, 90).unwrap().is_ok());
    assert!(budget.stops().is_empty());
    let why = refused(&budget, &CASE, 91);
    assert_eq!(
        why,
        "budget.max_requests is used up (a run sends 100 at most)"
    );
    assert_eq!(budget.stops(), [why]);
    // A smaller one still fits.
    assert!(now(&budget, &CASE.requests(9), 91).unwrap().is_ok());
}

#[test]
fn case_waits_while_others_may_leave_enough_and_is_told_when_they_end() {
    let budget = budget(25, 0);
    let first = now(&budget, &CASE, 0).unwrap().unwrap();
    let second = now(&budget, &CASE, 0).unwrap().unwrap();
    // All of it is set aside, but nothing is sent.
    let mut third = std::pin::pin!(budget.begin(&CASE, || 4));
    assert!((&mut third).now_or_never().is_none());
    drop(first);
    assert!((&mut third).now_or_never().unwrap().is_ok());
    drop(second);
}

#[test]
fn share_is_free_again_when_it_is_dropped() {
    let budget = budget(10, 0);
    for _ in 0..3 {
        assert!(now(&budget, &CASE, 0).unwrap().is_ok());
    }
}

#[test]
fn credits_that_fit_exactly_suffice_and_the_reserve_is_kept() {
    let budget = budget(10_000, 100);
    falling(&budget, Role::All, 110);
    assert!(now(&budget, &CASE, 0).unwrap().is_ok());
    falling(&budget, Role::All, 109);
    let why = refused(&budget, &CASE, 0);
    assert_eq!(
        why,
        "budget.credits_reserve is reached (the organisation of the key all keeps 100 credits)"
    );
}

#[test]
fn reserve_holds_for_every_key_of_the_organisation_and_for_no_other() {
    let budget = budget(10_000, 100);
    exhausted(&budget, Role::All);
    for role in [Role::All, Role::PartnersRead, Role::Unlimited] {
        let keys: &'static [Role] = Box::leak(Box::new([role]));
        assert!(
            now(&budget, &CASE.keys(keys), 0).unwrap().is_err(),
            "{role}"
        );
    }
    assert!(
        now(&budget, &CASE.keys(&[Role::OtherOrganization]), 0)
            .unwrap()
            .is_ok()
    );
}

#[test]
fn what_is_there_to_be_used_up_has_no_reserve() {
    let budget = budget(10_000, 100);
    exhausted(&budget, Role::All);
    exhausted(&budget, Role::Exhausted);
    assert!(
        now(&budget, &CASE.keys(&[Role::Exhausted]), 0)
            .unwrap()
            .is_ok()
    );
    assert!(
        now(&budget, &CASE.changes(Changes::Allowance), 0)
            .unwrap()
            .is_ok()
    );
    let both = CASE.keys(&[Role::All, Role::Exhausted]);
    assert!(now(&budget, &both, 0).unwrap().is_err());
}

#[test]
fn one_wrong_header_stops_no_run() {
    let budget = budget(10_000, 100);
    claim(&budget, Role::All, &[0], true);
    assert!(now(&budget, &CASE, 0).unwrap().is_ok());
    claim(&budget, Role::All, &[900, 899, 0, 897], false);
    assert!(now(&budget, &CASE, 0).unwrap().is_ok());
}

#[test]
fn header_that_never_falls_stops_no_run() {
    let budget = budget(10_000, 100);
    claim(&budget, Role::All, &[0; 2 * CLAIMS], false);
    assert!(now(&budget, &CASE, 0).unwrap().is_ok());
}
