//! Recipes of operations, from `recipes.toml`, say what the document cannot: the body of a harmless
//! request, what a success changes, and requests about states that the operation rejects. The
//! fixtures that stand for the ids of requests follow from the document's `x-references`. [`Thing`]
//! lists what requests may change, and how its members show what a body sets.

use std::{collections::BTreeMap, sync::LazyLock};

use openapi_document::{Location, Operation, Shape};
use serde::Deserialize;
use serde_json::{Map, Value};
use strum::{EnumIter, IntoStaticStr};

use crate::{case::Changes, document::DOCUMENT, target::Fixture};

/// The fixtures that stand for a resource of our organisation, and for one of another.
const USUAL: [(&str, Fixture, Fixture); 8] = [
    ("partner", Fixture::Partner, Fixture::ForeignPartner),
    ("commission line", Fixture::LineUnattached, Fixture::ForeignLine),
    ("payout", Fixture::Payout, Fixture::ForeignPayout),
    ("batch", Fixture::Batch, Fixture::ForeignBatch),
    ("comment", Fixture::Comment, Fixture::ForeignComment),
    ("form", Fixture::Form, Fixture::ForeignForm),
    ("conversion", Fixture::Conversion, Fixture::ForeignConversion),
    ("CRM sync", Fixture::CrmSync, Fixture::ForeignCrmSync),
];

static RECIPES: LazyLock<BTreeMap<String, Recipe>> = LazyLock::new(|| {
    toml::from_str(include_str!("recipes.toml")).expect("the recipes of the operations")
});
static NONE: LazyLock<Recipe> = LazyLock::new(Recipe::default);

/// Where a fixture's id goes: a path parameter (`id`), a query parameter (`?payoutId`), or a member
/// of the body (`/tierId`).
pub(super) type Places = BTreeMap<String, Fixture>;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Recipe {
    /// Fixtures in place of the usual ones of the organisation under test.
    own: Places,
    /// A valid body, where the document's example is not to be sent.
    pub(super) body: Option<Value>,
    pub(super) effect: Effect,
    /// A request that is rejected for the state of its resource, if the own request is not.
    pub(super) own_rejection: Option<Rejection>,
    pub(super) creates: Option<Creates>,
    /// Requests after which everything else must be as before.
    pub(super) touches: Vec<Touch>,
    /// Requests about foreign fixtures that their own organisation gets rejected for their state.
    pub(super) foreign_rejections: Vec<Rejection>,
    /// The members that a success changes by itself, besides those that its body names. The suite
    /// proves that all others stay.
    pub(super) changes: BTreeMap<Thing, Vec<String>>,
}

/// Members and fixtures that a body needs besides the required members, so that it creates
/// something in the organisation of `sandbox`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Creates {
    pub(super) members: Map<String, Value>,
    pub(super) places: Places,
}

/// A request about fixtures in a state that the operation rejects.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rejection {
    #[serde(default)]
    pub(super) code: String,
    pub(super) places: Places,
    /// The recipe's body if `None`.
    pub(super) body: Option<Value>,
}

/// A request about a thing of a scene that a case makes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Touch {
    pub(super) about: Thing,
    /// The body, in which `$payout/batchId` stands for that member of the scene's payout, and
    /// `$name` for a name that no other run writes. An operation that keeps absent members gets
    /// each member in a body of its own.
    #[serde(default)]
    pub(super) body: Map<String, Value>,
    /// Members with fixtures, which are left out where there are none.
    #[serde(default)]
    pub(super) places: Places,
}

/// The effect of a successful request with the own fixtures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Effect {
    /// Nothing, or it is refused for the fixture's state: it may be sent at any time.
    #[default]
    Nothing,
    /// It makes something that stays, and the same again: it may be repeated.
    Repeatable,
    /// It makes something new each time, which stays: cases let it succeed only with
    /// `--consent irreversible`.
    Consuming,
}

/// The recipe of an operation; without one it changes nothing.
pub(super) fn recipe(operation: &str) -> &'static Recipe {
    RECIPES.get(operation).unwrap_or(&NONE)
}

impl Recipe {
    /// The fixtures for the ids in an operation's requests: ours, and those of the organisation of
    /// `other_organization`. Ours are in a body only where the recipe says so.
    pub(super) fn places(&self, operation: &Operation) -> [Places; 2] {
        let (mut ours, mut theirs) = (Places::new(), Places::new());
        for reference in &operation.references {
            let mut usual = USUAL.iter().filter(|(resource, ..)| *resource == reference.resource);
            let Some((_, own, foreign)) = usual.next() else { continue };
            let sign = if reference.location == Some(Location::Query) { "?" } else { "" };
            let place = format!("{sign}{}", reference.member);
            if reference.location.is_some() {
                ours.insert(place.clone(), *own);
            }
            theirs.insert(place, *foreign);
        }
        ours.extend(self.own.clone());
        [ours, theirs]
    }
}

impl Effect {
    pub(super) const fn changes(self) -> Changes {
        match self {
            Self::Nothing => Changes::Nothing,
            Self::Repeatable => Changes::Restored,
            Self::Consuming => Changes::Irreversible,
        }
    }
}

