//! The identity that the gate gives to handlers: always a `Caller`, never an option.

use std::{fmt, sync::Arc};

/// An organisation's id, safe within the text of a statement: `org_` and 26 characters of a ULID.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OrganizationId(Arc<str>);

impl OrganizationId {
    /// Parses `org_` and 26 of `0-9A-Z`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let ulid = text.strip_prefix("org_")?;
        let safe = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
        (ulid.len() == 26 && ulid.bytes().all(safe)).then(|| Self(text.into()))
    }

    /// The id as the tables store it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OrganizationId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The holder of a valid key with the operation's scope, admitted and charged.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Whose data this request may touch.
    pub organization: OrganizationId,
    /// The key's id, for the history.
    pub key_id: Arc<str>,
    /// The request's id, for the history and the log (R13).
    pub request_id: Arc<str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_id_becomes_an_organization() {
        assert!(OrganizationId::parse("org_01JV3N8Q5RHWXK2M4P6S7T9V0A").is_some());
        for hostile in [
            "",
            "org_",
            "org_01JV3N8Q5RHWXK2M4P6S7T9V0'",
            "ORG_01JV3N8Q5RHWXK2M4P6S7T9V0A",
            "org_01JV3N8Q5RHWXK2M4P6S7T9V0A ",
        ] {
            assert!(OrganizationId::parse(hostile).is_none(), "{hostile:?}");
        }
    }
}
