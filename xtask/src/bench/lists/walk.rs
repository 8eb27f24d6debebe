//! The way to the deep page: from page to page by the server's own cursors.
//!
//! It refuses a page that is not full: then the list is shorter than what is measured.

use serde_json::Value;

use crate::bench::{
    call::Call,
    deployment::Deployment,
    load::Caller,
    rounds::MeasureError,
    run::{BenchError, progress},
};

/// Lines of a page, and lines in all.
pub(crate) const PAGE: u32 = 100;
pub(crate) const LINES: u32 = 1_000_000;
/// Lines before the deep page.
pub(crate) const DEEP: u32 = LINES / 100 * 99;
/// Pages between two words of progress.
const TOLD: u32 = 2_500;

/// A page of the unfiltered list.
pub(crate) fn page(key: &str, cursor: Option<&str>) -> Call {
    let cursor = cursor.map(|cursor| format!("&cursor={cursor}"));
    Call {
        method: "GET",
        path: format!(
            "/api/v1/commission-lines?limit={PAGE}{}",
            cursor.unwrap_or_default()
        ),
        key: Some(key.to_owned()),
    }
}

/// The cursor behind [`DEEP`] lines.
///
/// # Errors
/// A page is not answered, or is not full.
pub(crate) async fn deep_cursor(deployment: &Deployment, key: &str) -> Result<String, BenchError> {
    let pages = DEEP / PAGE;
    let mut caller = Caller::connect(deployment.address())
        .await
        .map_err(MeasureError::from)?;
    let mut cursor = None;
    for number in 1..=pages {
        let body = caller.call(&page(key, cursor.as_deref())).await;
        let body = body.map_err(MeasureError::from)?;
        cursor = next_cursor(body);
        if cursor.is_none() {
            let what = format!("page {number} of {pages} is not full or the last one");
            return Err(BenchError::Unlike(what));
        }
        if number % TOLD == 0 {
            progress(&format!("  page {number} of {pages}"));
        }
    }
    Ok(cursor.expect("there is a page before the deep one"))
}

/// Of a full page that is not the last one.
fn next_cursor(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let is_full = body["data"].as_array()?.len() == PAGE as usize;
    let cursor = body["pagination"]["nextCursor"].as_str()?;
    is_full.then(|| cursor.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_full_page_leads_on() {
        let body = |lines: usize, cursor: Option<&str>| {
            let body =
                json!({ "data": vec![json!({}); lines], "pagination": { "nextCursor": cursor } });
            next_cursor(body.to_string().as_bytes())
        };
        assert_eq!(body(100, Some("abc")).unwrap(), "abc");
        assert_eq!(body(99, Some("abc")), None);
        assert_eq!(body(100, None), None);
        assert_eq!(next_cursor(b"{}"), None);
    }

    #[test]
    fn deep_page_begins_behind_99_of_100_lines() {
        assert_eq!((DEEP, DEEP / PAGE), (990_000, 9_900));
        assert_eq!(page("k", None).path, "/api/v1/commission-lines?limit=100");
        assert_eq!(
            page("k", Some("c")).path,
            "/api/v1/commission-lines?limit=100&cursor=c"
        );
    }
}
