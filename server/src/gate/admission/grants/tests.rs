//! Claims about places: what the rows of one statement say of each of its requests.
//!
//! They refuse a database: rows are made up, as the statement would return them.

use super::*;
use crate::{contract::types::Scope, gate::key::ApiKey, gate::key::Environment};

const NOW: &str = "2026-06-15T12:00:30.000Z";
const MONTH: &str = "2026-06-01T00:00:00.000Z";

fn instant(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn request(key: &ApiKey, form_is_sound: bool) -> AdmissionRequest {
    AdmissionRequest {
        key: key.hash(),
        scope: Scope::CommissionsRead,
        form_is_sound,
    }
}

fn key() -> ApiKey {
    ApiKey::generate(Environment::Test)
}

/// A valid key of the first organisation whose meter granted so many requests and credits, up to its limits.
fn row(position: i64, (requests, credits): (i32, i32)) -> DecidedGroup {
    DecidedGroup {
        position,
        now: instant(NOW),
        organization_id: format!("org_{:026}", 1),
        key_id: format!("key_{position:026}"),
        expires_at: instant("2027-01-01T00:00:00Z"),
        revoked_at: None,
        in_scope: true,
        requests_per_minute: Some(100),
        credits_per_month: Some(50),
        minute_used: Some(100),
        requests_granted: Some(requests),
        month: Some(instant(MONTH)),
        month_used: Some(50),
        credits_granted: Some(credits),
        seen_minute: None,
        seen_minute_used: None,
        seen_requests_per_minute: None,
    }
}

/// The same where the update refused, and the snapshot showed so many requests used in the minute.
fn refused(position: i64, seen_minute_used: i32) -> DecidedGroup {
    DecidedGroup {
        requests_per_minute: None,
        credits_per_month: None,
        minute_used: None,
        requests_granted: None,
        month: None,
        month_used: None,
        credits_granted: None,
        seen_minute: Some(instant("2026-06-15T12:00:00Z")),
        seen_minute_used: Some(seen_minute_used),
        seen_requests_per_minute: Some(100),
        ..row(position, (0, 0))
    }
}

/// Outcome, requests and credits left, of each verdict on a valid key.
fn told(verdicts: &[Option<Verdict>]) -> Vec<(&'static str, i64, Option<i64>)> {
    let told = |verdict: &Option<Verdict>| {
        let Some(Verdict::ValidKey(admission)) = verdict else {
            panic!("{verdict:?}");
        };
        let outcome = match admission.outcome {
            Outcome::RateLimited => "429",
            Outcome::InsufficientScope => "403",
            Outcome::FormRefused => "form",
            Outcome::CreditsExhausted => "402",
            Outcome::Admitted(charge) => {
                assert_eq!(charge.month(), instant(MONTH));
                "admitted"
            }
        };
        let credits = admission.credits.map(|credits| credits.remaining);
        (outcome, admission.rate.remaining, credits)
    };
    verdicts.iter().map(told).collect()
}

#[test]
fn requests_that_are_alike_are_one_group() {
    let (one, other) = (key(), key());
    let requests = [
        request(&one, true),
        request(&other, true),
        request(&one, true),
        request(&one, false),
    ];
    let grouped = RequestGroups::new(&requests);
    let counts: Vec<i32> = grouped.groups.iter().map(|group| group.count).collect();
    assert_eq!(counts, [2, 1, 1]);
    assert_eq!(grouped.group_of, [0, 1, 0, 2]);
}

#[test]
fn each_request_is_told_its_own_place_in_the_order_of_arrival() {
    let key = key();
    let grouped = RequestGroups::new(&[request(&key, true); 3]);
    let verdicts = grouped.verdicts(vec![row(1, (3, 3))]);
    assert_eq!(
        told(&verdicts),
        [
            ("admitted", 2, Some(2)),
            ("admitted", 1, Some(1)),
            ("admitted", 0, Some(0))
        ]
    );
}

#[test]
fn first_requests_that_fit_pass_and_the_others_get_402_or_429() {
    let key = key();
    let grouped = RequestGroups::new(&[request(&key, true); 4]);
    let verdicts = grouped.verdicts(vec![row(1, (3, 1))]);
    assert_eq!(
        told(&verdicts),
        [
            ("admitted", 2, Some(0)),
            ("402", 1, Some(0)),
            ("402", 0, Some(0)),
            ("429", 0, None)
        ]
    );
}

#[test]
fn full_minute_is_not_spent_on_what_is_refused_anyway() {
    let key = key();
    let requests = [
        request(&key, false),
        request(&key, true),
        request(&key, false),
    ];
    let verdicts = RequestGroups::new(&requests).verdicts(vec![row(1, (2, 1)), row(2, (2, 1))]);
    assert_eq!(
        told(&verdicts),
        [
            ("form", 0, Some(0)),
            ("admitted", 1, Some(0)),
            ("429", 0, None)
        ]
    );
}

#[test]
fn keys_of_one_organisation_share_its_grants() {
    let (one, other) = (key(), key());
    let requests = [
        request(&one, true),
        request(&other, true),
        request(&one, true),
    ];
    let without_scope = DecidedGroup {
        in_scope: false,
        ..row(2, (3, 2))
    };
    let verdicts = RequestGroups::new(&requests).verdicts(vec![row(1, (3, 2)), without_scope]);
    assert_eq!(
        told(&verdicts),
        [
            ("admitted", 2, Some(1)),
            ("403", 0, Some(0)),
            ("admitted", 1, Some(0))
        ]
    );
}

#[test]
fn organisation_without_allowance_is_told_no_credits() {
    let key = key();
    let unlimited = DecidedGroup {
        credits_per_month: None,
        ..row(1, (1, 1))
    };
    let verdicts = RequestGroups::new(&[request(&key, true)]).verdicts(vec![unlimited]);
    assert_eq!(told(&verdicts), [("admitted", 0, None)]);
}

#[test]
fn refusal_that_the_snapshot_does_not_explain_is_asked_again() {
    let key = key();
    let grouped = RequestGroups::new(&[request(&key, true)]);
    assert_eq!(grouped.verdicts(vec![refused(1, 99)]), [None]);
    let full = grouped.verdicts(vec![refused(1, 100)]);
    assert_eq!(told(&full), [("429", 0, None)]);
    // A full minute that has ended explains nothing.
    let earlier = DecidedGroup {
        seen_minute: Some(instant("2026-06-15T11:59:00Z")),
        ..refused(1, 100)
    };
    assert_eq!(grouped.verdicts(vec![earlier]), [None]);
}

#[test]
fn unknown_and_dead_keys_take_no_place() {
    let (unknown, expired, revoked) = (key(), key(), key());
    let requests = [
        request(&unknown, true),
        request(&expired, true),
        request(&revoked, true),
    ];
    let now = instant(NOW);
    let rows = vec![
        DecidedGroup {
            expires_at: now,
            ..row(2, (0, 0))
        },
        DecidedGroup {
            revoked_at: Some(now),
            ..row(3, (0, 0))
        },
    ];
    let verdicts = RequestGroups::new(&requests).verdicts(rows);
    assert_eq!(
        verdicts,
        [
            Some(Verdict::UnknownKey),
            Some(Verdict::InactiveKey(InactiveKey::Expired(now))),
            Some(Verdict::InactiveKey(InactiveKey::Revoked(now))),
        ]
    );
}
