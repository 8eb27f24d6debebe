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
    /// A valid body, where the document's example is not to be sent.
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

pub(super) const RECIPES: &[Recipe] = &[
    Recipe::of("listPartners"),
    Recipe::of("getPartner")
        .own(&[("id", Fixture::Partner)])
        .foreign(&[("id", Fixture::ForeignPartner)]),
    // Without fields nothing changes.
    Recipe::of("updatePartner")
        .own(&[("id", Fixture::Partner)])
        .foreign(&[("id", Fixture::ForeignPartner)])
        .body("{}"),
    Recipe::of("listCommissionLines")
        .own(&[("?partnerId", Fixture::Partner), ("?payoutId", Fixture::Payout)])
        .foreign(&[("?partnerId", Fixture::ForeignPartner), ("?payoutId", Fixture::ForeignPayout)]),
    // A line in no payout: the refusal of its state changes nothing.
    Recipe::of("detachCommissionLine")
        .own(&[("id", Fixture::LineUnattached)])
        .foreign(&[("id", Fixture::ForeignLine)]),
    Recipe::of("getPayout")
        .own(&[("id", Fixture::Payout)])
        .foreign(&[("id", Fixture::ForeignPayout)]),
    Recipe::of("generateStatement")
        .own(&[("id", Fixture::Payout)])
        .foreign(&[("id", Fixture::ForeignPayout)])
        .effect(Effect::Repeatable),
];

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

impl Recipe {
    const fn of(operation: &'static str) -> Self {
        Self { operation, own: &[], foreign: &[], body: None, effect: Effect::Nothing }
    }

    const fn own(mut self, own: Places) -> Self {
        self.own = own;
        self
    }

    const fn foreign(mut self, foreign: Places) -> Self {
        self.foreign = foreign;
        self
    }

    /// As JSON.
    const fn body(mut self, body: &'static str) -> Self {
        self.body = Some(body);
        self
    }

    const fn effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self
    }
}
