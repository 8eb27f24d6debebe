//! Who is let in (§5, A1–A3): a key in the header `x-api-key`, once, valid now.

use super::money::{document::statement, payout};
use crate::{
    case::{Case, Changes, Scene, Stop, definition::runs},
    exchange::{Call, Key},
    secret::Secret,
    target::{Fixture, Hook, Role},
};

const LIST: &str = "/api/v1/partners?limit=1";
/// What a key begins with, live and test.
const BEGINNINGS: [&str; 2] = ["pcp_live_", "pcp_test_"];

/// The cases.
pub(super) const CASES: &[Case] = &[
    Case::new(
        "keys.missing",
        "A request without a key is answered 401.",
        "§5.4",
        runs!(missing),
    ),
    Case::new(
        "keys.unknown",
        "A key that nobody made is answered 401.",
        "§5.4",
        runs!(unknown),
    ),
    Case::new(
        "keys.empty",
        "An empty key is answered 401.",
        "§5.4",
        runs!(empty),
    ),
    Case::new(
        "keys.last-character",
        "A key is compared to its last character.",
        "§5.4",
        runs!(last_character),
    ),
    Case::new(
        "keys.other-case",
        "A key is compared letter by letter, upper and lower case apart.",
        "§5.4",
        runs!(other_case),
    ),
    Case::new(
        "keys.cut",
        "The beginning of a key is no key.",
        "§5.4",
        runs!(cut),
    ),
    Case::new(
        "keys.longer",
        "A key with something behind it is no key.",
        "§5.4",
        runs!(longer),
    ),
    Case::new(
        "keys.other-environment",
        "A key that begins as those of the other environment do is no key.",
        "A1",
        runs!(other_environment),
    ),
    Case::new(
        "keys.quoted",
        "A key in quotes, or behind the name of a scheme, is no key.",
        "§5.4",
        runs!(quoted),
    ),
    Case::new(
        "keys.expired",
        "An expired key is answered 401, by every operation.",
        "§5.4",
        runs!(expired),
    )
    .keys(&[Role::All, Role::Expired])
    .requests(24),
    Case::new(
        "keys.revoked",
        "A revoked key is answered 401, by every operation.",
        "§5.4",
        runs!(revoked),
    )
    .keys(&[Role::All, Role::Revoked])
    .requests(24),
    Case::new(
        "keys.revoked-now",
        "A key that worked is answered 401 as soon as it has been revoked.",
        "§5.4.revoked",
        runs!(revoked_now),
    )
    .hooks(&[Hook::CreateKey, Hook::RevokeKey])
    .changes(Changes::Restored)
    .requests(24),
    Case::new(
        "keys.in-query",
        "A key in the query is no key, for any operation.",
        "§5.2",
        runs!(in_query),
    )
    .requests(16),
    Case::new(
        "keys.in-authorization",
        "A key in the header Authorization is no key.",
        "§5.1",
        runs!(in_authorization),
    ),
    Case::new(
        "keys.repeated",
        "The header x-api-key is to be sent exactly once.",
        "A3",
        runs!(repeated),
    ),
    Case::new(
        "keys.every-operation",
        "Every operation asks for a key.",
        "§5.1",
        runs!(every_operation),
    )
    .requests(7),
];

/// Every operation, on ids that need not exist: the key is looked at before.
pub(super) fn every_call() -> Vec<(&'static str, Call)> {
    vec![
        ("listPartners", Call::get("/api/v1/partners?limit=1")),
        ("getPartner", Call::get("/api/v1/partners/none")),
        (
            "updatePartner",
            Call::patch("/api/v1/partners/none", &serde_json::json!({})),
        ),
        (
            "listCommissionLines",
            Call::get("/api/v1/commission-lines?limit=1"),
        ),
        (
            "detachCommissionLine",
            Call::post("/api/v1/commission-lines/none/detach"),
        ),
        ("getPayout", Call::get("/api/v1/payouts/none")),
        (
            "generateStatement",
            Call::post("/api/v1/payouts/none/statement"),
        ),
    ]
}

/// A call with a broken key is 401, and the same with a sound one is not.
async fn turned_away(scene: &mut Scene<'_>, call: Call) -> Result<(), Stop> {
    let twin = Call::get(LIST).with(&scene.all()?);
    let answer = scene.refused(call, twin).await?;
    scene.is_error(&answer, 401, "UNAUTHORIZED")
}

async fn with_text(scene: &mut Scene<'_>, change: fn(&str) -> String) -> Result<(), Stop> {
    let altered = Key::Altered(scene.all()?.altered(change));
    turned_away(scene, Call::get(LIST).with_key(altered)).await
}

async fn missing(scene: &mut Scene<'_>) -> Result<(), Stop> {
    turned_away(scene, Call::get(LIST)).await
}

