//! The stages of a payout (X4), by `x-transitions` of the document.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, VecDeque},
};

use super::{Owner, changing};
use crate::{
    cases::{partners::shows, prelude::*},
    document::DOCUMENT,
};

/// Returns the stages that each stage may be followed by.
pub(super) fn table() -> BTreeMap<&'static str, Vec<&'static str>> {
    DOCUMENT.transitions("PayoutStage").into_iter().collect()
}

/// The fewest moves from `DRAFT` to a stage.
pub(super) fn route(stage: &str) -> Vec<&'static str> {
    let table = table();
    let mut routes: VecDeque<Vec<&str>> = VecDeque::from([Vec::new()]);
    while let Some(route) = routes.pop_front() {
        let last = route.last().copied().unwrap_or("DRAFT");
        if last == stage {
            return route;
        }
        // No stage is met twice on the shortest way.
        let next = table[last].iter().filter(|next| !route.contains(next));
        routes.extend(next.map(|next| [&*route, &[*next]].concat()));
    }
    Vec::new()
}

/// Each stage is followed by those of the table and by no other; lines and amount stay.
#[case("X4", on = updatePayout, keys(Sandbox), changes = Irreversible, requests = 200)]
async fn cell_by_cell(context: &mut CaseContext<'_>) -> CaseResult {
    let table = table();
    let owner = Owner::new(context).await?;
    let (id, _) = owner.payout_of(context, &["10.10"]).await?;
    let mut tried: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut stage = "DRAFT";
    while table.iter().any(|(from, all)| all.iter().any(|to| !tried.contains_key(&(*from, *to)))) {
        if seen.insert(stage) {
            rejects_others(context, &id, stage, &table[stage]).await?;
        }
        // Taking the rarest move leads everywhere in the end; of several, the one to a stage with
        // most moves to try.
        let count = |from, to| tried.get(&(from, to)).copied().unwrap_or_default();
        let untried = |from| table[from].iter().filter(|to| count(from, **to) == 0).count();
        let next =
            table[stage].iter().min_by_key(|to| (count(stage, **to), Reverse(untried(**to))));
        let to = *next.expect("each stage is followed by another");
        let moved = context.ok(changing(context, &id, json!({ "stage": to }))?).await?;
        moved.has("/data/stage", to)?.has("/data/amount/value", "10.10")?;
        *tried.entry((stage, to)).or_default() += 1;
        stage = to;
    }
    Account::of(context, &id).await?.adds_up()
}

/// Requires that a payout in a stage moves to no other than these, and that its own is no move.
async fn rejects_others(
    context: &mut CaseContext<'_>,
    id: &str,
    stage: &str,
    allowed: &[&str],
) -> CaseResult {
    let before = context.ok(payout(context, id)?).await?;
    before.has("/data/stage", stage)?;
    let all = table();
    let others = all.keys().copied().chain(["PARKED", "draft"]);
    for other in others.filter(|other| !allowed.contains(other) && *other != stage) {
        let request = changing(context, id, json!({ "stage": other }))?;
        let rejected = context.send(request).await?;
        rejected.is(422)?.has("/error/code", INVALID_STAGE_TRANSITION.1)?;
        if (stage, other) == ("DRAFT", "PARKED") {
            context.snapshot(&rejected);
        }
        rejected.has("/error/details/stage", stage)?.has("/error/details/allowed", allowed)?;
    }
    let same = context.ok(changing(context, id, json!({ "stage": stage }))?).await?;
    shows(&same, before.at("/data"), &[])
}