/// One of the resources that a request may change.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, EnumIter, IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Thing {
    Partner,
    Payout,
    Line,
    /// The payout's other line.
    NeighbourLine,
    PendingLine,
}

/// The members of this thing that the operation changes by itself.
pub(super) fn changes(operation: &str, thing: Thing) -> Vec<&'static str> {
    recipe(operation).changes.get(&thing).into_iter().flatten().map(String::as_str).collect()
}

/// The member of a resource that shows what a body's member sets: `owner` for `partnerOwnerId`.
pub(super) fn shown_as<'a>(named: &'a str, members: &[&'a str]) -> Option<&'a str> {
    let object = named.strip_suffix("Id").unwrap_or(named).to_ascii_lowercase();
    let is_object = |member: &&str| object.ends_with(*member);
    let mut members = members.iter().copied();
    members.clone().find(|member| *member == named).or_else(|| members.find(is_object))
}

impl Thing {
    /// The name of the thing in bodies of recipes and in ids of faults.
    pub(super) fn name(self) -> &'static str {
        self.into()
    }

    pub(super) fn reader(self) -> &'static str {
        match self {
            Self::Partner => "getPartner",
            Self::Payout => "getPayout",
            Self::Line | Self::NeighbourLine | Self::PendingLine => "getCommissionLine",
        }
    }

    pub(super) fn members(self) -> Vec<(String, Shape)> {
        let members = resource(self.reader()).into_iter().flat_map(|resource| resource.properties);
        members.filter_map(|(name, at)| Some((name, DOCUMENT.shape(&at).ok()?))).collect()
    }
}

/// The schema of `data` where an operation answers 200.
fn resource(operation: &str) -> Option<Shape> {
    let operation = DOCUMENT.operations().iter().find(|known| known.id == operation)?;
    let envelope = operation.response(200)?.content.first()?.schema_pointer.as_ref()?;
    let members = DOCUMENT.shape(envelope).ok()?.properties;
    let (_, data) = members.into_iter().find(|(name, _)| name == "data")?;
    DOCUMENT.shape(&data).ok()
}

/// The thing that an operation answers with where the response is 200.
pub(super) fn answered(operation: &str) -> Option<Thing> {
    let answered = resource(operation)?.properties;
    let is_it = |thing: &Thing| {
        resource(thing.reader()).is_some_and(|own| {
            own.properties.iter().map(|(name, _)| name).eq(answered.iter().map(|(name, _)| name))
        })
    };
    [Thing::Partner, Thing::Payout, Thing::Line].into_iter().find(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probes::{SUBJECTS, subject::Subject};

    /// Codes of a 422 that say nothing about a resource's state.
    const OF_REQUESTS: [&str; 3] =
        ["VALIDATION_FAILED", "INVALID_REFERENCE", "IDEMPOTENCY_KEY_REUSED"];
    /// Codes that no fixture of another organisation shows: more than 20,000 lines, the payout of
    /// one foreign partner for another one, and a request that names nothing of an organisation.
    const UNSHOWN: [&str; 3] = ["STATEMENT_TOO_LARGE", "PARTNER_MISMATCH", "CRM_NOT_CONNECTED"];

    #[test]
    fn recipes_name_operations_places_and_members_of_the_document() {
        let is_known = |id: &String| SUBJECTS.iter().any(|known| known.operation.id == *id);
        assert!(RECIPES.keys().all(is_known), "a recipe is of an operation that there is");
        for Subject { operation, recipe, .. } in SUBJECTS.iter() {
            let created = recipe.creates.iter().flat_map(|creates| creates.places.keys());
            let rejected = recipe.own_rejection.iter().chain(&recipe.foreign_rejections);
            let rejected = rejected.flat_map(|rejection| rejection.places.keys());
            let touched = recipe.touches.iter().flat_map(|touch| touch.places.keys());
            for place in recipe.own.keys().chain(created).chain(rejected).chain(touched) {
                let member = place.trim_start_matches('?');
                let mut references = operation.references.iter();
                let is_known = references.any(|reference| reference.member == member);
                assert!(is_known, "{} has no {place}", operation.id);
            }
            for (thing, changed) in &recipe.changes {
                let members = thing.members();
                let is_member = |name: &String| members.iter().any(|(known, _)| known == name);
                assert!(changed.iter().all(is_member), "{}: {changed:?}", operation.id);
            }
        }
    }

    #[test]
    fn recipe_names_a_foreign_resource_for_each_state_that_its_operation_rejects() {
        for Subject { operation, recipe, .. } in SUBJECTS.iter() {
            let codes = operation.response(422).into_iter().flat_map(|known| &known.error_codes);
            let is_of_state =
                |code: &&String| ![&OF_REQUESTS[..], &UNSHOWN].concat().contains(&code.as_str());
            let mut states: Vec<&String> = codes.filter(is_of_state).collect();
            let rejections = recipe.foreign_rejections.iter();
            let mut shown: Vec<&String> = rejections.map(|rejection| &rejection.code).collect();
            states.sort();
            shown.sort();
            assert_eq!(shown, states, "`foreign_rejections` of {}", operation.id);
        }
    }
}
