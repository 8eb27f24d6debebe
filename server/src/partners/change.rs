//! The rules of creating and changing a partner (§4.3, R2, X1). Fields that the body omits stay as
//! they are.

use serde_json::{Value, json};

use crate::contract::value_sets::PartnerStatus;

/// The fields of a PATCH; `None` keeps a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PartnerChange {
    /// New display name.
    pub(super) name: Option<String>,
    /// New domain; `Some(None)` clears it.
    pub(super) domain: Option<Option<String>>,
    /// Access mode of the portal; takes effect only together with the template.
    pub(super) portal_access: Option<String>,
    /// Tier to assign.
    pub(super) tier_id: Option<String>,
    /// Experience template to publish.
    pub(super) experience_template_id: Option<String>,
    /// Lifecycle phase to assign.
    pub(super) phase_id: Option<String>,
    /// User to assign as owner.
    pub(super) owner_id: Option<String>,
}

/// The changeable fields, before or after a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ChangedFields {
    /// Display name.
    pub(super) name: String,
    /// Company domain.
    pub(super) domain: Option<String>,
    /// Access mode of the portal.
    pub(super) portal_access: Option<String>,
    /// Assigned tier.
    pub(super) tier_id: Option<String>,
    /// Published experience template.
    pub(super) experience_template_id: Option<String>,
    /// Assigned lifecycle phase.
    pub(super) phase_id: Option<String>,
    /// The owner's user id.
    pub(super) owner_id: Option<String>,
}

impl ChangedFields {
    /// The values as the history stores them.
    pub(super) fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "domain": self.domain,
            "portalAccess": self.portal_access,
            "tierId": self.tier_id,
            "experienceTemplateId": self.experience_template_id,
            "phaseId": self.phase_id,
            "partnerOwnerId": self.owner_id,
        })
    }

    /// The status of a new partner with these fields.
    pub(super) const fn status_when_new(&self) -> PartnerStatus {
        match self.experience_template_id {
            Some(_) => PartnerStatus::Active,
            None => PartnerStatus::Pending,
        }
    }
}

impl PartnerChange {
    /// The fields after this change; `None` where nothing differs, so that `updatedAt` stays too.
    pub(super) fn apply(&self, before: &ChangedFields) -> Option<ChangedFields> {
        Some(self.applied_to(before.clone())).filter(|after| after != before)
    }

    /// The fields of a new partner.
    pub(super) fn to_new(&self) -> ChangedFields {
        self.applied_to(ChangedFields::default())
    }

    fn applied_to(&self, mut after: ChangedFields) -> ChangedFields {
        if let Some(name) = &self.name {
            after.name.clone_from(name);
        }
        if let Some(domain) = &self.domain {
            after.domain.clone_from(domain);
        }
        let replace = |field: &mut Option<String>, value: &Option<String>| {
            if value.is_some() {
                field.clone_from(value);
            }
        };
        replace(&mut after.tier_id, &self.tier_id);
        replace(&mut after.experience_template_id, &self.experience_template_id);
        replace(&mut after.phase_id, &self.phase_id);
        replace(&mut after.owner_id, &self.owner_id);
        if self.experience_template_id.is_some() {
            replace(&mut after.portal_access, &self.portal_access);
        }
        after
    }

    /// Whether it names anything that must exist.
    pub(super) const fn has_references(&self) -> bool {
        self.tier_id.is_some()
            || self.experience_template_id.is_some()
            || self.phase_id.is_some()
            || self.owner_id.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn before() -> ChangedFields {
        ChangedFields {
            name: "Nordwind".into(),
            domain: Some("nordwind.example".into()),
            portal_access: None,
            tier_id: Some("tier_1".into()),
            experience_template_id: None,
            phase_id: None,
            owner_id: None,
        }
    }

    #[test]
    fn empty_or_equal_change_changes_nothing() {
        let equal = PartnerChange {
            name: Some("Nordwind".into()),
            domain: Some(Some("nordwind.example".into())),
            tier_id: Some("tier_1".into()),
            ..PartnerChange::default()
        };
        assert_eq!(PartnerChange::default().apply(&before()), None);
        assert_eq!(equal.apply(&before()), None);
    }

    #[test]
    fn null_clears_the_domain_and_keeps_the_rest() {
        let change = PartnerChange { domain: Some(None), ..PartnerChange::default() };
        let expected = ChangedFields { domain: None, ..before() };
        assert_eq!(change.apply(&before()), Some(expected));
    }

    #[test]
    fn portal_access_takes_effect_only_with_a_template() {
        let access = PartnerChange {
            portal_access: Some("RESTRICTED_USERS".into()),
            ..PartnerChange::default()
        };
        assert_eq!(access.apply(&before()), None);
        let published = PartnerChange { experience_template_id: Some("tmpl_1".into()), ..access };
        let after = published.apply(&before()).unwrap();
        assert_eq!(after.portal_access.as_deref(), Some("RESTRICTED_USERS"));
        assert_eq!(after.experience_template_id.as_deref(), Some("tmpl_1"));
    }
    #[test]
    fn new_partner_is_active_exactly_with_a_template() {
        let pending = PartnerChange {
            name: Some("Nordwind".into()),
            portal_access: Some("RESTRICTED_USERS".into()),
            ..PartnerChange::default()
        };
        let new = pending.to_new();
        assert_eq!(new, ChangedFields { name: "Nordwind".into(), ..ChangedFields::default() });
        assert_eq!(new.status_when_new(), PartnerStatus::Pending);
        let active = PartnerChange { experience_template_id: Some("tmpl_1".into()), ..pending };
        let new = active.to_new();
        assert_eq!(new.portal_access.as_deref(), Some("RESTRICTED_USERS"));
        assert_eq!(new.status_when_new(), PartnerStatus::Active);
    }
}
