//! Which keys an operation accepts (§5, A3): one valid key, once, in its header.

use super::subject::Subject;
use crate::{
    case::{Case, CaseContext, CaseResult, errors::UNAUTHORIZED},
    exchange::{Key, Request, Response},
    target::Role,
};

/// What is no key although it looks like one.
const ALTERATIONS: [(&str, &str, &str, Change); 7] = [
    ("key.unknown", "§5.4", "a key that was never created", reversed),
    ("key.altered.last-character", "§5.4", "a key with another last character", last_character),
    ("key.altered.other-case", "§5.4", "a key in letters of the other case", other_case),
    ("key.altered.cut", "§5.4", "a key without its last character", |key| {
        key[..key.len() - 1].to_owned()
    }),
    ("key.altered.longer", "§5.4", "a key with a further character", |key| format!("{key}0")),
    ("key.altered.scheme", "§5.4", "a key after the name of a scheme", |key| {
        format!("Bearer {key}")
    }),
    ("key.repeated.joined", "A3", "two keys in one x-api-key, joined by a comma,", |key| {
        format!("{key}, {key}")
    }),
];
type Change = fn(&str) -> String;

/// Parameters in which no key is accepted.
const IN_QUERY: [(&str, &str, &[&str]); 2] = [
    ("key.in-query", "", &["x-api-key"]),
    ("key.in-query.other-names", " under another name", &["api_key", "apiKey"]),
];

pub(super) fn derive(subject: &'static Subject, cases: &mut Vec<Case>) {
    cases.push(
        subject.case("key.missing", "§5.4", missing).says("{operation} without a key is 401."),
    );
    for (name, clause, what, change) in ALTERATIONS {
        let case = subject.case(name, clause, async move |subject, context| {
            let (request, key) = subject.harmless(context)?;
            let request = request.with_key(Key::Altered(key.altered(change)));
            rejected(subject, context, request).await.map(drop)
        });
        cases.push(case.says(&format!("{{operation}} with {what} is 401.")));
    }
    for (name, how, names) in IN_QUERY {
        let case = subject.case(name, "§5.2", async move |subject, context| {
            let (request, key) = subject.harmless(context)?;
            for name in names {
                rejected(subject, context, request.clone().query(name, key.expose())).await?;
            }
            Ok(())
        });
        cases.push(case.says(&format!("{{operation}} accepts no key in the query{how}.")));
    }
    for (name, role) in [("expired", Role::Expired), ("revoked", Role::Revoked)] {
        let case = subject.case(&format!("key.{name}"), "§5.4", async move |subject, context| {
            // The answer may have been stored when a valid key asked for it.
            let request = subject.harmless(context)?.0.with(&context.key(role)?);
            rejected(subject, context, request).await.map(drop)
        });
        let case = case.says(&format!("{{operation}} with a key that is {name} is 401."));
        cases.push(case.keys(vec![Role::All, role].leak()));
    }
    cases.push(
        subject
            .case("key.repeated", "A3", repeated)
            .says("{operation} with x-api-key more than once is 401."),
    );
}

async fn missing(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let request = subject.harmless(context)?.0;
    let response = rejected(subject, context, request).await?;
    context.snapshot(&response);
    Ok(())
}

async fn repeated(subject: &Subject, context: &mut CaseContext<'_>) -> CaseResult {
    let (request, key) = subject.harmless(context)?;
    let twice = Key::Repeated(vec![key.clone(), key]);
    rejected(subject, context, request.with_key(twice)).await.map(drop)
}

async fn rejected(
    subject: &Subject,
    context: &mut CaseContext<'_>,
    request: Request,
) -> CaseResult<Response> {
    let control = subject.harmless(context)?;
    subject.rejects(context, &control, request, UNAUTHORIZED).await
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
