//! Lists (§4.4, R7, R8): the cost of the first page and of a page at 99 % of all lines, by the
//! server's cursor and by OFFSET.

use std::{iter, path::Path};

use serde_json::Value;

use super::{
    comparison::{Comparison, Id, StatGoal},
    deployment::{Content, Deployment},
    report::{Bound, Findings, Goal, Report},
    rounds::{Bench, Candidate, Load},
    run::{Options, progress},
    stat::Stat,
};
use crate::{
    Result,
    http::{Client, Request},
    table::count,
};

/// Lines of a page, and of the list.
const PAGE: u32 = 100;
const LINES: u32 = 1_000_000;
const PAGES_PER_PROGRESS: u32 = 2_500;

const FIRST_PAGE: &str = "first page";
const LATE_PAGE: &str = "page at 99 %";
const SERVER: Id = Id::new("server, by cursor", FIRST_PAGE);
const LATE_SERVER: Id = Id::new("server, by cursor", LATE_PAGE);
const OFFSET: Id = Id::new("pgbench, by OFFSET", FIRST_PAGE);
const LATE_OFFSET: Id = Id::new("pgbench, by OFFSET", LATE_PAGE);

const PAIRS: [(Id, Id); 3] = [(SERVER, OFFSET), (LATE_SERVER, SERVER), (LATE_OFFSET, OFFSET)];
const GOALS: [StatGoal; 2] = [
    StatGoal::ratio(SERVER, OFFSET, Stat::PostgresCpu, Bound::AtMost(1.5)),
    StatGoal::ratio(LATE_SERVER, SERVER, Stat::MedianLatency, Bound::AtMost(1.2)),
];
/// Microseconds of the server's processor time for a page.
const MAX_SERVER_CPU: f64 = 200.0;

pub(crate) async fn measure(root: &Path, options: &Options) -> Result<Report> {
    let lines = options.lines.unwrap_or(LINES);
    let profile = options.profile(3, 2, &[1, 8]);
    let content = Content {
        description: format!(
            "{} commission lines of one organisation (a minute for each million)",
            count(lines as usize)
        ),
        organizations: 1,
        lines: Some(lines),
    };
    let prepare = async |deployment: &Deployment| late_cursor(deployment, lines).await;
    let bench = Bench::start(("lists", root, options), profile, content, prepare).await?;
    let comparisons = bench.compare_all(|deployment, connections, _| {
        let page = |cursor| Load::Http(deployment.load([request(deployment, cursor)]));
        let candidate = |(id, load)| Candidate::new(id, connections, load);
        let by_cursor = [(SERVER, page(None)), (LATE_SERVER, page(Some(&deployment.prepared)))];
        let by_offset = offsets(lines).map(|(id, offset)| (id, Load::Pgbench(script(offset))));
        by_cursor.into_iter().chain(by_offset).map(candidate).collect()
    });
    let comparisons = comparisons.await?;
    let mut findings = Findings::default();
    findings.compare("The first page and a late page", &comparisons, &PAIRS);
    findings.goals = comparisons.iter().flat_map(goals).collect();
    Ok(bench.report(findings))
}

/// Lines before the late page.
fn late(lines: u32) -> u32 {
    lines / 100 * 99
}

/// The pages that pgbench reads. In a list longer than usual PostgreSQL would read the rows before
/// the late page for longer than a round takes.
fn offsets(lines: u32) -> impl Iterator<Item = (Id, u32)> {
    let late = (lines <= LINES).then(|| (LATE_OFFSET, late(lines)));
    iter::once((OFFSET, 0)).chain(late)
}

async fn late_cursor(deployment: &Deployment, lines: u32) -> Result<String> {
    progress("following the cursors to 99 % of the list");
    let pages = late(lines) / PAGE;
    let mut client = Client::connect(deployment.api.address).await?;
    let mut cursor = None;
    for number in 1..=pages {
        let request = request(deployment, cursor.as_deref());
        let page = client.send(&request, false).await?.unwrap_or_default();
        let next = next_cursor(page)
            .ok_or_else(|| format!("page {number} of {pages} is not full, or is the last one"));
        cursor = Some(next?);
        if number % PAGES_PER_PROGRESS == 0 {
            progress(&format!("  page {number} of {pages}"));
        }
    }
    Ok(cursor.expect("there is a page before the late one"))
}

fn goals(comparison: &Comparison) -> Vec<Goal> {
    let mut goals = comparison.goals(&GOALS);
    let cpu = comparison.find(SERVER).and_then(|first| first.median(Stat::ServerCpu));
    let claim = format!("connections: {}, {FIRST_PAGE}: server CPU µs", comparison.connections);
    goals.extend(Goal::new(claim, cpu, Bound::AtMost(MAX_SERVER_CPU)));
    goals
}

/// The server's statement, with OFFSET instead of the cursor.
fn script(offset: u32) -> String {
    format!(
        "SELECT id, partner_id, payout_id, description, amount, source_amount, currency, status,
       plan_name, period_end, idempotency_key, created_at, updated_at
  FROM commission_lines
 WHERE organization_id = (SELECT id FROM organizations)
 ORDER BY created_at DESC, id DESC LIMIT {PAGE} OFFSET {offset};\n"
    )
}

fn request(deployment: &Deployment, cursor: Option<&str>) -> Request {
    let cursor = cursor.map_or(String::new(), |cursor| format!("&cursor={cursor}"));
    let path = format!("/api/v1/commission-lines?limit={PAGE}{cursor}");
    deployment.api.request("GET", &path, 0)
}

/// The cursor of a full page that is not the last one.
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
    fn only_a_full_page_has_a_next_one() {
        let cursor = |lines: usize, cursor: Option<&str>| {
            let body = json!({
                "data": vec![json!({}); lines],
                "pagination": { "nextCursor": cursor },
            });
            next_cursor(body.to_string().as_bytes())
        };
        assert_eq!(cursor(100, Some("abc")).unwrap(), "abc");
        assert_eq!(cursor(99, Some("abc")), None);
        assert_eq!(cursor(100, None), None);
        assert_eq!(next_cursor(b"{}"), None);
    }

    #[test]
    fn late_page_by_offset_is_left_out_of_longer_lists() {
        let offsets = |lines| -> Vec<u32> { offsets(lines).map(|it| it.1).collect() };
        assert_eq!(offsets(LINES), [0, 990_000]);
        assert_eq!(offsets(LINES + 1), [0]);
    }
}
