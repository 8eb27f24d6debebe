//! Grants what a lone request asks for. Such a request waits for PostgreSQL more than for anything
//! else, and this statement takes half the time of the one for batches.

use sqlx::PgConnection;

use super::{store::DecidedGroup, verdict::AdmissionRequest};
use crate::id::OrganizationId;

/// Grants the request whole, or nothing: then it is decided as a batch, which finds the reason, or
/// decides otherwise because the minute has ended meanwhile.
pub(super) async fn grant(
    connection: &mut PgConnection,
    AdmissionRequest { key, scope, is_well_formed }: AdmissionRequest,
) -> Result<Option<DecidedGroup>, sqlx::Error> {
    sqlx::query_file_as!(
        DecidedGroup,
        "src/gate/admission/lone_request.sql",
        key.as_bytes(),
        scope.as_str(),
        is_well_formed
    )
    .fetch_optional(connection)
    .await
}
