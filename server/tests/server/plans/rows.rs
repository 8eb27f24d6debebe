//! Rows in such numbers, and so unevenly distributed, that a wrong plan would show. Every run makes
//! the same rows and the same statistics.

use crate::support::{TestServer, organization};
use payout_server::{id::OrganizationId, postgres::Tenants};

pub(super) const MAIN: &str = "org_01JV3N8Q5R0000000000000001";
/// The partner with the most lines.
pub(super) const PARTNER: &str = "ptn_many_00001";
/// The payout with the most lines.
pub(super) const PAYOUT: &str = "pay_many_00000";

/// A database with many rows, and transactions of main over one connection.
pub(super) async fn many_rows() -> (TestServer, Tenants, OrganizationId) {
    let server = TestServer::start().await;
    server.execute(include_str!("rows.sql")).await;
    let tenants = server.tenants().await;
    (server, tenants, organization(MAIN))
}
