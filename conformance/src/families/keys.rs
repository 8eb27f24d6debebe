//! Which keys an operation accepts (§5, A3): one valid key, once, in its header.

use super::{
    stage::Stage,
    subject::{Subject, broken_forms},
};
use crate::{
    case::{Case, CaseContext, CaseResult, errors::UNAUTHORIZED},
    exchange::{Key, Request, Response},
    target::Role,
};

/// What is no key although it looks like one.
const ALTERATIONS: [(&str, &str, Change); 5] = [
    ("last-character", "with another last character", last_character),
    ("other-case", "in letters of the other case", other_case),
    ("cut", "without its last character", |key| key[..key.len() - 1].to_owned()),
    ("longer", "with a further character", |key| format!("{key}0")),
    ("scheme", "after the name of a scheme", |key| format!("Bearer {key}")),
];
type Change = fn(&str) -> String;

pub(super) fn derive(subject: &'static Subject, cases: &mut Vec<Case>) {
    cases.extend([
        subject.case(
            "key.missing",
            "§5.4",
            "{id} without a key is 401.",
            async move |subject, context| {
                let request = subject.harmless(context)?.0;
                let response = rejected(subject, context, request).await?;
                context.snapshot(&response);
                Ok(())
            },
        ),
        subject.case(
            "key.unknown",
            "§5.4",
            "{id} with a key that was never created is 401.",
            async move |subject, context| altered(subject, context, reversed).await,
        ),
        subject.case(
            "key.in-query",
            "§5.2",
            "{id} accepts no key in the query.",
            async move |subject, context| in_query(subject, context, &["x-api-key"]).await,
        ),
        subject.case(
            "key.in-query.other-names",
            "§5.2",
            "{id} accepts no key in the query under another name.",
            async move |subject, context| in_query(subject, context, &["api_key", "apiKey"]).await,
        ),
        subject.case(
            "key.repeated",
            "A3",
            "{id} with x-api-key more than once is 401.",
            async move |subject, context| {
                let (request, key) = subject.harmless(context)?;
                let twice = Key::Repeated(vec![key.clone(), key]);
                rejected(subject, context, request.with_key(twice)).await.map(drop)
            },
        ),
        subject.case(
            "key.repeated.joined",
            "A3",
            "{id} with two keys in one x-api-key, joined by a comma, is 401.",
            async move |subject, context| {
                altered(subject, context, |key| format!("{key}, {key}")).await
            },
        ),
        subject.case(
            "key.before-form",
            "A.order",
            "{id} checks the key before the form.",
            before_form,
        ),
    ]);
    altered_or_ended(subject, cases);
}

/// Keys that are almost valid, and those that were.
fn altered_or_ended(subject: &'static Subject, cases: &mut Vec<Case>) {
    for (name, how, change) in ALTERATIONS {
        let sentence = format!("{{id}} with a key {how} is 401.");
        let name = format!("key.altered.{name}");
        cases.push(subject.case(&name, "§5.4", &sentence, async move |subject, context| {
            altered(subject, context, change).await
        }));
    }
    for (name, role) in [("expired", Role::Expired), ("revoked", Role::Revoked)] {
        let sentence = format!("{{id}} with a key that is {name} is 401.");
        let keys: &[Role] = vec![Role::All, role].leak();
        let ended = subject.case(
            &format!("key.{name}"),
            "§5.4",
            &sentence,
            async move |subject, context| {
                let key = context.key(role)?;
                // The answer may have been stored when a valid key asked for it.
                let request = subject.harmless(context)?.0.with(&key);
                rejected(subject, context, request).await.map(drop)
            },
        );
        cases.push(ended.keys(keys));
    }
}

async fn rejected(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    request: Request,
) -> CaseResult<Response> {
    let control = subject.harmless(context)?;
    subject.rejects(context, &control, request, UNAUTHORIZED).await
}

async fn altered(subject: &Subject, context: &mut CaseContext<'_>, change: Change) -> CaseResult {
    let (request, key) = subject.harmless(context)?;
    let request = request.with_key(Key::Altered(key.altered(change)));
    rejected(subject, context, request).await.map(drop)
}

async fn in_query(subject: &Subject, context: &mut CaseContext<'_>, names: &[&str]) -> CaseResult {
    for name in names {
        let (request, key) = subject.harmless(context)?;
        rejected(subject, context, request.query(name, key.expose())).await?;
    }
    Ok(())
}

async fn before_form(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let (request, key) = subject.harmless(context)?;
    for broken in broken_forms(&request) {
        let accepted = context.send(broken.clone().with(&key)).await?;
        accepted.that(
            Stage::reached(&accepted) == Some(Stage::Form),
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
