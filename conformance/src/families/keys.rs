//! Which keys an operation accepts (§5, A3): one valid key, once, in its header.

use super::{stage::Stage, subject::Subject};
use crate::{
    case::{Case, CaseContext, CaseResult, errors::UNAUTHORIZED},
    exchange::{Key, Request},
    target::Role,
};

/// What is no key although it looks like one.
const ALTERATIONS: [fn(&str) -> String; 5] =
    [last_character, other_case, without_end, longer, with_scheme];
const NAMES_IN_QUERY: [&str; 3] = ["x-api-key", "api_key", "apiKey"];

pub(super) fn derive(subject: &'static Subject, cases: &mut Vec<Case>) {
    let id = &subject.operation.id;
    cases.extend([
        subject.case(
            "key.missing",
            "§5.4",
            format!("{id} without a key is 401."),
            async move |context| {
                let request = subject.harmless(context)?.0;
                let response = rejected(subject, context, request).await?;
                context.snapshot(&response);
                Ok(())
            },
        ),
        subject.case(
            "key.unknown",
            "§5.4",
            format!("{id} with a key that was never created is 401."),
            async move |context| altered(subject, context, &[reversed]).await,
        ),
        subject.case(
            "key.altered",
            "§5.4",
            format!("{id} with a key that is almost a valid one is 401."),
            async move |context| altered(subject, context, &ALTERATIONS).await,
        ),
        subject.case(
            "key.in-query",
            "§5.2",
            format!("{id} accepts no key in the query."),
            async move |context| in_query(subject, context).await,
        ),
        subject.case(
            "key.repeated",
            "A3",
            format!("{id} with x-api-key more than once is 401."),
            async move |context| repeated(subject, context).await,
        ),
        subject.case(
            "key.before-form",
            "A.order",
            format!("{id} checks the key before the form."),
            async move |context| before_form(subject, context).await,
        ),
    ]);
    for (name, role) in [("expired", Role::Expired), ("revoked", Role::Revoked)] {
        let sentence = format!("{id} with a key that is {name} is 401.");
        let keys: &[Role] = if role == Role::Expired {
            &[Role::All, Role::Expired]
        } else {
            &[Role::All, Role::Revoked]
        };
        let ended = subject.case(&format!("key.{name}"), "§5.4", sentence, async move |context| {
            let key = context.key(role)?;
            // The answer may have been stored when a valid key asked for it.
            let request = subject.harmless(context)?.0.with(&key);
            rejected(subject, context, request).await.map(drop)
        });
        cases.push(ended.keys(keys));
    }
}

async fn rejected(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    request: Request,
) -> CaseResult<crate::exchange::Response> {
    let control = subject.harmless(context)?;
    subject.rejects(context, &control, request, UNAUTHORIZED).await
}

async fn altered(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    changes: &[fn(&str) -> String],
) -> CaseResult {
    for change in changes {
        let key = Key::Altered(context.all()?.altered(change));
        let request = subject.harmless(context)?.0.with_key(key);
        rejected(subject, context, request).await?;
    }
    Ok(())
}

async fn in_query(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    for name in NAMES_IN_QUERY {
        let (request, key) = subject.harmless(context)?;
        rejected(subject, context, request.query(name, key.expose())).await?;
    }
    Ok(())
}

async fn repeated(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let (request, key) = subject.harmless(context)?;
    let twice = Key::Repeated(vec![key.clone(), key.clone()]);
    rejected(subject, context, request.clone().with_key(twice)).await?;
    // Two headers may also be sent as one, their values joined by a comma.
    let joined = Key::Altered(key.altered(|key| format!("{key}, {key}")));
    rejected(subject, context, request.with_key(joined)).await.map(drop)
}

async fn before_form(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let (request, key) = subject.harmless(context)?;
    for broken in [
        request.clone().query("surprise", "1"),
        request.clone().header("api-version", "1999-01-01"),
    ] {
        let accepted = context.send(broken.clone().with(&key)).await?;
        let is_rejected = Stage::reached(&accepted) == Some(Stage::Form);
        accepted.that(
            is_rejected,
            "A request with a broken form was not rejected for its form.",
            "400 or 422",
            &accepted.status_line(),
        )?;
        let response = context.send(broken).await?;
        context.is_error(&response, UNAUTHORIZED)?;
    }
    Ok(())
}

/// As long as a valid key, and of its characters: only a look-up finds that it is none.
fn reversed(key: &str) -> String {
    let mut letters: Vec<char> = key.chars().collect();
    if let Some(tail) = letters.get_mut(9..) {
        tail.reverse();
    }
    letters.into_iter().collect()
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

fn without_end(key: &str) -> String {
    key[..key.len() - 1].to_owned()
}

fn longer(key: &str) -> String {
    format!("{key}0")
}

fn with_scheme(key: &str) -> String {
    format!("Bearer {key}")
}
