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

pub(super) static RECIPES: [Recipe; 7] = [
    recipe("listPartners", &[], &[]),
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
    // A line in no payout: the refusal of its state changes nothing.
    recipe(
        "detachCommissionLine",
        &[("id", Fixture::LineUnattached)],
        &[("id", Fixture::ForeignLine)],
    ),
    recipe("getPayout", &[("id", Fixture::Payout)], &[("id", Fixture::ForeignPayout)]),
    Recipe {
        effect: Effect::Repeatable,
        ..recipe("generateStatement", &[("id", Fixture::Payout)], &[("id", Fixture::ForeignPayout)])
    },
];

/// A recipe with the document's example as body, and without an effect.
const fn recipe(operation: &'static str, own: Places, foreign: Places) -> Recipe {
    Recipe { operation, own, foreign, body: None, effect: Effect::Nothing }
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
