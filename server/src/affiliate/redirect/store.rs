//! The statement of the redirect.

use sqlx::PgConnection;

use super::clicks::Visit;

/// Returns the target of each visited link, and records the clicks. A link is looked up by its code
/// in a table of all organisations, which then name themselves to row-level security.
pub(super) async fn record_clicks(
    connection: &mut PgConnection,
    visits: &[Visit],
) -> Result<Vec<Option<String>>, sqlx::Error> {
    let codes: Vec<&str> = visits.iter().map(|visit| visit.code.as_str()).collect();
    let clicks: Vec<Option<&str>> = visits.iter().map(|visit| visit.click_id.as_deref()).collect();
    let targets =
        sqlx::query_file!("src/affiliate/redirect/record_clicks.sql", &codes as _, &clicks as _)
            .fetch_all(connection)
            .await?;
    Ok(targets.into_iter().map(|row| row.target_url).collect())
}
