//! The rules of creating and changing a partner (§4.3, R2, X1). Fields that the body omits stay as
//! they are.

use serde::Serialize;

use crate::contract::{types::UpdatePartnerRequest, value_sets::PartnerStatus};

/// The changeable fields, under the names of the history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PartnerFields {
    pub(super) name: String,
    pub(super) domain: Option<String>,
    /// The access mode of the portal.
    pub(super) portal_access: Option<String>,
    pub(super) tier_id: Option<String>,
    /// The published experience template.
    pub(super) experience_template_id: Option<String>,
    pub(super) phase_id: Option<String>,
    #[serde(rename = "partnerOwnerId")]
    pub(super) owner_id: Option<String>,
}

impl PartnerFields {
    /// Returns the fields after a change. The access mode changes only together with the template.
    pub(super) fn changed_by(&self, change: &UpdatePartnerRequest) -> Self {
        let UpdatePartnerRequest {
            name,
            domain,
            portal_access,
            tier_id,
            experience_template_id,
            phase_id,
            partner_owner_id,
        } = change.clone();
        let portal_access = portal_access.filter(|_| experience_template_id.is_some());
        let portal_access = portal_access.map(|access| access.as_str().to_owned());
        let before = self.clone();
        Self {
            name: name.map_or(before.name, |name| name.into_string()),
            domain: match domain.as_opt_ref() {
                Some(domain) => domain.map(|domain| domain.as_str().to_owned()),
                None => before.domain,
            },
            portal_access: portal_access.or(before.portal_access),
            tier_id: tier_id.map(|id| id.into_string()).or(before.tier_id),
            experience_template_id: experience_template_id
                .map(|id| id.into_string())
                .or(before.experience_template_id),
            phase_id: phase_id.map(|id| id.into_string()).or(before.phase_id),
            owner_id: partner_owner_id.map(|id| id.into_string()).or(before.owner_id),
        }
    }

    pub(super) const fn status_when_new(&self) -> PartnerStatus {
        match self.experience_template_id {
            Some(_) => PartnerStatus::Active,
            None => PartnerStatus::Pending,
        }
    }
}

/// Returns true if a change names anything that must exist.
pub(super) const fn has_references(change: &UpdatePartnerRequest) -> bool {
    change.tier_id.is_some()
        || change.experience_template_id.is_some()
        || change.phase_id.is_some()
        || change.partner_owner_id.is_some()
}

#[cfg(test)]
mod tests {
    use openapi_runtime::reading::{FromJson as _, Violations};
    use serde_json::{Value, json};

    use super::*;

    fn change(body: Value) -> UpdatePartnerRequest {
        UpdatePartnerRequest::from_json(body, "", &mut Violations::default()).unwrap()
    }

    fn before() -> PartnerFields {
        PartnerFields {
            name: "Nordwind".into(),
            domain: Some("nordwind.example".into()),
            tier_id: Some("tier_1".into()),
            ..PartnerFields::default()
        }
    }

    #[test]
    fn portal_access_takes_effect_only_with_a_template() {
        let access = change(json!({"portalAccess": "RESTRICTED_USERS"}));
        assert_eq!(before().changed_by(&access), before());
        let published = json!({
            "portalAccess": "RESTRICTED_USERS", "experienceTemplateId": "tmpl_1",
        });
        let after = before().changed_by(&change(published));
        assert_eq!(after.portal_access.as_deref(), Some("RESTRICTED_USERS"));
        assert_eq!(after.experience_template_id.as_deref(), Some("tmpl_1"));
    }

    #[test]
    fn history_has_the_names_of_the_api() {
        let named = change(json!({
            "name": "Südwind", "domain": null, "portalAccess": "RESTRICTED_USERS",
            "tierId": "tier_2", "experienceTemplateId": "tmpl_1", "phaseId": "phase_1",
            "partnerOwnerId": "usr_1",
        }));
        assert_eq!(json!(before().changed_by(&named)), json!(named));
    }
}
