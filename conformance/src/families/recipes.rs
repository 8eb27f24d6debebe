//! What no document says of an operation: which fixtures stand for the ids in its requests, and
//! what a success changes. Each operation has one recipe.

use crate::{case::Changes, target::Fixture};

/// Where a fixture's id goes: a path parameter (`id`), a query parameter (`?payoutId`), or a member
/// of the body (`/tierId`).
type Places = &'static [(&'static str, Fixture)];

#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    pub(super) operation: &'static str,
    /// Of the organisation under test.
    pub(super) own: Places,
    /// The same of the organisation of `other_organization`.
    pub(super) foreign: Places,
    /// A valid body as JSON, where the document's example is not to be sent.
    pub(super) body: Option<&'static str>,
    pub(super) effect: Effect,
    /// The ids and the body of a request that is refused for the state of its resource, if the own
    /// request is not; an empty body stands for the valid one.
    pub(super) refused: Option<(Places, &'static str)>,
    /// For an operation that creates: members as JSON, and fixtures, that a body has
    /// besides the other required members, so that it succeeds in the organisation of `sandbox`.
    pub(super) creates: Option<(&'static str, Places)>,
}

/// What a successful request with the own fixtures does.
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
        ..recipe("createPartner", &[], &[])
    },
    recipe("getPartner", &[("id", Fixture::Partner)], &[("id", Fixture::ForeignPartner)]),
    Recipe {
        // Without fields nothing changes.
        body: Some("{}"),
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
        refused: Some((&[("id", Fixture::LineVoided)], r#"{"description":"Conformance"}"#)),
        ..recipe(
            "updateCommissionLine",
            &[("id", Fixture::LineUnattached)],
            &[("id", Fixture::ForeignLine)],
        )
    },
    // No payout ever takes a voided line: the refusal of its state changes nothing.
    Recipe {
        body: Some(r#"{"reason":"DUPLICATE","note":"Conformance"}"#),
        ..recipe(
            "declineCommissionLine",
            &[("id", Fixture::LineVoided)],
            &[("id", Fixture::ForeignLine)],
        )
    },
    // A line in no payout: the refusal of its state changes nothing.
    recipe(
        "detachCommissionLine",
        &[("id", Fixture::LineUnattached)],
        &[("id", Fixture::ForeignLine)],
    ),
    // No payout takes a voided line: the refusal of its state changes nothing.
    Recipe {
        body: Some("{}"),
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
        // Other values than those of the example.
        creates: Some((
            r#"{"periodStart":"1990-01-01T00:00:00.000Z","periodEnd":"1990-01-31T00:00:00.000Z"}"#,
            &[("/partnerId", Fixture::SandboxPartner)],
        )),
        ..recipe(
            "createPayout",
            &[],
            &[("/partnerId", Fixture::ForeignPartner), ("/batchId", Fixture::ForeignBatch)],
        )
    },
    recipe("getPayout", &[("id", Fixture::Payout)], &[("id", Fixture::ForeignPayout)]),
    Recipe {
        body: Some("{}"),
        refused: Some((&[("id", Fixture::Payout)], r#"{"stage":"NO_SUCH_STAGE"}"#)),
        ..recipe("updatePayout", &[("id", Fixture::Payout)], &[("id", Fixture::ForeignPayout)])
    },
    Recipe {
        effect: Effect::Repeatable,
        refused: Some((&[("id", Fixture::PayoutWithoutLines)], "")),
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
        refused: None,
        creates: None,
    }
}

impl Effect {
    /// What a case changes that lets it succeed.
    pub(super) const fn changes(self) -> Changes {
        match self {
            Self::Nothing => Changes::Nothing,
            Self::Repeatable => Changes::Restored,
            Self::Consuming => Changes::Irreversible,
        }
    }
}
