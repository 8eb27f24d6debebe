//! API keys by role. The file names environment variables that hold them, as it is committed and
//! shown.

use std::collections::BTreeMap;

use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;

use super::table::table;
use crate::{
    document,
    secret::{Redaction, Secret},
};

/// How a variable is written.
const VARIABLE_PATTERN: &str = "^[A-Z][A-Z0-9_]{0,99}$";

/// The name of an environment variable that holds a key.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = VARIABLE_PATTERN))]
pub(crate) struct VariableName(pub(super) String);

impl TryFrom<String> for VariableName {
    type Error = String;

    /// Capitals only: a key pasted by mistake contains small letters, and must not be shown as a
    /// name.
    fn try_from(text: String) -> Result<Self, String> {
        let pattern = Regex::new(VARIABLE_PATTERN).expect("a sound pattern");
        if pattern.is_match(&text) {
            return Ok(Self(text));
        }
        Err("this must be the name of an environment variable that holds the key, in capitals, \
            such as PAYOUT_KEY_ALL; never write the key itself"
            .to_owned())
    }
}

table! {
    /// What a key is for.
    enum Role;
    /// Environment variables that hold keys, by role. Cases that need an absent role are skipped.
    struct KeyVariables of VariableName {}
    /// A valid key with all six scopes. Its organisation is the one under test.
    All = all: Option<VariableName>,
    /// A valid key of the same organisation with `partners:read` alone.
    PartnersRead = partners_read: Option<VariableName>,
    /// A valid key of the same organisation with `partners:write` alone.
    PartnersWrite = partners_write: Option<VariableName>,
    /// A valid key of the same organisation with `commissions:read` alone.
    CommissionsRead = commissions_read: Option<VariableName>,
    /// A valid key of the same organisation with `commissions:write` alone.
    CommissionsWrite = commissions_write: Option<VariableName>,
    /// A valid key of the same organisation with `affiliate:write` alone.
    AffiliateWrite = affiliate_write: Option<VariableName>,
    /// A valid key of the same organisation with `portal-sessions:write` alone.
    PortalSessionsWrite = portal_sessions_write: Option<VariableName>,
    /// A key of the same organisation with all scopes that has expired.
    Expired = expired: Option<VariableName>,
    /// A key of the same organisation with all scopes that was revoked.
    Revoked = revoked: Option<VariableName>,
    /// A valid key with all scopes of another organisation: its responses must show nothing of the
    /// first.
    OtherOrganization = other_organization: Option<VariableName>,
    /// A valid key with all scopes of an organisation whose billing information is incomplete.
    NoBilling = no_billing: Option<VariableName>,
    /// A valid key with all scopes of an organisation whose credits are used up.
    Exhausted = exhausted: Option<VariableName>,
    /// A valid key with all scopes of an organisation with at most 20 requests per minute.
    Tight = tight: Option<VariableName>,
    /// A valid key with all scopes of an organisation without a credit allowance; may be that of
    /// `all`.
    Unlimited = unlimited: Option<VariableName>,
    /// A valid key with all scopes of an organisation in which cases create partners, lines and
    /// payouts, which stay.
    Sandbox = sandbox: Option<VariableName>,
}

impl Role {
    /// The scopes of the document, each with the role of a key that has only this one.
    pub(crate) fn of_scopes() -> impl Iterator<Item = (&'static str, Self)> {
        document::scopes().filter_map(|scope| {
            let name = scope.replace([':', '-'], "_");
            let role = Self::ALL.iter().find(|role| role.name() == name);
            Some((scope, *role?))
        })
    }

    /// The role that stands for this key's organisation: `all` for the one under test, else itself.
    pub(crate) fn organization(self) -> Self {
        match self {
            Self::OtherOrganization
            | Self::NoBilling
            | Self::Exhausted
            | Self::Tight
            | Self::Unlimited
            | Self::Sandbox => self,
            _ => Self::All,
        }
    }

    /// Whether this role may use the key of `all`; otherwise a case would compare a key with
    /// itself.
    pub(crate) fn may_share_the_key_of_all(self) -> bool {
        matches!(self, Self::All | Self::NoBilling | Self::Tight | Self::Unlimited | Self::Sandbox)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    by_role: BTreeMap<Role, Secret>,
}

impl Keys {
    pub(crate) fn get(&self, role: Role) -> Option<&Secret> {
        self.by_role.get(&role)
    }

    /// All, by role.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Role, &Secret)> {
        self.by_role.iter().map(|(role, secret)| (*role, secret))
    }

    /// The roles of keys that belong to other organisations than that of `all`.
    pub(crate) fn other_organizations(&self) -> impl Iterator<Item = Role> {
        let all = self.get(Role::All).map(Secret::expose);
        let others = self.iter().filter(move |(role, key)| {
            role.organization() != Role::All && Some(key.expose()) != all
        });
        others.map(|(role, _)| role)
    }

