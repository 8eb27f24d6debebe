//! Pages of lines, followed to their end or to the line that is looked for.
//!
//! It refuses to walk for ever: a large deployment is looked into, not read.

use serde_json::Value;

use crate::{
    case::{CaseContext, CaseOutcome},
    exchange::{Request, Response},
};

/// Pages of 100 that are read at most.
const PAGES: usize = 20;

/// All lines that the filters leave, or the first two thousand.
///
/// # Errors
/// A page is no 200.
pub(in crate::cases) async fn lines(
    context: &mut CaseContext<'_>,
    filters: &[(&str, &str)],
) -> Result<Vec<Value>, CaseOutcome> {
    Ok(walk(context, filters, |_| false).await?.0)
}

/// The line with this id among those that the filters leave, with the page that shows it.
///
/// # Errors
/// A page is no 200.
pub(in crate::cases) async fn find(
    context: &mut CaseContext<'_>,
    filters: &[(&str, &str)],
    id: &str,
) -> Result<(Option<Value>, Response), CaseOutcome> {
    let (lines, page) = walk(context, filters, |line| line["id"] == id).await?;
    let found = lines.into_iter().find(|line| line["id"] == id);
    Ok((found, page))
}

async fn walk(
    context: &mut CaseContext<'_>,
    filters: &[(&str, &str)],
    is_wanted: impl Fn(&Value) -> bool,
) -> Result<(Vec<Value>, Response), CaseOutcome> {
    let mut first = Request::get("/api/v1/commission-lines?limit=100").with(&context.all()?);
    for (name, value) in filters {
        first = first.query(name, value);
    }
    let mut lines: Vec<Value> = Vec::new();
    let mut page = context.send(first.clone()).await?;
    for _ in 1..PAGES {
        page.is(200)?;
        lines.extend(page.items().iter().cloned());
        let Some(cursor) = page.at("/pagination/nextCursor").as_str() else {
            break;
        };
        if page.items().iter().any(&is_wanted) {
            break;
        }
        page = context.send(first.clone().query("cursor", cursor)).await?;
    }
    Ok((lines, page))
}
