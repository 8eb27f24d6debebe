//! The statement of the redirect.

use sqlx::PgConnection;

use super::clicks::Visit;

/// The link that a visitor asked for.
pub(super) struct Visited {
    /// `None` where no link has the code, or it is disabled.
    pub(super) target_url: Option<String>,
    /// Its organisation moves to another cell, or has moved.
    pub(super) is_stopped: bool,
}

/// Returns each visited link, and records the clicks. A link is looked up by its code
/// in a table of all organisations, which then name themselves to row-level security.
pub(super) async fn record_clicks(
    connection: &mut PgConnection,
    visits: &[Visit],
) -> Result<Vec<Visited>, sqlx::Error> {
    let codes: Vec<&str> = visits.iter().map(|visit| visit.code.as_str()).collect();
    let clicks: Vec<Option<&str>> = visits.iter().map(|visit| visit.click_id.as_deref()).collect();
    sqlx::query_file_as!(
        Visited,
        "src/affiliate/redirect/record_clicks.sql",
        &codes as _,
        &clicks as _
    )
    .fetch_all(connection)
    .await
}
