//! Pages of lines, followed to their end or to the line that is looked for.
//!
//! It refuses to walk for ever: a large deployment is looked into, not read.

use serde_json::Value;

use crate::{
    case::{Scene, Stop},
    exchange::{Answer, Call},
};

/// Pages of 100 that are read at most.
const PAGES: usize = 20;

/// All lines that the filters leave, or the first two thousand.
///
/// # Errors
/// A page is no 200.
pub(in crate::cases) async fn lines(
    scene: &mut Scene<'_>,
    filters: &[(&str, &str)],
) -> Result<Vec<Value>, Stop> {
    Ok(walk(scene, filters, |_| false).await?.0)
}

/// The line with this id among those that the filters leave, with the page that shows it.
///
/// # Errors
/// A page is no 200.
pub(in crate::cases) async fn find(
    scene: &mut Scene<'_>,
    filters: &[(&str, &str)],
    id: &str,
) -> Result<(Option<Value>, Answer), Stop> {
    let (lines, page) = walk(scene, filters, |line| line["id"] == id).await?;
    let found = lines.into_iter().find(|line| line["id"] == id);
    Ok((found, page))
}

async fn walk(
    scene: &mut Scene<'_>,
    filters: &[(&str, &str)],
    is_wanted: impl Fn(&Value) -> bool,
) -> Result<(Vec<Value>, Answer), Stop> {
    let mut first = Call::get("/api/v1/commission-lines?limit=100").with(&scene.all()?);
    for (name, value) in filters {
        first = first.query(name, value);
    }
    let mut lines: Vec<Value> = Vec::new();
    let mut page = scene.send(first.clone()).await?;
    for _ in 1..PAGES {
        page.is(200)?;
        lines.extend(page.items().iter().cloned());
        let Some(cursor) = page.at("/pagination/nextCursor").as_str() else {
            break;
        };
        if page.items().iter().any(&is_wanted) {
            break;
        }
        page = scene.send(first.clone().query("cursor", cursor)).await?;
    }
    Ok((lines, page))
}
