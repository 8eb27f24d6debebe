//! Tests the verdicts on requests for made-up rows of one statement.

use super::*;
use crate::{
    contract::types::Scope,
    gate::key::{ApiKey, Environment},
};

const NOW: &str = "2026-06-15T12:00:30.000Z";
const MONTH: &str = "2026-06-01T00:00:00.000Z";

fn instant(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn request(key: &ApiKey, is_well_formed: bool) -> AdmissionRequest {
    AdmissionRequest { key: key.hash(), scope: Scope::CommissionsRead, is_well_formed }
}

fn key() -> ApiKey {
    ApiKey::generate(Environment::Test)
}

/// Returns the row of a valid key of the first organisation. Its meter granted so many requests and
/// credits, and is full with them.
fn row(position: i64, (requests, credits): (i32, i32)) -> DecidedGroup {
    DecidedGroup {
        position,
        now: instant(NOW),
        organization_id: OrganizationId::parse(&format!("org_{:026}", 1)).unwrap(),
        key_id: format!("key_{position:026}").into(),
        api_version: "2026-05-20".into(),
        expires_at: instant("2027-01-01T00:00:00Z"),
        revoked_at: None,
        in_scope: true,
        requests_per_minute: Some(100),
        credits_per_month: Some(50),
        minute: Some(instant("2026-06-15T12:00:00Z")),
        minute_used: Some(100),
        requests_granted: Some(requests),
        month: Some(instant(MONTH)),
        month_used: Some(50),
        credits_granted: Some(credits),
    }
}

/// Returns such a row if the update granted nothing and the snapshot showed `minute_used`.
fn refused(position: i64, minute_used: i32) -> DecidedGroup {
    DecidedGroup {
        minute_used: Some(minute_used),
        requests_granted: None,
        credits_per_month: None,
        month_used: None,
        credits_granted: None,
        ..row(position, (0, 0))
    }
}

/// Returns outcome, remaining requests and remaining credits of each verdict on a valid key.
fn reported(verdicts: &[Option<Verdict>]) -> Vec<(&'static str, i64, Option<i64>)> {
    let report = |verdict: &Option<Verdict>| {
        let Some(Verdict::ValidKey(admission)) = verdict else {
            panic!("{verdict:?}");
        };
        let outcome = match admission.outcome {
            Outcome::RateLimited => "429",
            Outcome::InsufficientScope => "403",
            Outcome::InvalidRequest => "form",
            Outcome::CreditsExhausted => "402",
            Outcome::Admitted(charge) => {
                assert_eq!(charge.month(), instant(MONTH));
                "admitted"
            }
        };
        let credits = admission.credits.map(|credits| credits.remaining);
        (outcome, admission.rate.remaining, credits)
    };
    verdicts.iter().map(report).collect()
}

#[test]
fn equal_requests_are_one_group() {
    let (one, other) = (key(), key());
    let requests =
        [request(&one, true), request(&other, true), request(&one, true), request(&one, false)];
    let groups = RequestGroups::new(&requests);
    let counts: Vec<i32> = groups.groups.iter().map(|group| group.count).collect();
    assert_eq!(counts, [2, 1, 1]);
    assert_eq!(groups.group_of, [0, 1, 0, 2]);
}

#[test]
fn full_minute_is_not_spent_on_requests_that_are_rejected_anyway() {
    let key = key();
    let requests = [request(&key, false), request(&key, true), request(&key, false)];
    let verdicts = RequestGroups::new(&requests).verdicts(vec![row(1, (2, 1)), row(2, (2, 1))]);
    assert_eq!(
        reported(&verdicts),
        [("form", 0, Some(0)), ("admitted", 1, Some(0)), ("429", 0, None)]
    );
}

#[test]
fn rejection_that_the_snapshot_does_not_explain_is_submitted_again() {
    let key = key();
    let groups = RequestGroups::new(&[request(&key, true)]);
    assert_eq!(groups.verdicts(vec![refused(1, 99)]), [None]);
    let full = groups.verdicts(vec![refused(1, 100)]);
    assert_eq!(reported(&full), [("429", 0, None)]);
    // A full minute that has ended explains nothing.
    let earlier = DecidedGroup { minute: Some(instant("2026-06-15T11:59:00Z")), ..refused(1, 100) };
    assert_eq!(groups.verdicts(vec![earlier]), [None]);
}

#[test]
fn full_minute_ahead_of_the_clock_is_reported_or_set_back() {
    let key = key();
    let groups = RequestGroups::new(&[request(&key, true)]);
    let at = |minute| DecidedGroup { minute: Some(instant(minute)), ..refused(1, 100) };
    let next = groups.verdicts(vec![at("2026-06-15T12:01:00Z")]);
    let [Some(Verdict::ValidKey(admission))] = next.as_slice() else {
        panic!("{next:?}");
    };
    assert_eq!(admission.minute_ends_in_seconds, 90);
    assert!(organizations_ahead(&[at("2026-06-15T12:01:00Z")]).is_empty());
    // The request is submitted again, once the meter is set back.
    assert_eq!(groups.verdicts(vec![at("2026-06-15T12:02:00Z")]), [None]);
    assert_eq!(organizations_ahead(&[at("2026-06-15T12:02:00Z")]).len(), 1);
    let month = DecidedGroup { month: Some(instant("2026-07-01T00:00:00Z")), ..refused(1, 0) };
    assert_eq!(organizations_ahead(&[month]).len(), 1);
}
