//! The two roles of the schema, and the check that the server's role is bound by row-level
//! security. Without it, one forgotten filter shows every tenant's data.

use sqlx::{PgConnection, Row as _};

use crate::connect::SCHEMA;
use crate::connection_error::reason;

/// A role that logs in. Names are lower-case SQL identifiers.
#[derive(Clone)]
pub struct Role {
    /// `[a-z_][a-z0-9_]*`, at most 63 bytes.
    pub name: String,
    /// Password to set; `None` keeps the existing one (local sockets with `trust` need none).
    pub password: Option<String>,
}

impl Role {
    pub fn trusted(name: &str) -> Self {
        Self { name: name.to_owned(), password: None }
    }
}

impl std::fmt::Debug for Role {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Role").field("name", &self.name).finish_non_exhaustive()
    }
}

#[derive(Clone, Debug)]
pub struct Roles {
    /// Owns database, schema and tables; runs migrations.
    pub owner: Role,
    /// The server's role: reads and writes rows under row-level security, no DDL.
    pub app: Role,
}

impl Default for Roles {
    /// `payout_owner` and `payout_app`, without passwords.
    fn default() -> Self {
        Self { owner: Role::trusted("payout_owner"), app: Role::trusted("payout_app") }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum PrivilegedRole {
    /// The role, or one it belongs to, bypasses or could bypass row-level security, or owns
    /// something in the schema and could disable its policies.
    #[error(
        "the server is connected as {role}, which {right}.\n\
         Connect as a role of its own (CREATE ROLE payout_app LOGIN PASSWORD '…'; \
         `payout-server migrate --app-role payout_app` grants it what it needs), {remedy}"
    )]
    Right {
        /// `current_user` or `session_user` of the connection.
        role: String,
        right: String,
        remedy: String,
    },
    #[error("could not read the rights of the database role: {}", reason(.0))]
    Database(#[from] sqlx::Error),
}

/// Requires that this connection's role may serve requests: `current_user`, `session_user`, and
/// every role they belong to have no dangerous attribute and own nothing in the schema. Fails with
/// the first right that must be revoked, and the command for it.
pub async fn check_role(connection: &mut PgConnection) -> Result<(), PrivilegedRole> {
    let attribute = sqlx::query(include_str!("dangerous_attribute.sql"))
        .fetch_optional(&mut *connection)
        .await?;
    if let Some(row) = attribute {
        let (role, holder): (String, String) = (row.try_get("name")?, row.try_get("holder")?);
        let attribute: String = row.try_get("attribute")?;
        let (through, statement) = if role == holder {
            (String::new(), format!("ALTER ROLE {role} NO{attribute}"))
        } else {
            (format!("belongs to {holder}, which "), format!("REVOKE {holder} FROM {role}"))
        };
        let right = format!("{through}has {attribute}: row-level security would not bind it");
        let remedy = format!("or revoke the right: {statement}");
        return Err(PrivilegedRole::Right { role, right, remedy });
    }
    let Some((role, owner, object)) = owned_object(connection).await? else {
        return Ok(());
    };
    let right = format!("owns {object}: an owner can switch row-level security off");
    let remedy = format!("and keep {owner} for `payout-server migrate`");
    Err(PrivilegedRole::Right { role, right, remedy })
}

async fn owned_object(
    connection: &mut PgConnection,
) -> Result<Option<(String, String, String)>, sqlx::Error> {
    sqlx::query_as(include_str!("owned_object.sql")).bind(SCHEMA).fetch_optional(connection).await
}

/// A name that needs no quoting. Role and database names cannot be bound as parameters, so every
/// other name is rejected.
pub(crate) fn is_plain_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    name.len() <= 63
        && bytes.next().is_some_and(|first| first.is_ascii_lowercase() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_that_need_quotes_are_refused() {
        for name in ["payout_app", "_a1", &"a".repeat(63)] {
            assert!(is_plain_identifier(name), "{name}");
        }
        for name in ["", "1a", "A", "a-b", "a\"b", "a b", "é", &"a".repeat(64)] {
            assert!(!is_plain_identifier(name), "{name}");
        }
    }

    #[test]
    fn debug_of_a_role_hides_its_password() {
        let role = Role { name: "payout_app".to_owned(), password: Some("hunter2".to_owned()) };
        assert!(!format!("{role:?}").contains("hunter2"));
    }
}