    /// The organisation that a key belongs to, as the role of its main key. A key that the target
    /// does not name was created by a hook, in the organisation of `all`.
    pub(crate) fn organization_of(&self, key: &str) -> Role {
        let mut others = self.other_organizations();
        let is_its_own = |role: &Role| self.get(*role).is_some_and(|own| own.expose() == key);
        others.find(is_its_own).unwrap_or(Role::All)
    }

    /// Removes them from outputs.
    pub(crate) fn redaction(&self) -> Redaction {
        Redaction::of(self.by_role.values().cloned())
    }

    /// From the variables that the file names; reports all faults at once.
    pub(super) fn read(
        variables: &KeyVariables,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, Vec<String>> {
        let mut keys = Self::default();
        let mut faults = Vec::new();
        for role in Role::ALL.iter().copied() {
            let Some(variable) = variables.get(role).first().map(|name| &*name.0) else {
                continue;
            };
            let text = environment(variable).unwrap_or_default();
            let is_that_of_all = keys.get(Role::All).is_some_and(|all| all.expose() == text);
            if text.is_empty() {
                faults.push(format!(
                    "the key of the role `{role}` is missing: ${variable} is not set. Set it \
                     (export {variable}=…, or load a key file with set -a; . keys.env; set +a), or \
                     remove `{role}` from [keys]: its cases are then skipped"
                ));
            } else if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
                faults.push(format!(
                    "the key of the role `{role}` cannot be sent: ${variable} contains a space, a \
                     line break or a letter outside ASCII. Set it to the key alone"
                ));
            } else if is_that_of_all && !role.may_share_the_key_of_all() {
                faults.push(format!(
                    "the key of the role `{role}` is that of `all`, so its cases would prove \
                     nothing. Set ${variable} to another key, or remove `{role}` from [keys]"
                ));
            } else {
                keys.by_role.insert(role, Secret::new(variable, text));
            }
        }
        if faults.is_empty() { Ok(keys) } else { Err(faults) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> KeyVariables {
        let lines = pairs.iter().map(|(role, name)| format!("{role} = {name:?}\n"));
        toml::from_str(&lines.collect::<String>()).unwrap()
    }

    fn environment(name: &str) -> Option<String> {
        let value = match name {
            "ONE" => "key-one",
            "OTHER" => "key-other",
            "AGAIN" => "key-one",
            "EMPTY" => "",
            "BROKEN" => "key\n",
            _ => return None,
        };
        Some(value.to_owned())
    }

    #[test]
    fn keys_come_from_the_variables_and_absent_roles_are_absent() {
        let variables =
            variables(&[("all", "ONE"), ("other_organization", "OTHER"), ("unlimited", "AGAIN")]);
        let keys = Keys::read(&variables, environment).unwrap();
        assert_eq!(keys.get(Role::All).unwrap().expose(), "key-one");
        assert_eq!(keys.get(Role::Unlimited).unwrap().expose(), "key-one");
        assert!(keys.get(Role::Expired).is_none());
        assert_eq!(keys.redaction().apply("key-other"), "$OTHER");
        let shown = format!("{keys:?}");
        assert!(shown.contains("$ONE") && !shown.contains("key-"), "{shown}");
    }

    #[test]
    fn key_that_also_plays_all_belongs_to_its_organization() {
        let variables = variables(&[("all", "ONE"), ("tight", "OTHER"), ("unlimited", "AGAIN")]);
        let keys = Keys::read(&variables, environment).unwrap();
        assert_eq!(keys.organization_of("key-one"), Role::All);
        assert_eq!(keys.organization_of("key-other"), Role::Tight);
        assert_eq!(keys.organization_of("created by a hook"), Role::All);
    }

    #[test]
    fn each_fault_names_its_role_and_variable_and_shows_no_key() {
        for (variables, faults) in [
            (
                [("all", "ABSENT"), ("expired", "EMPTY")],
                &[("`all`", "export ABSENT="), ("`expired`", "export EMPTY=")][..],
            ),
            ([("all", "ONE"), ("expired", "BROKEN")], &[("`expired`", "$BROKEN contains")]),
            ([("all", "ONE"), ("revoked", "AGAIN")], &[("`revoked`", "Set $AGAIN to another")]),
        ] {
            let found = Keys::read(&self::variables(&variables), environment).unwrap_err();
            assert_eq!(found.len(), faults.len(), "{found:?}");
            for (found, (role, what)) in found.iter().zip(faults) {
                assert!(found.contains(role) && found.contains(what), "{found}");
                assert!(!found.contains("key-") && !found.contains("key\n"), "{found}");
            }
        }
    }
}
