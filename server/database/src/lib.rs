//! The Postgres side of the payout server: its migrations, the roles, an embedded cluster, databases for tests.
//!
//! | module | owns |
//! |---|---|
//! | [`binaries`] | finding an installed Postgres |
//! | [`cluster`] | a private server, started or joined, which ends with its last user |
//! | [`bootstrap`] | roles, database, schema on a server where we are superuser |
//! | [`migrator`] | the schema's versions, and who may use them |
//! | [`connect`] | connect options of the two roles |
//! | [`scratch`] | where data goes that nobody keeps |
//! | [`catalog`] | what every version of the schema must satisfy |
//! | [`testing`] | one database per test, without any set-up |
//!
//! No statement about business data stands here, and no `query!`: this crate is built before a database exists.

mod account;
mod advisory_lock;
pub mod binaries;
pub mod bootstrap;
pub mod catalog;
pub mod cluster;
pub mod connect;
mod lock_file;
pub mod migrator;
pub mod roles;
pub mod scratch;
mod server;
pub mod testing;

pub use bootstrap::{BootstrapError, DatabaseUrls, ensure_roles_and_database};
pub use catalog::{Rule, Violation, catalog_violations};
pub use cluster::{Cluster, ClusterError, ClusterOptions, default_directory};
pub use connect::{SCHEMA, app_connect_options, end_after, owner_connect_options};
pub use migrator::{
    MigrateError, Migrated, SchemaMismatch, check_schema_version, migrate, migrations_hash,
    schema_version,
};
pub use roles::{PrivilegedRole, Role, Roles, check_role};
pub use scratch::scratch_directory;
pub use testing::TestDatabase;
