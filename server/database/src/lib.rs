//! The PostgreSQL side of the payout server: its migrations, the roles, an embedded cluster,
//! databases for tests.
//!
//! | module | owns |
//! |---|---|
//! | [`binaries`] | finding an installed PostgreSQL |
//! | `cluster` | a private server, started or joined, which ends with its last user |
//! | `bootstrap` | roles, database, schema on a server where we are superuser |
//! | `migrator` | the schema's versions, and their state in a database |
//! | `address` | DATABASE_URL, and its TLS |
//! | `connect` | connect options of the two roles |
//! | `connection_error` | why there is no connection |
//! | `session` | what a session must be for requests to be served |
//! | `scratch` | the folder for temporary data |
//! | [`testing`] | one database per test, without any set-up |
//!
//! This crate has no statement about business data and no `query!`: it is built before a database
//! exists.

mod account;
mod address;
mod advisory_lock;
pub mod binaries;
mod bootstrap;
mod cluster;
mod cluster_error;
mod cluster_options;
mod connect;
mod connection_error;
mod launch;
mod migrator;
mod roles;
mod scratch;
mod session;
pub mod testing;

pub use address::AddressError;
pub use bootstrap::{BootstrapError, DatabaseUrls, ensure_roles_and_database};
pub use cluster::{Cluster, default_directory};
pub use cluster_error::ClusterError;
pub use cluster_options::ClusterOptions;
pub use connect::{SCHEMA, SessionLimits, app_connect_options, end_after, owner_connect_options};
pub use connection_error::{ConnectionError, connect, reason};
pub use migrator::{
    MigrateError, Migrated, Report, SchemaMismatch, check_schema_version, migrate,
    migrate_reporting, migrations_hash, plan, schema_version,
};
pub use roles::{PrivilegedRole, Role, Roles, check_role};
pub use scratch::scratch_directory;
pub use session::{UnusableSession, backend, check_own_session, check_session};
pub use testing::TestDatabase;
