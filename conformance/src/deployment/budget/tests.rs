//! Tests of the budget without a deployment: requests and credits are numbers here.

use futures_util::FutureExt as _;

use super::*;

const REQUESTS: u32 = 10;

fn keys(text: &str) -> Keys {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.toml");
    let head = "name = \"t\"\nbase_url = \"http://localhost\"\n";
    std::fs::write(&path, format!("{head}[keys]\n{text}")).unwrap();
    let file = crate::target::TargetFile::read(&path).unwrap();
    file.keys(|name| Some(format!("key-{}", name.trim_end_matches("_AGAIN")))).unwrap()
}

fn budget(max_requests: i64, credits_reserve: i64) -> Arc<Budget> {
    let limits = limits::Budget {
        max_requests: toml::Value::from(max_requests).try_into().unwrap(),
        credits_reserve: toml::Value::from(credits_reserve).try_into().unwrap(),
    };
    let keys = keys(
        "all = \"ALL\"\npartners_read = \"READ\"\nother_organization = \"OTHER\"\nexhausted = \
         \"EXHAUSTED\"\nunlimited = \"ALL_AGAIN\"\n",
    );
    Arc::new(Budget::new(&limits, &keys))
}

/// Reserves requests for a case now; `None` if it has to wait.
fn now(budget: &Arc<Budget>, requests: u32, payers: &[Role]) -> Option<Result<Share, String>> {
    budget.begin(requests, payers).now_or_never()
}

fn starts(budget: &Arc<Budget>, payers: &[Role]) -> bool {
    now(budget, REQUESTS, payers).unwrap().is_ok()
}

fn send(budget: &Budget, requests: u64) {
    for _ in 0..requests {
        assert!(budget.take_one());
    }
}

fn claim(budget: &Budget, organization: Role, claims: &[u64], is_rejection: bool) {
    for &left in claims {
        budget.note(organization, Claim { left, is_rejection });
    }
}

/// Successful responses that say less each time, down to this.
fn falling(budget: &Budget, organization: Role, to: u64) {
    let claims: Vec<u64> = (0..CLAIMS as u64).rev().map(|n| to + n).collect();
    claim(budget, organization, &claims, false);
}

fn exhausted(budget: &Budget, organization: Role) {
    claim(budget, organization, &[0; CLAIMS], true);
}

#[test]
fn case_whose_requests_fit_exactly_starts_and_one_more_does_not() {
    let budget = budget(100, 0);
    send(&budget, 90);
    assert!(starts(&budget, &[]));
    assert!(budget.stops().is_empty());
    send(&budget, 1);
    let why = now(&budget, REQUESTS, &[]).unwrap().unwrap_err();
    assert_eq!(why, "budget.max_requests is used up (a run sends at most 100)");
    assert_eq!(budget.stops(), [why]);
    // A smaller one still fits.
    assert!(now(&budget, 9, &[]).unwrap().is_ok());
}

#[test]
fn retry_cannot_take_what_a_case_has_reserved() {
    let budget = budget(10, 0);
    let share = now(&budget, REQUESTS, &[]).unwrap().unwrap();
    assert!(!budget.take_one());
    for _ in 0..REQUESTS {
        share.take().unwrap();
    }
    assert_eq!(share.excess(), None);
}

#[test]
fn case_waits_while_others_may_free_enough_and_wakes_when_they_end() {
    let budget = budget(25, 0);
    let first = now(&budget, REQUESTS, &[]).unwrap().unwrap();
    let second = now(&budget, REQUESTS, &[]).unwrap().unwrap();
    // All of it is reserved, but nothing is sent.
    let mut third = std::pin::pin!(budget.begin(REQUESTS, &[]));
    assert!((&mut third).now_or_never().is_none());
    drop(first);
    assert!((&mut third).now_or_never().unwrap().is_ok());
    drop(second);
}

#[test]
fn credits_that_fit_exactly_suffice_and_the_reserve_is_kept() {
    let budget = budget(10_000, 100);
    falling(&budget, Role::All, 110);
    assert!(starts(&budget, &[Role::All]));
    falling(&budget, Role::All, 109);
    let why = now(&budget, REQUESTS, &[Role::All]).unwrap().unwrap_err();
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
        assert!(!starts(&budget, &[role]), "{role}");
    }
    assert!(starts(&budget, &[Role::OtherOrganization]));
    // The one without credits has no reserve.
    exhausted(&budget, Role::Exhausted);
    assert!(starts(&budget, &[Role::Exhausted]));
    assert!(!starts(&budget, &[Role::All, Role::Exhausted]));
}

#[test]
fn header_that_is_wrong_once_or_never_falls_stops_no_run() {
    let wrong: [(&[u64], bool); 3] =
        [(&[0], true), (&[900, 899, 0, 897], false), (&[0; 2 * CLAIMS], false)];
    for (claims, is_rejection) in wrong {
        let budget = budget(10_000, 100);
        claim(&budget, Role::All, claims, is_rejection);
        assert!(starts(&budget, &[Role::All]), "{claims:?}");
    }
}

#[test]
fn credits_are_counted_by_the_role_that_pays_and_rejections_are_free() {
    let budget = budget(10_000, 0);
    claim(&budget, Role::All, &[9, 8], false);
    exhausted(&budget, Role::All);
    assert_eq!(budget.credits(), BTreeMap::from([("all".to_owned(), 2)]));
}
