//! A statement's row that only a race explains; the reference model in `tests/server` meets none.

use super::*;
use crate::{
    contract::types::Scope,
    gate::key::{ApiKey, Environment},
};

fn instant(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// Returns the row of a valid key to whose organisation the update granted nothing, and of whose
/// 100 requests the snapshot showed so many in this minute.
fn refused(minute: &str, minute_used: i32) -> DecidedGroup {
    DecidedGroup {
        position: 1,
        now: instant("2026-06-15T12:00:30.000Z"),
        organization_id: OrganizationId::generate(),
        key_id: "key".into(),
        api_version: "2026-05-20".into(),
        expires_at: instant("2027-01-01T00:00:00Z"),
        revoked_at: None,
        is_stopped: false,
        moved_to: None,
        in_scope: true,
        requests_per_minute: Some(100),
        credits_per_month: None,
        minute: Some(instant(minute)),
        minute_used: Some(minute_used),
        requests_granted: None,
        month: Some(instant("2026-06-01T00:00:00Z")),
        month_used: None,
        credits_granted: None,
    }
}

#[test]
fn rejection_that_the_snapshot_does_not_explain_is_submitted_again() {
    let key = ApiKey::generate(Environment::Test).hash();
    let request = AdmissionRequest { key, scope: Scope::CommissionsRead, is_well_formed: true };
    let groups = RequestGroups::new(&[request]);
    for (minute, minute_used, is_explained) in [
        ("2026-06-15T12:00:00Z", 99, false),
        ("2026-06-15T12:00:00Z", 100, true),
        // A full minute that has ended, or is too far ahead, explains nothing.
        ("2026-06-15T11:59:00Z", 100, false),
        ("2026-06-15T12:01:00Z", 100, true),
        ("2026-06-15T12:02:00Z", 100, false),
    ] {
        let verdicts = groups.verdicts(vec![refused(minute, minute_used)]);
        assert_eq!(verdicts[0].is_some(), is_explained, "{minute} {minute_used}");
    }
}
