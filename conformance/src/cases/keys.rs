//! Who is let in (§5, A1–A3): a key in the header `x-api-key`, once, valid now.

use super::money::{document::statement, payout};
use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes, definition::runs},
    exchange::{Key, Request},
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
pub(super) fn every_request() -> Vec<(&'static str, Request)> {
    vec![
        ("listPartners", Request::get("/api/v1/partners?limit=1")),
        ("getPartner", Request::get("/api/v1/partners/none")),
        (
            "updatePartner",
            Request::patch("/api/v1/partners/none", &serde_json::json!({})),
        ),
        (
            "listCommissionLines",
            Request::get("/api/v1/commission-lines?limit=1"),
        ),
        (
            "detachCommissionLine",
            Request::post("/api/v1/commission-lines/none/detach"),
        ),
        ("getPayout", Request::get("/api/v1/payouts/none")),
        (
            "generateStatement",
            Request::post("/api/v1/payouts/none/statement"),
        ),
    ]
}

/// A request with a broken key is 401, and the same with a sound one is not.
async fn turned_away(context: &mut CaseContext<'_>, request: Request) -> Result<(), CaseOutcome> {
    let control = Request::get(LIST).with(&context.all()?);
    let response = context.refused(request, control).await?;
    context.is_error(&response, 401, "UNAUTHORIZED")
}

async fn with_text(
    context: &mut CaseContext<'_>,
    change: fn(&str) -> String,
) -> Result<(), CaseOutcome> {
    let altered = Key::Altered(context.all()?.altered(change));
    turned_away(context, Request::get(LIST).with_key(altered)).await
}

async fn missing(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    turned_away(context, Request::get(LIST)).await
}

async fn unknown(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    // As long as a sound key, and of its letters: only a look-up can tell it apart.
    with_text(context, |key| {
        let mut reversed: Vec<char> = key.chars().collect();
        if let Some(tail) = reversed.get_mut(9..) {
            tail.reverse();
        }
        reversed.into_iter().collect()
    })
    .await
}

async fn empty(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    with_text(context, |_| String::new()).await
}

async fn last_character(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    with_text(context, |key| {
        let mut changed = key.to_owned();
        let last = changed.pop();
        changed.push(if last == Some('0') { '1' } else { '0' });
        changed
    })
    .await
}

async fn other_case(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    with_text(context, |key| {
        let swap = |letter: char| match letter {
            'a'..='z' => letter.to_ascii_uppercase(),
            letter => letter.to_ascii_lowercase(),
        };
        key.chars().map(swap).collect()
    })
    .await
}

async fn cut(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    with_text(context, |key| key[..key.len() - 1].to_owned()).await
}

async fn longer(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    with_text(context, |key| format!("{key}0")).await
}

async fn other_environment(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let [live, test] = BEGINNINGS;
    let key = context.all()?;
    let text = key.expose();
    let other = match (text.strip_prefix(live), text.strip_prefix(test)) {
        (Some(rest), _) => format!("{test}{rest}"),
        (_, Some(rest)) => format!("{live}{rest}"),
        (None, None) => {
            let wanted = format!("a key `all` that begins with {live} or {test}");
            return Err(CaseOutcome::missing(wanted));
        }
    };
    let altered = Key::Altered(key.altered(|_| other));
    turned_away(context, Request::get(LIST).with_key(altered)).await
}

async fn quoted(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    with_text(context, |key| format!("\"{key}\"")).await?;
    with_text(context, |key| format!("Bearer {key}")).await
}

async fn expired(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.key(Role::Expired)?;
    turned_away(context, Request::get(LIST).with(&key)).await?;
    turned_away_everywhere(context, &key).await
}

async fn revoked(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.key(Role::Revoked)?;
    turned_away(context, Request::get(LIST).with(&key)).await?;
    turned_away_everywhere(context, &key).await
}

/// Every operation looks at the key before anything that the request names; also where that exists, and was told to another key.
async fn turned_away_everywhere(
    context: &mut CaseContext<'_>,
    key: &Secret,
) -> Result<(), CaseOutcome> {
    if let Ok(id) = context.fixture(Fixture::PayoutUploaded) {
        for request in [payout(context, &id)?, statement(context, &id)?] {
            let response = context.refused(request.clone().with(key), request).await?;
            context.is_error(&response, 401, "UNAUTHORIZED")?;
        }
    }
    for (_, request) in every_request() {
        let response = context.send(request.with(key)).await?;
        context.is_error(&response, 401, "UNAUTHORIZED")?;
    }
    Ok(())
}

async fn revoked_now(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let made = context.make_key().await?;
    let before = context.given(Request::get(LIST).with(&made.key)).await;
    // Whatever came: a key that was made for a case does not outlive it.
    context
        .operate(Hook::RevokeKey, &[("key_id", &made.id)])
        .await?;
    before?;
    let response = context.send(Request::get(LIST).with(&made.key)).await?;
    context.is_error(&response, 401, "UNAUTHORIZED")?;
    turned_away_everywhere(context, &made.key).await
}

async fn in_query(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    for name in ["x-api-key", "api_key", "apiKey"] {
        let request = Request::get(LIST).query(name, key.expose());
        turned_away(context, request).await?;
    }
    for (_, request) in every_request() {
        let request = request.query("x-api-key", key.expose());
        let response = context.send(request).await?;
        context.is_error(&response, 401, "UNAUTHORIZED")?;
    }
    Ok(())
}

async fn in_authorization(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let bearer = format!("Bearer {}", context.all()?.expose());
    turned_away(context, Request::get(LIST).header("authorization", &bearer)).await
}

async fn repeated(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let key = context.all()?;
    let twice = Key::Repeated(vec![key.clone(), key]);
    turned_away(context, Request::get(LIST).with_key(twice)).await?;
    // One header may stand for two, their values joined by a comma.
    with_text(context, |key| format!("{key}, {key}")).await?;
    with_text(context, |key| format!("{key},none")).await
}

async fn every_operation(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    for (_, request) in every_request() {
        let response = context.send(request).await?;
        context.is_error(&response, 401, "UNAUTHORIZED")?;
    }
    Ok(())
}
