//! Idempotent requests (X9): what an `idempotency-key` repeats, and what it does not.

use std::collections::HashMap;

use openapi_document::Idempotency;

use super::prelude::*;

const KEY: &str = "idempotency-key";
pub(super) const REPLAYED: &str = "idempotent-replayed";
const CONCURRENT: usize = 6;
/// How often requests are sent at once until one of them meets another.
const TRIES: usize = 12;

/// Members with a value that no body has; one of them makes another valid body.
const OTHERS: [(&str, &str); 8] = [
    ("name", "Another"),
    ("description", "Another"),
    ("note", "Another"),
    ("text", "Another"),
    ("externalKey", "Another"),
    ("externalId", "Another"),
    ("periodEnd", "2026-06-30T00:00:00.000Z"),
    ("reason", "Another"),
];

impl Subject {
    /// Returns true if a header makes its requests safe to repeat.
    pub(super) fn is_keyed(&self) -> bool {
        self.operation.idempotency == Idempotency::ByKey
    }
}

/// The own request with a key that no other request has.
pub(super) fn keyed(subject: &Subject, context: &CaseContext<'_>) -> CaseResult<Request> {
    Ok(subject.own(context).with(&context.all()?).header(KEY, &marker()))
}

pub(super) fn derive(subject: &'static Subject, probes: &mut Vec<Probe>) {
    if subject.is_keyed() {
        let all = [replayed, at_once, malformed, reused, apart, refused_before];
        probes.extend(all.map(|probe| probe(subject)));
    }
}

/// The first request with each key, and its response.
#[derive(Default)]
struct Firsts(HashMap<String, (Request, Response)>);

fn is_sound(key: &HeaderValue) -> bool {
    (1..=255).contains(&key.len()) && key.as_bytes().iter().all(u8::is_ascii_graphic)
}

