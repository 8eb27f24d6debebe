//! First page and deep page, by the server and by OFFSET, in turn.
//!
//! It refuses OFFSET any handicap: the same columns, the same index, no tenancy, no HTTP.

use std::sync::Arc;

use super::walk::{DEEP, PAGE, page};
use crate::bench::{
    call::Order,
    deployment::Deployment,
    figure::Figure,
    load::Load,
    pgbench::Script,
    rounds::{Contender, MeasureError, Plan, Sample, Summary, interleaved, ratio_of},
};

/// Two pages of one kind, on one number of connections.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) name: &'static str,
    pub(crate) connections: usize,
    pub(crate) first: Summary,
    pub(crate) deep: Summary,
    /// Median latency of the deep page in that of the first.
    pub(crate) latency: Figure,
}

/// Names of the two kinds.
pub(crate) const SERVER: &str = "server, by cursor";
pub(crate) const OFFSET: &str = "pgbench, by OFFSET";

/// Measures the pages of both kinds.
///
/// # Errors
/// An answer other than 200, or a pgbench that fails.
pub(crate) async fn hold(
    deployment: &Deployment,
    key: &str,
    cursor: &str,
    connections: usize,
    plan: Plan,
) -> Result<[Pair; 2], MeasureError> {
    let http = |cursor| {
        Contender::Http(Load {
            connections,
            calls: Arc::from([page(key, cursor)]),
            order: Order::InTurn,
            is_overload: false,
        })
    };
    let offset = |rows| {
        Contender::Pgbench(Script {
            connections,
            text: script(rows).into(),
        })
    };
    let contenders = [http(None), http(Some(cursor)), offset(0), offset(DEEP)];
    let samples = interleaved(deployment, &contenders, plan).await?;
    let pair = |name, first: &[Sample], deep: &[Sample]| {
        let median = |sample: &Sample| Some(sample.median_milliseconds());
        Pair {
            name,
            connections,
            first: Summary::of(first).expect("there is a round"),
            deep: Summary::of(deep).expect("there is a round"),
            latency: ratio_of(deep, first, median).expect("there is a round"),
        }
    };
    Ok([
        pair(SERVER, &samples[0], &samples[1]),
        pair(OFFSET, &samples[2], &samples[3]),
    ])
}

/// The server's own statement, with OFFSET in place of the cursor.
fn script(offset: u32) -> String {
    format!(
        "SELECT id, partner_id, payout_id, description, amount, source_amount, currency, status, plan_name, period_end,
       idempotency_key, created_at, updated_at
  FROM commission_lines
 WHERE organization_id = (SELECT id FROM organizations)
 ORDER BY created_at DESC, id DESC LIMIT {PAGE} OFFSET {offset};\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offset_is_the_only_difference() {
        assert_eq!(
            script(0).replace("OFFSET 0;", "OFFSET 990000;"),
            script(DEEP)
        );
    }
}
