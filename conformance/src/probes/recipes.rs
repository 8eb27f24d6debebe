//! What no document says of an operation: which fixtures stand for the ids in its requests, and
//! what a success changes. Each operation has one recipe.

use super::effects::Thing;
use crate::{case::Changes, target::Fixture};

/// Where a fixture's id goes: a path parameter (`id`), a query parameter (`?payoutId`), or a member
/// of the body (`/tierId`).
type Places = &'static [(&'static str, Fixture)];

#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    pub(super) operation: &'static str,
    /// Fixtures of the organisation under test.
    pub(super) own: Places,
    /// Fixtures of the organisation of `other_organization`.
    pub(super) foreign: Places,
    /// A valid body as JSON, where the document's example is not to be sent.
    pub(super) body: Option<&'static str>,
    pub(super) effect: Effect,
    /// The ids and the body of a request that is rejected for the state of its resource, if the own
    /// request is not; an empty body stands for the valid one.
    pub(super) own_rejection: Option<(Places, &'static str)>,
    /// For an operation that creates: members as JSON, and fixtures, that a body has
    /// besides the other required members, so that it succeeds in the organisation of `sandbox`.
    pub(super) creates: Option<(&'static str, Places)>,
    /// Requests after which everything else must be as before.
    pub(super) touches: &'static [Touch],
    /// Requests about foreign fixtures that their own organisation gets rejected for their state.
    pub(super) foreign_rejections: &'static [Rejection],
}

/// A request about foreign fixtures in a state that the operation rejects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rejection {
    /// The code of the 422.
    pub(super) code: &'static str,
    pub(super) places: Places,
    /// The body as JSON; without one, the recipe's.
    pub(super) body: Option<&'static str>,
}

/// A request about a thing of a scene that a case makes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// The thing whose id is in the path.
    pub(super) about: Thing,
    /// The body as JSON, in which `$payout/batchId` stands for that member of the scene's payout,
    /// and `$name` for a name that no other run writes. An operation that keeps absent members
    /// gets each member in a body of its own.
    pub(super) body: &'static str,
    /// Members with fixtures, which are left out where there are none.
    pub(super) places: Places,
}

/// The effect of a successful request with the own fixtures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing, or it is refused for the fixture's state: it may be sent at any time.
    Nothing,
    /// It makes something that stays, and the same again: it may be repeated.
    Repeatable,
    /// It makes something new each time, which stays: cases let it succeed only with
    /// `--consent irreversible`.
    Consuming,
}

