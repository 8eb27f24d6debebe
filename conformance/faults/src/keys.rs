//! The deployment's API keys by role, under the names of the suite's target file.

use std::{collections::BTreeMap, fmt};

/// Roles whose keys belong to organisations of their own; every other key belongs to that of `all`.
const OTHER_ORGANIZATIONS: [&str; 6] =
    ["other_organization", "no_billing", "exhausted", "tight", "unlimited", "sandbox"];

/// API keys by role. Never printed.
#[derive(Clone, Default)]
pub struct Keys(BTreeMap<String, String>);

impl Keys {
    #[must_use]
    pub fn get(&self, role: &str) -> Option<&str> {
        self.0.get(role).map(String::as_str)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(String::as_str)
    }

    /// The roles of keys that belong to other organisations than that of `all`.
    pub(crate) fn other_organizations(&self) -> impl Iterator<Item = &'static str> {
        let all = self.get("all");
        let mut roles = OTHER_ORGANIZATIONS.into_iter();
        std::iter::from_fn(move || {
            roles.find(|role| self.get(role).is_some_and(|key| Some(key) != all))
        })
    }

    /// Which organisation a key belongs to, as the role of its main key. A key that nobody named
    /// was created by a hook, in the organisation of `all`.
    pub(crate) fn organization(&self, key: &str) -> &'static str {
        let mut others = self.other_organizations();
        others.find(|role| self.get(role) == Some(key)).unwrap_or("all")
    }
}

impl FromIterator<(String, String)> for Keys {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(keys: I) -> Self {
        Self(keys.into_iter().collect())
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_printed_by_its_role_alone() {
        let keys = Keys::from_iter([("all".to_owned(), "pcp_test_secret".to_owned())]);
        assert_eq!(format!("{keys:?}"), r#"{"all"}"#);
    }

    #[test]
    fn key_that_also_plays_all_belongs_to_its_organization() {
        let keys = [("all", "one"), ("unlimited", "one"), ("tight", "two")];
        let keys = keys.map(|(role, key)| (role.to_owned(), key.to_owned()));
        let keys = Keys::from_iter(keys);
        assert_eq!(keys.organization("one"), "all");
        assert_eq!(keys.organization("two"), "tight");
        assert_eq!(keys.organization("created by a hook"), "all");
    }
}
