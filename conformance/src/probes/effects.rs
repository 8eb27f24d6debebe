//! Effects: the members that a success of each operation changes, besides those that its body
//! names. The suite proves that all others stay; derived faults change one of the others.

use openapi_document::Shape;

use crate::document::DOCUMENT;

/// One of the resources that a request may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thing {
    Partner,
    Payout,
    /// A line of the payout.
    Line,
    /// The payout's other line.
    Neighbour,
    /// A line in the pending pool.
    Pending,
}

type Changes = &'static [(Thing, &'static [&'static str])];

const MOVED: &[&str] = &["updatedAt"];
/// Members that every body has which matches a partner.
const MATCHED: &[&str] = &["name", "domain", "updatedAt"];
/// Members of a payout that gains or loses a line, or whose line gets another amount.
const SUM: &[&str] = &["amount", "updatedAt"];
/// Members of a line that enters or leaves a payout.
const PLACE: &[&str] = &["status", "payoutId", "updatedAt"];

/// Every operation that is no read. What is not listed stays as it is.
const EFFECTS: [(&str, Changes); 11] = [
    ("createPartner", &[(Thing::Partner, MATCHED)]),
    ("updatePartner", &[(Thing::Partner, MOVED)]),
    ("createCommissionLine", &[(Thing::Payout, SUM)]),
    (
        "updateCommissionLine",
        &[(Thing::Line, MOVED), (Thing::Pending, MOVED), (Thing::Payout, SUM)],
    ),
    ("declineCommissionLine", &[(Thing::Line, PLACE), (Thing::Payout, SUM)]),
    ("detachCommissionLine", &[(Thing::Line, PLACE), (Thing::Payout, SUM)]),
    ("attachCommissionLine", &[(Thing::Pending, PLACE), (Thing::Payout, SUM)]),
    ("createPayout", &[(Thing::Pending, PLACE)]),
    ("updatePayout", &[(Thing::Payout, MOVED)]),
    ("createPayoutBatch", &[(Thing::Pending, PLACE)]),
    ("generateStatement", &[]),
];

/// The members of this thing that the operation changes by itself.
pub(crate) fn changes(operation: &str, thing: Thing) -> &'static [&'static str] {
    let effects = EFFECTS.iter().find(|(id, _)| *id == operation);
    let mut changes = effects.iter().flat_map(|(_, changes)| *changes);
    changes.find(|(changed, _)| *changed == thing).map_or(&[], |(_, members)| *members)
}

/// The member of a resource that shows what a body's member sets: `owner` for `partnerOwnerId`.
pub(crate) fn shown_as<'a>(named: &'a str, members: &[&'a str]) -> Option<&'a str> {
    let object = named.strip_suffix("Id").unwrap_or(named).to_ascii_lowercase();
    let is_object = |member: &&str| object.ends_with(*member);
    let mut members = members.iter().copied();
    members.clone().find(|member| *member == named).or_else(|| members.find(is_object))
}

impl Thing {
    pub(crate) const ALL: [Self; 5] =
        [Self::Partner, Self::Payout, Self::Line, Self::Neighbour, Self::Pending];

    /// The name of the thing in bodies of recipes and in ids of faults.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Partner => "partner",
            Self::Payout => "payout",
            Self::Line => "line",
            Self::Neighbour => "neighbour-line",
            Self::Pending => "pending-line",
        }
    }

    /// The operation that reads it.
    pub(crate) fn reader(self) -> &'static str {
        match self {
            Self::Partner => "getPartner",
            Self::Payout => "getPayout",
            Self::Line | Self::Neighbour | Self::Pending => "getCommissionLine",
        }
    }

    /// Its members, and their schemas.
    pub(crate) fn members(self) -> Vec<(&'static str, Shape)> {
        resource(self.reader())
            .into_iter()
            .flat_map(|resource| resource.properties)
            .filter_map(|(name, pointer)| Some((&*name.leak(), DOCUMENT.shape(&pointer).ok()?)))
            .collect()
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
    let names = |shape: Shape| shape.properties.into_iter().map(|(name, _)| name).collect();
    let answered: Vec<String> = resource(operation).map(names)?;
    [Thing::Partner, Thing::Payout, Thing::Line]
        .into_iter()
        .find(|thing| thing.members().iter().map(|(name, _)| *name).eq(answered.iter()))
}

#[cfg(test)]
mod tests {
    use openapi_document::Method;

    use super::*;

    #[test]
    fn every_operation_that_is_no_read_has_its_effects_and_they_name_members() {
        let operations = DOCUMENT.operations().iter();
        let writes = operations.filter(|operation| operation.method != Method::Get);
        let mut writes: Vec<&str> = writes.map(|operation| operation.id.as_str()).collect();
        let mut listed: Vec<&str> = EFFECTS.iter().map(|(id, _)| *id).collect();
        writes.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, writes);
        for (operation, changes) in EFFECTS {
            for (thing, changed) in changes {
                let members = thing.members();
                let is_member = |name: &&str| members.iter().any(|(known, _)| known == name);
                assert!(changed.iter().all(is_member), "{operation}: {changed:?}");
            }
        }
    }

    #[test]
    fn member_of_a_body_is_shown_by_its_name_or_by_the_object_of_its_id() {
        let partner: Vec<&str> =
            Thing::Partner.members().into_iter().map(|(name, _)| name).collect();
        assert_eq!(shown_as("tierId", &partner), Some("tierId"));
        assert_eq!(shown_as("partnerOwnerId", &partner), Some("owner"));
        assert_eq!(shown_as("portalAccess", &partner), None);
        assert_eq!(answered("updatePartner"), Some(Thing::Partner));
        assert_eq!(answered("detachCommissionLine"), Some(Thing::Line));
        assert_eq!(answered("generateStatement"), None);
    }
}