impl Subject {
    /// A case of an idempotent operation that lets its requests succeed.
    fn keyed_case<F>(&'static self, name: &str, check: F) -> Case
    where
        F: AsyncFn(&'static Self, &mut CaseContext<'_>) -> CaseResult + Send + Sync + 'static,
    {
        self.on_own(self.case(&format!("idempotency.{name}"), "X9", check))
    }

    fn forgets_key(&'static self, is_forgotten: fn(&Request) -> bool) -> Behaviour {
        self.rewrites(move |request| {
            if is_forgotten(request) {
                request.headers.remove(KEY);
            }
        })
    }

    fn key_of(&self, request: &Request) -> Option<String> {
        let key = request.headers.get(KEY).filter(|_| request.is(&self.operation.id))?;
        Some(String::from_utf8_lossy(key.as_bytes()).into_owned())
    }

    /// Keeps the first response with each key if `is_kept` holds of it, and repeats it where
    /// `is_repeated` holds of the first request, of a later one and of its own response.
    fn repeats(
        &'static self,
        is_kept: fn(&Response) -> bool,
        is_repeated: fn(&Request, &Request, &Response) -> bool,
    ) -> Behaviour {
        edits_every(move |request, response, upstream| {
            let Some(key) = self.key_of(request) else { return };
            let kept = upstream.remember(|Firsts(firsts)| {
                if is_kept(response) {
                    let own = || (request.clone(), response.clone());
                    firsts.entry(key.clone()).or_insert_with(own);
                }
                firsts.get(&key).cloned()
            });
            let kept = kept.filter(|(first, _)| is_repeated(first, request, response));
            if let Some((_, first)) = kept {
                response.take_content(first);
                response.headers.insert(REPLAYED, HeaderValue::from_static("true"));
            }
        })
    }
}

fn is_replayed(response: &Response) -> bool {
    response.header(REPLAYED) == Some("true")
}

/// Requires a response that is not a repeated one.
fn is_first(response: &Response) -> CaseResult {
    response.must(
        response.header(REPLAYED).is_none(),
        "A request with a key of its own was answered with an earlier response.",
        "a response of its own",
    )
}

/// Requires that a response repeats another one.
fn repeats(response: &Response, first: &Response) -> CaseResult {
    response.that(
        is_replayed(response) && response.status == first.status && response.body == first.body,
        "A repeated request did not get the first response again.",
        &format!("{REPLAYED}: true\n{}", first.status_and_body()),
        &format!("{}\n{}", response.header(REPLAYED).unwrap_or("none"), response.status_and_body()),
    )
}

/// The first response to a request with a key, which has reached its work.
async fn first(context: &mut CaseContext<'_>, request: &Request) -> CaseResult<Response> {
    let response = context.send(request.clone()).await?;
    is_first(&response)?;
    response.must(
        Check::reached(&response) >= Some(Check::Resource),
        "The valid request was refused.",
        "a response of its work",
    )?;
    Ok(response)
}

fn with_body(request: &Request, body: &Value) -> Request {
    let mut bare = Request { body: None, ..request.clone() };
    bare.headers.remove(CONTENT_TYPE);
    bare.json(body)
}

fn replayed(subject: &'static Subject) -> Probe {
    let case = subject.keyed_case("replayed", async |subject, context| {
        let request = match subject.created_body(context) {
            Some(body) => subject.created(context, &body)?.header(KEY, &marker()),
            None => keyed(subject, context)?,
        };
        let original = first(context, &request).await?;
        for _ in 0..2 {
            repeats(&context.send(request.clone()).await?, &original)?;
        }
        // Another key is another request.
        first(context, &keyed(subject, context)?).await.map(drop)
    });
    let case = if subject.recipe.creates.is_some() { subject.creating(case) } else { case };
    case.says("{operation} answers a request with a known key as the first time, byte for byte.")
        .fault("{operation} does the work again for a known key.", subject.forgets_key(|_| true))
}

fn at_once(subject: &'static Subject) -> Probe {
    let case = subject.keyed_case("at-once", async |subject, context| {
        for _ in 0..TRIES {
            let request = keyed(subject, context)?;
            let responses = context.send_all(vec![request.clone(); CONCURRENT]).await?;
            let (early, done): (Vec<_>, Vec<_>) =
                responses.into_iter().partition(|response| response.status == 409);
            for response in &early {
                context.is_error(response, IDEMPOTENCY_IN_PROGRESS)?;
            }
            early.first().inspect(|response| context.snapshot(response));
            let (again, firsts): (Vec<_>, Vec<_>) = done.into_iter().partition(is_replayed);
            let last = context.send(request).await?;
            last.same("Concurrent requests with one key were all done.", &1, &firsts.len())?;
            for response in again.iter().chain([&last]) {
                repeats(response, &firsts[0])?;
            }
            if !early.is_empty() {
                break;
            }
        }
        Ok(())
    });
    let case = case.says("{operation} does the work of concurrent requests with one key once.");
    case.requests(90).fault(
        "{operation} does the work of each concurrent request with one key.",
        exchanges(move |request, upstream| {
            let key = subject.key_of(&request);
            Box::pin(upstream.send_concurrently(key, request, |request| {
                request.headers.remove(KEY);
            }))
        }),
    )
}

fn malformed(subject: &'static Subject) -> Probe {
    let case = subject.keyed_case("malformed", async |subject, context| {
        let control = subject.varied(context)?;
        let long = "~".repeat(256);
        for (key, code) in
            [("", "TOO_SHORT"), ("a b", "BAD_FORMAT"), ("ä", "BAD_FORMAT"), (&long, "TOO_LONG")]
        {
            let request = with_key(&control).header(KEY, key);
            let issue = format!("header /{KEY} {code}");
            subject.rejects_form(context, &control, request, &[&issue]).await?;
        }
        let longest = with_key(&control).header(KEY, &long[1..]);
        passes_the_form(&context.send(longest).await?, "A key of 255 characters")
    });
    let case = case.says("A key of {operation} has 1 to 255 visible ASCII characters.");
    let is_malformed = |request: &Request| !request.headers.get(KEY).is_some_and(is_sound);
    case.requests(16).fault(
        "{operation} ignores a malformed idempotency-key.",
        subject.forgets_key(is_malformed),
    )
}

fn reused(subject: &'static Subject) -> Probe {
    let case = subject.keyed_case("reused", async |subject, context| {
        let request = keyed(subject, context)?;
        let original = first(context, &request).await?;
        let has = |name: &str| subject.members().any(|(known, _)| known == name);
        let other = OTHERS.iter().find(|(name, _)| has(name));
        let other_body = other.map(|(name, value)| {
            with_body(&request, &body_with(subject, context, name, Some(&json!(value))))
        });
        let other_path = subject
            .has_id()
            .then(|| Request { target: subject.unknown(context).target, ..request.clone() });
        let others: Vec<Request> = other_body.into_iter().chain(other_path).collect();
        CaseOutcome::missing_if(others.is_empty(), "another valid body or path")?;
        for other in others {
            let response = context.expect(other, IDEMPOTENCY_KEY_REUSED).await?;
            is_first(&response)?;
            context.snapshot(&response);
        }
        repeats(&context.send(request).await?, &original)
    });
    let is_reused = |_: &Request, _: &Request, response: &Response| {
        response.has_error(IDEMPOTENCY_KEY_REUSED.0, IDEMPOTENCY_KEY_REUSED.1)
    };
    case.says("{operation} rejects another body or path under a known key.").fault(
        "{operation} repeats the first response, whatever the request says.",
        subject.repeats(|_| true, is_reused),
    )
}

fn apart(subject: &'static Subject) -> Probe {
    let case = subject.keyed_case("apart", async |subject, context| {
        let request = keyed(subject, context)?;
        first(context, &request).await?;
        let theirs = request.clone().with(&context.key(Role::OtherOrganization)?);
        is_first(&context.send(theirs).await?)?;
        let is_other = |other: &&Subject| {
            other.recipe.effect == Effect::Nothing
                && other.is_keyed()
                && other.operation.id != subject.operation.id
                && other.is_in_profile(context)
        };
        let other = SUBJECTS.iter().find(is_other);
        let other = other.ok_or_else(|| CaseOutcome::missing("another idempotent operation"))?;
        let mut other = other.own(context).with(&context.all()?);
        if let Some(key) = request.headers.get(KEY).cloned() {
            other.headers.insert(KEY, key);
        }
        first(context, &other).await.map(drop)
    });
    case.says("A key of {operation} means nothing to other operations and organisations.")
        .keys([subject.own_role(), Role::OtherOrganization])
        .fault(
            "{operation} repeats a response of another organisation.",
            subject.repeats(|_| true, |first, request, _| first.key != request.key),
        )
}

fn refused_before(subject: &'static Subject) -> Probe {
    let case = subject.keyed_case("refused-before", async |subject, context| {
        let request = keyed(subject, context)?;
        context.expect(with_unknown_parameter(request.clone()), VALIDATION_FAILED).await?;
        // Others ignore a body.
        if subject.operation.body.is_some() {
            let broken = bare(&(request.clone(), context.all()?));
            let broken = Request { headers: request.headers.clone(), ..broken };
            is_first(&context.send(broken.body("application/json", "{")).await?)?;
        }
        first(context, &request).await.map(drop)
    });
    case.says("{operation} keeps no refusal that came before its work.").fault(
        "{operation} keeps and repeats a refusal of the form.",
        subject.repeats(Response::rejects_form, |_, _, response| !response.rejects_form()),
    )
}
