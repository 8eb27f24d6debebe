//! Syncs, their tries and failures, and what a try's result means for the next one.

use chrono::{DateTime, Utc};

use super::{hubspot::ReadError, token::SealedToken};
use crate::id::OrganizationId;

/// Tries of a sync, with those that a crash ended.
pub const TRIES: i32 = 5;
/// How long a try may take, before another server takes the sync up again: longer than it waits
/// for a CRM and for the database together.
pub const LEASE_SECONDS: u32 = 60;
/// The longest pause that a CRM can ask for.
pub const LONGEST_PAUSE_SECONDS: u32 = 3_600;

/// A sync (X21).
#[derive(Clone, Debug, PartialEq)]
pub struct Sync {
    pub id: String,
    pub object_type: String,
    pub object_id: String,
    pub status: String,
    pub partner_id: Option<String>,
    pub changed: bool,
    pub failure_code: Option<String>,
    pub failure_message: Option<String>,
    pub created_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
}

/// A sync that a worker has taken up, for one try.
#[derive(Clone, Debug)]
pub struct Job {
    pub organization_id: OrganizationId,
    pub id: String,
    /// Of an organisation's partners or companies: `PARTNER` or `COMPANY`.
    pub object_type: String,
    pub object_id: String,
    /// The request that asked for it, for the log.
    pub request_id: String,
    /// The number of this try. A result is written only while no other try has begun.
    pub tries: i32,
    /// True where it waited in the queue, and false for another try.
    pub was_queued: bool,
    /// `None` where the organisation has ended its connection since.
    pub connection: Option<JobConnection>,
}

/// What a try needs of the organisation's connection.
#[derive(Clone, Debug)]
pub struct JobConnection {
    pub id: String,
    pub base_url: String,
    /// The CRM's name of the object's type.
    pub object_type: String,
    pub properties: Vec<String>,
    pub token: SealedToken,
}

/// Why a sync failed, for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    pub code: &'static str,
    pub message: &'static str,
}

/// What follows on a try that did not read its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Fail(Failure),
    /// Another try after a pause.
    Again {
        pause_seconds: u32,
        /// The pause is for all syncs of the organisation: the CRM counts requests of all.
        rests: bool,
    },
}

impl Failure {
    pub const NO_PARTNER: Self = Self {
        code: "NO_PARTNER",
        message: "No partner of the organisation has this object's id. Give it to one, and sync \
                  again.",
    };
    pub const NOT_CONNECTED: Self = Self::unauthorized(
        "The organisation's CRM connection was ended. An operator makes one with `payout-server \
         crm connect`.",
    );
    pub const NO_TOKEN: Self = Self::unauthorized(
        "The connection's token cannot be opened. An operator connects the CRM again with \
         `payout-server crm connect`.",
    );
    pub const INTERRUPTED: Self =
        Self::unavailable("The sync was interrupted several times. Sync again.");
    pub const NOT_STORED: Self =
        Self::unavailable("The CRM's answer has a value that cannot be stored.");

    const fn unauthorized(message: &'static str) -> Self {
        Self { code: "CRM_UNAUTHORIZED", message }
    }

    const fn unavailable(message: &'static str) -> Self {
        Self { code: "CRM_UNAVAILABLE", message }
    }
}

/// The pause after this try: 2, 8, 32 and 128 seconds.
fn pause_seconds(tries: i32) -> u32 {
    2 << (2 * u32::try_from(tries - 1).unwrap_or(0).min(6))
}

/// Decides what follows on a failed try.
pub fn next(error: &ReadError, tries: i32) -> Next {
    let again = |failure: Failure, asked_seconds: u64, rests| {
        if tries >= TRIES {
            return Next::Fail(failure);
        }
        let asked = u32::try_from(asked_seconds).unwrap_or(u32::MAX);
        let pause_seconds = pause_seconds(tries).max(asked).min(LONGEST_PAUSE_SECONDS);
        Next::Again { pause_seconds, rests }
    };
    match *error {
        ReadError::NotFound => Next::Fail(Failure {
            code: "OBJECT_NOT_FOUND",
            message: "The CRM has no object with this id.",
        }),
        ReadError::Unauthorized => Next::Fail(Failure::unauthorized(
            "The CRM does not accept the connection's token, or the token may not read the object. \
             An operator connects the CRM again with `payout-server crm connect`.",
        )),
        ReadError::Unusable(message) => Next::Fail(Failure::unavailable(message)),
        ReadError::Unavailable(message) => again(Failure::unavailable(message), 0, false),
        ReadError::RateLimited(seconds) => {
            let message = "The CRM allowed no request for too long. Sync again later.";
            again(Failure { code: "CRM_RATE_LIMITED", message }, seconds.unwrap_or(0), true)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTAGE: ReadError = ReadError::Unavailable("It is away.");

    fn pauses(error: &ReadError) -> Vec<Option<u32>> {
        let pause = |tries| match next(error, tries) {
            Next::Again { pause_seconds, .. } => Some(pause_seconds),
            Next::Fail(_) => None,
        };
        (1..=TRIES).map(pause).collect()
    }

    #[test]
    fn outage_is_tried_again_four_times_with_growing_pauses() {
        assert_eq!(pauses(&OUTAGE), [Some(2), Some(8), Some(32), Some(128), None]);
    }

    #[test]
    fn crm_that_limits_gets_the_pause_that_it_asks_for_up_to_an_hour() {
        for (asked, first) in [
            (None, 2),
            (Some(1), 2),
            (Some(30), 30),
            (Some(3_600), 3_600),
            (Some(3_601), 3_600),
            (Some(u64::MAX), 3_600),
        ] {
            let next = next(&ReadError::RateLimited(asked), 1);
            assert_eq!(next, Next::Again { pause_seconds: first, rests: true }, "{asked:?}");
        }
    }

    #[test]
    fn refusal_of_the_token_the_object_or_the_answer_is_final() {
        for error in [ReadError::NotFound, ReadError::Unauthorized, ReadError::Unusable("No.")] {
            assert_eq!(pauses(&error), [None; 5], "{error:?}");
        }
    }

    #[test]
    fn codes_are_those_of_the_document() {
        let failed = [
            next(&ReadError::NotFound, 1),
            next(&ReadError::Unauthorized, 1),
            next(&ReadError::RateLimited(None), TRIES),
            next(&OUTAGE, TRIES),
            Next::Fail(Failure::NO_PARTNER),
        ];
        let codes = failed.map(|next| match next {
            Next::Fail(failure) => failure.code,
            Next::Again { .. } => panic!("it is final"),
        });
        let document = crate::http::docs::DOCUMENT;
        for code in codes {
            assert!(document.contains(&format!("`{code}`")), "{code}");
        }
    }
}