async fn unknown(scene: &mut Scene<'_>) -> Result<(), Stop> {
    // As long as a sound key, and of its letters: only a look-up can tell it apart.
    with_text(scene, |key| {
        let mut reversed: Vec<char> = key.chars().collect();
        if let Some(tail) = reversed.get_mut(9..) {
            tail.reverse();
        }
        reversed.into_iter().collect()
    })
    .await
}

async fn empty(scene: &mut Scene<'_>) -> Result<(), Stop> {
    with_text(scene, |_| String::new()).await
}

async fn last_character(scene: &mut Scene<'_>) -> Result<(), Stop> {
    with_text(scene, |key| {
        let mut changed = key.to_owned();
        let last = changed.pop();
        changed.push(if last == Some('0') { '1' } else { '0' });
        changed
    })
    .await
}

async fn other_case(scene: &mut Scene<'_>) -> Result<(), Stop> {
    with_text(scene, |key| {
        let swap = |letter: char| match letter {
            'a'..='z' => letter.to_ascii_uppercase(),
            letter => letter.to_ascii_lowercase(),
        };
        key.chars().map(swap).collect()
    })
    .await
}

async fn cut(scene: &mut Scene<'_>) -> Result<(), Stop> {
    with_text(scene, |key| key[..key.len() - 1].to_owned()).await
}

async fn longer(scene: &mut Scene<'_>) -> Result<(), Stop> {
    with_text(scene, |key| format!("{key}0")).await
}

async fn other_environment(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let [live, test] = BEGINNINGS;
    let key = scene.all()?;
    let text = key.expose();
    let other = match (text.strip_prefix(live), text.strip_prefix(test)) {
        (Some(rest), _) => format!("{test}{rest}"),
        (_, Some(rest)) => format!("{live}{rest}"),
        (None, None) => {
            let wanted = format!("a key `all` that begins with {live} or {test}");
            return Err(Stop::missing(wanted));
        }
    };
    let altered = Key::Altered(key.altered(|_| other));
    turned_away(scene, Call::get(LIST).with_key(altered)).await
}

async fn quoted(scene: &mut Scene<'_>) -> Result<(), Stop> {
    with_text(scene, |key| format!("\"{key}\"")).await?;
    with_text(scene, |key| format!("Bearer {key}")).await
}

async fn expired(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.key(Role::Expired)?;
    turned_away(scene, Call::get(LIST).with(&key)).await?;
    turned_away_everywhere(scene, &key).await
}

async fn revoked(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.key(Role::Revoked)?;
    turned_away(scene, Call::get(LIST).with(&key)).await?;
    turned_away_everywhere(scene, &key).await
}

/// Every operation looks at the key before anything that the call names; also where that exists, and was told to another key.
async fn turned_away_everywhere(scene: &mut Scene<'_>, key: &Secret) -> Result<(), Stop> {
    if let Ok(id) = scene.fixture(Fixture::PayoutUploaded) {
        for call in [payout(scene, &id)?, statement(scene, &id)?] {
            let answer = scene.refused(call.clone().with(key), call).await?;
            scene.is_error(&answer, 401, "UNAUTHORIZED")?;
        }
    }
    for (_, call) in every_call() {
        let answer = scene.send(call.with(key)).await?;
        scene.is_error(&answer, 401, "UNAUTHORIZED")?;
    }
    Ok(())
}

async fn revoked_now(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let made = scene.make_key().await?;
    let before = scene.given(Call::get(LIST).with(&made.key)).await;
    // Whatever came: a key that was made for a case does not outlive it.
    scene
        .operate(Hook::RevokeKey, &[("key_id", &made.id)])
        .await?;
    before?;
    let answer = scene.send(Call::get(LIST).with(&made.key)).await?;
    scene.is_error(&answer, 401, "UNAUTHORIZED")?;
    turned_away_everywhere(scene, &made.key).await
}

async fn in_query(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.all()?;
    for name in ["x-api-key", "api_key", "apiKey"] {
        let call = Call::get(LIST).query(name, key.expose());
        turned_away(scene, call).await?;
    }
    for (_, call) in every_call() {
        let call = call.query("x-api-key", key.expose());
        let answer = scene.send(call).await?;
        scene.is_error(&answer, 401, "UNAUTHORIZED")?;
    }
    Ok(())
}

async fn in_authorization(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let bearer = format!("Bearer {}", scene.all()?.expose());
    turned_away(scene, Call::get(LIST).header("authorization", &bearer)).await
}

async fn repeated(scene: &mut Scene<'_>) -> Result<(), Stop> {
    let key = scene.all()?;
    let twice = Key::Repeated(vec![key.clone(), key]);
    turned_away(scene, Call::get(LIST).with_key(twice)).await?;
    // One header may stand for two, their values joined by a comma.
    with_text(scene, |key| format!("{key}, {key}")).await?;
    with_text(scene, |key| format!("{key},none")).await
}

async fn every_operation(scene: &mut Scene<'_>) -> Result<(), Stop> {
    for (_, call) in every_call() {
        let answer = scene.send(call).await?;
        scene.is_error(&answer, 401, "UNAUTHORIZED")?;
    }
    Ok(())
}
