//! Authentication (§5, A1–A3): one valid key in the header `x-api-key`.

mod faults;

use crate::cases::prelude::*;

const PREFIXES: [&str; 2] = ["pcp_live_", "pcp_test_"];

/// Requires that a request with a wrong key gets 401, where one with a valid key succeeds.
async fn is_unauthorized(context: &mut CaseContext<'_>, request: Request) -> CaseResult {
    let control = Request::get(LIST).with(&context.all()?);
    context.rejects(request, control, UNAUTHORIZED).await.map(drop)
}

/// An empty key, and one in quotes, gets 401.
#[case("§5.4")]
async fn empty(context: &mut CaseContext<'_>) -> CaseResult {
    for change in [|_: &str| String::new(), |key: &str| format!("\"{key}\"")] {
        let altered = Key::Altered(context.all()?.altered(change));
        is_unauthorized(context, Request::get(LIST).with_key(altered)).await?;
    }
    Ok(())
}

/// A key with the prefix of the other environment gets 401.
#[case("A1")]
async fn other_environment(context: &mut CaseContext<'_>) -> CaseResult {
    let [live, test] = PREFIXES;
    let key = context.all()?;
    let with = |own: &str, other: &str| {
        key.expose().strip_prefix(own).map(|rest| format!("{other}{rest}"))
    };
    let missing = || CaseOutcome::missing(format!("a key `all` that begins with {live} or {test}"));
    let other = with(live, test).or_else(|| with(test, live)).ok_or_else(missing)?;
    let altered = Key::Altered(key.altered(|_| other));
    is_unauthorized(context, Request::get(LIST).with_key(altered)).await
}

/// A key that worked gets 401 as soon as it is revoked.
#[case("§5.4.revoked", hooks(CreateKey, RevokeKey), changes = Restored, requests = 24)]
async fn revoked_now(context: &mut CaseContext<'_>) -> CaseResult {
    let made = context.make_key().await?;
    let before = context.given(Request::get(LIST).with(&made.key)).await;
    let what = format!("the key {}, with all scopes, is not revoked", made.id);
    let values = [("key_id", made.id.as_str())];
    context.restore(Hook::RevokeKey, &values, what).await?;
    before?;
    context.expect(Request::get(LIST).with(&made.key), UNAUTHORIZED).await.map(drop)
}

/// A key in the header Authorization is not accepted.
#[case("§5.1")]
async fn in_authorization(context: &mut CaseContext<'_>) -> CaseResult {
    let bearer = format!("Bearer {}", context.all()?.expose());
    is_unauthorized(context, Request::get(LIST).header("authorization", &bearer)).await
}
