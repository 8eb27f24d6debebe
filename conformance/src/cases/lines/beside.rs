//! Detaches beside other requests: two lines of one payout at once, and a line between two pages of the list it stood in.
//!
//! They refuse to blame a deployment for another run: a line that somebody else was faster with is replaced by another.

use std::iter;

use serde_json::{Value, json};

use super::{
    detached::{RIVALS, attached, compare, is_attached, spend},
    detaching, text,
};
use crate::{
    case::{Scene, Stop},
    cases::{
        lists::walk::{LINES, ids, next_cursor},
        money::{account::Account, at_once, document::statement, each_at_once, payout, walk},
    },
    exchange::{Answer, Call},
    target::Fixture,
};

/// The list that a line leaves with its detach, and that goes on behind it.
const ATTACHED: [(&str, &str); 1] = [("status", "IN_PAYOUT")];
/// Items of the longest page.
const LARGEST: usize = 100;

pub(super) async fn two_at_once(scene: &mut Scene<'_>) -> Result<(), Stop> {
    scene.forgo_snapshots();
    let payout = scene.fixture(Fixture::PayoutToDetach)?;
    for _ in 0..=RIVALS {
        let lines = [attached(scene).await?, attached(scene).await?];
        let calls = lines.iter().map(|line| detaching(scene, text(line, "id")));
        let calls: Vec<Call> = calls.collect::<Result<_, _>>()?;
        let before = Account::of(scene, &payout).await?;
        let answers = at_once(scene, calls).await?;
        let after = Account::of(scene, &payout).await?;
        let won = answers.iter().filter(|answer| answer.is_success()).count();
        for line in &lines {
            if !is_attached(scene, line).await? {
                spend(scene, line);
            }
        }
        if won == lines.len() {
            return compare(&before, &after, &lines);
        }
        was_spent(scene, &lines, &answers).await?;
    }
    Err(Stop::missing("two lines that no other run wants"))
}

pub(super) async fn beside_others(scene: &mut Scene<'_>) -> Result<(), Stop> {
    scene.forgo_snapshots();
    let id = scene.fixture(Fixture::PayoutToDetach)?;
    for _ in 0..=RIVALS {
        let line = attached(scene).await?;
        let partner = format!("/api/v1/partners/{}", text(&line, "partnerId"));
        let before = Account::of(scene, &id).await?;
        let calls = [
            statement(scene, &id)?,
            // It changes nothing, and locks what a change would.
            Call::patch(partner, &json!({})).with(&scene.all()?),
            detaching(scene, text(&line, "id"))?,
            payout(scene, &id)?,
        ];
        let [statement, patched, detached, read] = each_at_once(scene, calls).await?;
        let after = Account::of(scene, &id).await?;
        if !is_attached(scene, &line).await? {
            spend(scene, &line);
        }
        patched.is(200)?;
        read.is(200)?;
        // Where it was the last line there is nothing to print.
        if statement.status != 422 || !after.lines.is_empty() {
            statement.is(200)?;
        }
        if detached.is_success() {
            return compare(&before, &after, &[line]);
        }
        was_spent(scene, &[line], &[detached]).await?;
    }
    Err(Stop::missing("a line that no other run wants"))
}

/// That refused detaches were refused because another run was faster: their lines are in no payout any more.
async fn was_spent(scene: &mut Scene<'_>, lines: &[Value], answers: &[Answer]) -> Result<(), Stop> {
    for (line, answer) in lines.iter().zip(answers) {
        if !answer.is_success() && is_attached(scene, line).await? {
            answer.is(200)?;
        }
    }
    Ok(())
}

pub(super) async fn between_pages(scene: &mut Scene<'_>) -> Result<(), Stop> {
    for _ in 0..=RIVALS {
        let line = attached(scene).await?;
        let id = text(&line, "id");
        let before = walk::lines(scene, &ATTACHED).await?;
        let place_of = |id: &str| before.iter().position(|line| line["id"] == id);
        let Some(place) = place_of(id).filter(|place| *place < LARGEST) else {
            scene.give_back_lines(iter::once(id.to_owned()));
            return Err(Stop::missing(
                "a line to detach among the first hundred attached ones",
            ));
        };
        // A page that ends with this line, or behind it where others left meanwhile.
        let list = filtered(scene)?;
        let page = list.clone().query("limit", &(place + 1).to_string());
        let page = scene.given(page).await?;
        let detached = scene.send(detaching(scene, id)?).await?;
        if !detached.is_success() && !is_attached(scene, &line).await? {
            continue;
        }
        detached.is(200)?;
        spend(scene, &line);
        let Some(cursor) = next_cursor(&page)? else {
            return Err(Stop::missing("a page of attached lines behind the first"));
        };
        let next = list.query("limit", "100").query("cursor", &cursor);
        let next = scene.send(next).await?;
        // What others detached meanwhile is not there any more.
        let after = walk::lines(scene, &ATTACHED).await?;
        let stays = |line: &&Value| after.iter().any(|stays| stays["id"] == line["id"]);
        let last = ids(page.items()).last().copied().and_then(place_of);
        let expected = last.and_then(|last| before[last + 1..].iter().find(stays));
        let expected = expected.map_or("no line", |line| text(line, "id"));
        next.is(200)?.that(
            ids(next.items()).contains(&expected) || expected == "no line",
            "A line was detached between two pages, and the second leaves out the line that followed it.",
            expected,
            &ids(next.items()).join(" "),
        )?;
        return Ok(());
    }
    Err(Stop::missing("a line that no other run wants"))
}

fn filtered(scene: &Scene<'_>) -> Result<Call, Stop> {
    let list = LINES.call(&scene.all()?);
    let filtered = ATTACHED.iter();
    Ok(filtered.fold(list, |list, (name, value)| list.query(name, value)))
}