pub(super) static RECIPES: [Recipe; 19] = [
    recipe("listPartners", &[], &[]),
    Recipe {
        // An unknown reference: nothing is created.
        body: Some(r#"{"name":"Conformance","tierId":"nobody-has-this-id"}"#),
        creates: Some(("{}", &[("/experienceTemplateId", Fixture::SandboxTemplate)])),
        touches: &[touch(Thing::Partner, r#"{"name":"$name","domain":"$partner/domain"}"#)],
        ..recipe("createPartner", &[], &[])
    },
    recipe("getPartner", &[("id", Fixture::Partner)], &[("id", Fixture::ForeignPartner)]),
    Recipe {
        // Without fields nothing changes.
        body: Some("{}"),
        touches: &[Touch {
            places: &[
                ("/tierId", Fixture::Tier),
                ("/phaseId", Fixture::Phase),
                ("/experienceTemplateId", Fixture::ExperienceTemplate),
                ("/partnerOwnerId", Fixture::User),
            ],
            ..touch(Thing::Partner, r#"{"name":"$name","domain":"untouched.example"}"#)
        }],
        ..recipe("updatePartner", &[("id", Fixture::Partner)], &[("id", Fixture::ForeignPartner)])
    },
    recipe(
        "listCommissionLines",
        &[("?partnerId", Fixture::Partner), ("?payoutId", Fixture::Payout)],
        &[("?partnerId", Fixture::ForeignPartner), ("?payoutId", Fixture::ForeignPayout)],
    ),
    Recipe {
        // The example's idempotencyKey may be known.
        body: Some(
            r#"{"partnerId":"nobody-has-this-id","amount":"1.00","currency":"EUR",
                "description":"Conformance"}"#,
        ),
        creates: Some((
            r#"{"periodEnd":"1990-01-31T00:00:00.000Z"}"#,
            &[("/partnerId", Fixture::SandboxPartner)],
        )),
        touches: &[
            touch(
                Thing::Line,
                r#"{"partnerId":"$partner/id","amount":"9.99","currency":"EUR",
                    "description":"Another","idempotencyKey":"$line/idempotencyKey"}"#,
            ),
            touch(
                Thing::Payout,
                r#"{"partnerId":"$partner/id","amount":"9.99","currency":"$line/currency",
                    "description":"Another","payoutId":"$payout/id"}"#,
            ),
        ],
        foreign_rejections: &[
            rejection(
                "CURRENCY_MISMATCH",
                &[("/partnerId", Fixture::ForeignPartner), ("/payoutId", Fixture::ForeignPayout)],
                Some(r#"{"amount":"1.00","currency":"XAF","description":"Conformance"}"#),
            ),
            rejection(
                "PAYOUT_LOCKED",
                &[
                    ("/partnerId", Fixture::ForeignPartner),
                    ("/payoutId", Fixture::ForeignPayoutWithoutLines),
                ],
                Some(r#"{"amount":"1.00","currency":"EUR","description":"Conformance"}"#),
            ),
        ],
        ..recipe(
            "createCommissionLine",
            &[],
            &[("/partnerId", Fixture::ForeignPartner), ("/payoutId", Fixture::ForeignPayout)],
        )
    },
    recipe(
        "getCommissionLine",
        &[("id", Fixture::LineUnattached)],
        &[("id", Fixture::ForeignLine)],
    ),
    Recipe {
        body: Some("{}"),
        own_rejection: Some((&[("id", Fixture::LineVoided)], r#"{"description":"Conformance"}"#)),
        touches: &[
            touch(
                Thing::Line,
                r#"{"amount":"-2.55","description":"Another","sourceAmount":"7.00",
                    "planName":"Another","periodEnd":"1999-12-31T00:00:00.000Z"}"#,
            ),
            // A line in a payout keeps its currency.
            touch(Thing::Pending, r#"{"currency":"EUR"}"#),
        ],
        foreign_rejections: &[
            rejection(
                "LINE_VOIDED",
                &[("id", Fixture::ForeignLineVoided)],
                Some(r#"{"amount":"1.00"}"#),
            ),
            rejection(
                "LINE_LOCKED",
                &[("id", Fixture::ForeignLinePaid)],
                Some(r#"{"amount":"1.00"}"#),
            ),
            rejection(
                "CURRENCY_MISMATCH",
                &[("id", Fixture::ForeignLine)],
                Some(r#"{"currency":"XAF"}"#),
            ),
        ],
        ..recipe(
            "updateCommissionLine",
            &[("id", Fixture::LineUnattached)],
            &[("id", Fixture::ForeignLine)],
        )
    },
    // No payout ever takes a voided line: the rejection of its state changes nothing.
    Recipe {
        body: Some(r#"{"reason":"DUPLICATE","note":"Conformance"}"#),
        touches: &[touch(Thing::Line, r#"{"reason":"DUPLICATE","note":"Conformance"}"#)],
        foreign_rejections: &[
            rejection("LINE_NOT_IN_PAYOUT", &[("id", Fixture::ForeignLineUnattached)], None),
            rejection("LINE_LOCKED", &[("id", Fixture::ForeignLinePaid)], None),
        ],
        ..recipe(
            "declineCommissionLine",
            &[("id", Fixture::LineVoided)],
            &[("id", Fixture::ForeignLine)],
        )
    },
    // A line in no payout: the rejection of its state changes nothing.
    Recipe {
        touches: &[touch(Thing::Line, "null")],
        foreign_rejections: &[rejection(
            "LINE_NOT_IN_PAYOUT",
            &[("id", Fixture::ForeignLineUnattached)],
            None,
        )],
        ..recipe(
            "detachCommissionLine",
            &[("id", Fixture::LineUnattached)],
            &[("id", Fixture::ForeignLine)],
        )
    },
    // No payout takes a voided line: the rejection of its state changes nothing.
    Recipe {
        body: Some("{}"),
        touches: &[touch(Thing::Pending, r#"{"payoutId":"$payout/id"}"#)],
        foreign_rejections: &[
            rejection(
                "LINE_IN_PAYOUT",
                &[("id", Fixture::ForeignLinePaid), ("/payoutId", Fixture::ForeignPayout)],
                Some("{}"),
            ),
            rejection(
                "LINE_NOT_PENDING",
                &[("id", Fixture::ForeignLineVoided), ("/payoutId", Fixture::ForeignPayout)],
                Some("{}"),
            ),
            rejection(
                "CURRENCY_MISMATCH",
                &[
                    ("id", Fixture::ForeignLineUnattached),
                    ("/payoutId", Fixture::ForeignPayoutInAnotherCurrency),
                ],
                Some("{}"),
            ),
            rejection(
                "PAYOUT_LOCKED",
                &[
                    ("id", Fixture::ForeignLineUnattached),
                    ("/payoutId", Fixture::ForeignPayoutWithoutLines),
                ],
                Some("{}"),
            ),
        ],
        ..recipe(
            "attachCommissionLine",
            &[("id", Fixture::LineVoided), ("/payoutId", Fixture::Payout)],
            &[("id", Fixture::ForeignLine), ("/payoutId", Fixture::ForeignPayout)],
        )
    },
    recipe(
        "listPayouts",
        &[("?partnerId", Fixture::Partner)],
        &[("?partnerId", Fixture::ForeignPartner), ("?batchId", Fixture::ForeignBatch)],
    ),
    Recipe {
        // Requests that take pending lines wait for each other, and a few are too many (X25).
        body: Some(
            r#"{"partnerId":"nobody-has-this-id","periodStart":"2026-05-01T00:00:00.000Z",
                "periodEnd":"2026-05-31T00:00:00.000Z","currency":"EUR"}"#,
        ),
        // Other values than those of the example.
        creates: Some((
            r#"{"periodStart":"1990-01-01T00:00:00.000Z","periodEnd":"1990-01-31T00:00:00.000Z"}"#,
            &[("/partnerId", Fixture::SandboxPartner)],
        )),
        touches: &[
            touch(
                Thing::Payout,
                r#"{"partnerId":"$partner/id","currency":"$line/currency",
                    "periodStart":"1990-01-01T00:00:00.000Z","periodEnd":"$payout/periodEnd",
                    "batchId":"$payout/batchId","poNumber":"Another"}"#,
            ),
            touch(
                Thing::Payout,
                r#"{"partnerId":"$partner/id","currency":"$pending-line/currency",
                    "periodStart":"1990-01-01T00:00:00.000Z","periodEnd":"$pending-line/periodEnd",
                    "attachPendingLines":true}"#,
            ),
        ],
        ..recipe(
            "createPayout",
            &[],
            &[("/partnerId", Fixture::ForeignPartner), ("/batchId", Fixture::ForeignBatch)],
        )
    },
    recipe("getPayout", &[("id", Fixture::Payout)], &[("id", Fixture::ForeignPayout)]),
    Recipe {
        body: Some("{}"),
        own_rejection: Some((&[("id", Fixture::Payout)], r#"{"stage":"NO_SUCH_STAGE"}"#)),
        touches: &[touch(
            Thing::Payout,
            r#"{"stage":"APPROVED","poNumber":"Another","metadata":{"another":"text"}}"#,
        )],
        foreign_rejections: &[rejection(
            "INVALID_STAGE_TRANSITION",
            &[("id", Fixture::ForeignPayout)],
            Some(r#"{"stage":"CONFORMANCE"}"#),
        )],
        ..recipe("updatePayout", &[("id", Fixture::Payout)], &[("id", Fixture::ForeignPayout)])
    },
    Recipe {
        effect: Effect::Repeatable,
        own_rejection: Some((&[("id", Fixture::PayoutWithoutLines)], "")),
        touches: &[touch(Thing::Payout, "null")],
        foreign_rejections: &[
            rejection("NO_COMMISSION_LINES", &[("id", Fixture::ForeignPayoutWithoutLines)], None),
            rejection("NO_BILLING_INFO", &[("id", Fixture::PayoutNoBilling)], None),
        ],
        ..recipe("generateStatement", &[("id", Fixture::Payout)], &[("id", Fixture::ForeignPayout)])
    },
    Recipe {
        body: Some(
            r#"{"periodStart":"2026-05-01T00:00:00.000Z","periodEnd":"2026-05-31T00:00:00.000Z",
                "attachPendingLines":false}"#,
        ),
        // No line is as old: the batch is empty.
        creates: Some((
            r#"{"periodEnd":"1890-01-31T00:00:00.000Z",
                           "periodStart":"1890-01-01T00:00:00.000Z"}"#,
            &[],
        )),
        effect: Effect::Consuming,
        touches: &[touch(
            Thing::Pending,
            r#"{"periodStart":"1890-01-01T00:00:00.000Z","periodEnd":"$pending-line/periodEnd"}"#,
        )],
        ..recipe("createPayoutBatch", &[], &[])
    },
    recipe("listPayoutBatches", &[], &[]),
    recipe("getPayoutBatch", &[("id", Fixture::Batch)], &[("id", Fixture::ForeignBatch)]),
];

/// A recipe with the document's example as body, and without an effect.
const fn recipe(operation: &'static str, own: Places, foreign: Places) -> Recipe {
    Recipe {
        operation,
        own,
        foreign,
        body: None,
        effect: Effect::Nothing,
        own_rejection: None,
        creates: None,
        touches: &[],
        foreign_rejections: &[],
    }
}

const fn rejection(code: &'static str, places: Places, body: Option<&'static str>) -> Rejection {
    Rejection { code, places, body }
}

const fn touch(about: Thing, body: &'static str) -> Touch {
    Touch { about, body, places: &[] }
}

impl Effect {
    /// The changes of a case whose request succeeds.
    pub(super) const fn changes(self) -> Changes {
        match self {
            Self::Nothing => Changes::Nothing,
            Self::Repeatable => Changes::Restored,
            Self::Consuming => Changes::Irreversible,
        }
    }
}
