//! Authentication (§5, A1–A3): one valid key in the header `x-api-key`.

use super::money::{document::statement, payout};
use crate::cases::prelude::*;

const PREFIXES: [&str; 2] = ["pcp_live_", "pcp_test_"];

pub(super) const CASES: &[Case] = cases! { Case::ANY;
    { "keys.missing" "§5.4" run(is_unauthorized, Request::get(LIST))
      "A request without a key gets 401." }
    { "keys.unknown" "§5.4" run(with_text, unknown) "A key that was never created gets 401." }
    { "keys.empty" "§5.4" run(with_text, |_| String::new()) "An empty key gets 401." }
    { "keys.last-character" "§5.4" run(with_text, last_character)
      "A key that differs in its last character gets 401." }
    { "keys.other-case" "§5.4" run(with_text, other_case)
      "A key whose letters are in the other case gets 401." }
    { "keys.cut" "§5.4" run(with_text, |key| key[..key.len() - 1].to_owned())
      "A key without its last character gets 401." }
    { "keys.longer" "§5.4" run(with_text, |key| format!("{key}0"))
      "A key with a further character gets 401." }
    { "keys.other-environment" "A1" run(other_environment)
      "A key with the prefix of the other environment gets 401." }
    { "keys.quoted" "§5.4" run(quoted) "A key in quotes, or after the name of a scheme, gets 401." }
    { "keys.expired" "§5.4" run(ended, Role::Expired)
      "An expired key gets 401 from every operation."
      .keys(&[Role::All, Role::Expired]).requests(24) }
    { "keys.revoked" "§5.4" run(ended, Role::Revoked)
      "A revoked key gets 401 from every operation."
      .keys(&[Role::All, Role::Revoked]).requests(24) }
    { "keys.revoked-now" "§5.4.revoked" run(revoked_now)
      "A key that worked gets 401 as soon as it is revoked."
      .hooks(&[Hook::CreateKey, Hook::RevokeKey]).changes(Changes::Restored).requests(24) }
    { "keys.in-query" "§5.2" run(in_query)
      "No operation accepts a key in the query." .requests(16) }
    { "keys.in-authorization" "§5.1" run(in_authorization)
      "A key in the header Authorization is not accepted." }
    { "keys.repeated" "A3" run(repeated) "A request with x-api-key more than once gets 401." }
    { "keys.every-operation" "§5.1" run(every_operation)
      "Every operation requires a key." .requests(7) }
};

/// Every operation, on ids that need not exist: the key is checked first.
pub(super) fn every_request() -> Vec<(&'static str, Request)> {
    vec![
        ("listPartners", Request::get("/api/v1/partners?limit=1")),
        ("getPartner", Request::get("/api/v1/partners/none")),
        ("updatePartner", Request::patch("/api/v1/partners/none", &serde_json::json!({}))),
        ("listCommissionLines", Request::get("/api/v1/commission-lines?limit=1")),
        ("detachCommissionLine", Request::post("/api/v1/commission-lines/none/detach")),
        ("getPayout", Request::get("/api/v1/payouts/none")),
        ("generateStatement", Request::post("/api/v1/payouts/none/statement")),
    ]
}

/// That a request with a wrong key gets 401, where one with a valid key succeeds.
async fn is_unauthorized(context: &mut CaseContext<'_>, request: Request) -> CaseResult {
    let control = Request::get(LIST).with(&context.all()?);
    context.rejects(request, control, UNAUTHORIZED).await.map(drop)
}

async fn with_text(context: &mut CaseContext<'_>, change: fn(&str) -> String) -> CaseResult {
    let altered = Key::Altered(context.all()?.altered(change));
    is_unauthorized(context, Request::get(LIST).with_key(altered)).await
}

/// As long as a valid key, and of its characters: only a look-up finds that it is none.
fn unknown(key: &str) -> String {
    let mut reversed: Vec<char> = key.chars().collect();
    if let Some(tail) = reversed.get_mut(9..) {
        tail.reverse();
    }
    reversed.into_iter().collect()
}

fn last_character(key: &str) -> String {
    let (start, last) = key.split_at(key.len() - 1);
    format!("{start}{}", if last == "0" { '1' } else { '0' })
}

fn other_case(key: &str) -> String {
    let swap = |letter: char| match letter {
        'a'..='z' => letter.to_ascii_uppercase(),
        letter => letter.to_ascii_lowercase(),
    };
    key.chars().map(swap).collect()
}

async fn other_environment(context: &mut CaseContext<'_>) -> CaseResult {
    let [live, test] = PREFIXES;
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
    is_unauthorized(context, Request::get(LIST).with_key(altered)).await
}

async fn quoted(context: &mut CaseContext<'_>) -> CaseResult {
    with_text(context, |key| format!("\"{key}\"")).await?;
    with_text(context, |key| format!("Bearer {key}")).await
}

/// That a key of this role, which was valid once, gets 401.
async fn ended(context: &mut CaseContext<'_>, role: Role) -> CaseResult {
    let key = context.key(role)?;
    is_unauthorized(context, Request::get(LIST).with(&key)).await?;
    is_unauthorized_everywhere(context, &key).await
}

/// Every operation checks the key first, also where the resource exists and was returned to another
/// key just before.
async fn is_unauthorized_everywhere(context: &mut CaseContext<'_>, key: &Secret) -> CaseResult {
    if let Ok(id) = context.fixture(Fixture::PayoutUploaded) {
        for request in [payout(context, &id)?, statement(context, &id)?] {
            context.rejects(request.clone().with(key), request, UNAUTHORIZED).await?;
        }
    }
    for (_, request) in every_request() {
        context.expect(request.with(key), UNAUTHORIZED).await?;
    }
    Ok(())
}

async fn revoked_now(context: &mut CaseContext<'_>) -> CaseResult {
    let made = context.make_key().await?;
    let before = context.given(Request::get(LIST).with(&made.key)).await;
    let what = format!("the key {}, with all scopes, is not revoked", made.id);
    let values = [("key_id", made.id.as_str())];
    context.restore(Hook::RevokeKey, &values, what).await?;
    before?;
    context.expect(Request::get(LIST).with(&made.key), UNAUTHORIZED).await?;
    is_unauthorized_everywhere(context, &made.key).await
}

async fn in_query(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    for name in ["x-api-key", "api_key", "apiKey"] {
        let request = Request::get(LIST).query(name, key.expose());
        is_unauthorized(context, request).await?;
    }
    for (_, request) in every_request() {
        let request = request.query("x-api-key", key.expose());
        context.expect(request, UNAUTHORIZED).await?;
    }
    Ok(())
}

async fn in_authorization(context: &mut CaseContext<'_>) -> CaseResult {
    let bearer = format!("Bearer {}", context.all()?.expose());
    is_unauthorized(context, Request::get(LIST).header("authorization", &bearer)).await
}

async fn repeated(context: &mut CaseContext<'_>) -> CaseResult {
    let key = context.all()?;
    let twice = Key::Repeated(vec![key.clone(), key]);
    is_unauthorized(context, Request::get(LIST).with_key(twice)).await?;
    // Two headers may also be sent as one, their values joined by a comma.
    with_text(context, |key| format!("{key}, {key}")).await?;
    with_text(context, |key| format!("{key},none")).await
}

async fn every_operation(context: &mut CaseContext<'_>) -> CaseResult {
    for (_, request) in every_request() {
        context.expect(request, UNAUTHORIZED).await?;
    }
    Ok(())
}
