//! A store that hangs, refuses, fails, and answers nonsense. Its answers are scripted and time is
//! paused, so that tries and seconds are counted exactly.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use object_store::{
    ClientOptions,
    client::{
        HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
    },
};
use tokio::time::Instant;

use super::{
    super::{s3::Credentials, *},
    *,
};

#[derive(Clone, Copy, Debug)]
enum Answer {
    Hang,
    Fail(HttpErrorKind),
    Status(u16, &'static str),
}

use Answer::{Fail, Hang, Status};

/// An error whose message leaves out its cause.
#[derive(Debug, thiserror::Error)]
#[error("it failed")]
struct Surface(#[source] std::io::Error);

/// Plays its answers in order, and repeats the last one.
#[derive(Clone, Debug)]
struct Scripted(Arc<Mutex<(VecDeque<Answer>, u32)>>);

impl Scripted {
    fn tries(&self) -> u32 {
        self.0.lock().unwrap().1
    }
}

impl HttpConnector for Scripted {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

impl HttpService for Scripted {
    fn call<'a, 'b>(
        &'a self,
        _: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        let answer = {
            let (answers, tries) = &mut *self.0.lock().unwrap();
            *tries += 1;
            let next =
                if answers.len() > 1 { answers.pop_front() } else { answers.front().copied() };
            next.expect("a script has an answer")
        };
        Box::pin(async move {
            match answer {
                Hang => std::future::pending().await,
                Fail(kind) => Err(HttpError::new(kind, Surface(std::io::Error::other("scripted")))),
                Status(status, body) => {
                    let mut response = HttpResponse::new(body.to_owned().into());
                    *response.status_mut() = status.try_into().unwrap();
                    Ok(response)
                }
            }
        })
    }
}

fn bucket(answers: &[Answer]) -> (Storage, Scripted) {
    let script = Scripted(Arc::new(Mutex::new((answers.iter().copied().collect(), 0))));
    let credentials =
        Credentials::read(|name| (name != "AWS_SESSION_TOKEN").then(|| "secret-word".into()));
    let options = AssetOptions::default();
    let storage = options.bucket("statements", "", credentials.unwrap(), script.clone());
    (storage.unwrap(), script)
}

fn key() -> AssetKey {
    AssetKey::parse("org_01JV3N8Q5RHWXK2M4P6S7T9V0A/ast_01JV3N8Q5RHWXK2M4P6S7T9V0B.pdf").unwrap()
}

fn kind(error: &StorageError) -> &'static str {
    match error {
        StorageError::Unavailable { .. } => "unavailable",
        StorageError::NotFound { .. } => "not found",
        StorageError::Internal { .. } => "internal",
    }
}

async fn run(storage: &Storage, operation: &str) -> Result<(), StorageError> {
    match operation {
        "put" => storage.put(&key(), Bytes::from_static(b"%PDF-")).await,
        "get" => storage.get(&key()).await.map(drop),
        "delete" => storage.delete(&key()).await,
        _ => storage.list().try_next().await.map(drop),
    }
}

/// The store's answer in one row of `answers.txt`.
fn answer(text: &'static str) -> Answer {
    match text {
        "hangs" => Hang,
        "is not reached" => Fail(HttpErrorKind::Connect),
        "is too slow" => Fail(HttpErrorKind::Timeout),
        "breaks off" => Fail(HttpErrorKind::Interrupted),
        _ => {
            let (status, body) = text.split_once(' ').unwrap_or((text, ""));
            Status(status.parse().unwrap(), body)
        }
    }
}

#[tokio::test(start_paused = true)]
async fn operation_is_tried_and_classified_by_the_answer() {
    let elapsed = regex::Regex::new(r" in [0-9.]+[nµm]?s\b").unwrap();
    let mut outcomes = String::new();
    for row in include_str!("answers.txt").lines() {
        let (operation, answers) = row.split_once(": ").unwrap();
        let (storage, script) = bucket(&answers.split(", ").map(answer).collect::<Vec<_>>());
        let begun = Instant::now();
        let outcome = match run(&storage, operation).await {
            Ok(()) => "done".to_owned(),
            Err(error) => {
                format!("{}: {}", kind(&error), elapsed.replace_all(&error.to_string(), ""))
            }
        };
        // The time between tries is random.
        let seconds = begun.elapsed().as_secs();
        let time = if seconds < 3 { "soon".into() } else { format!("{seconds} s") };
        outcomes += &format!("{row}\n    {} tries, {time}, {outcome}\n", script.tries());
    }
    insta::assert_snapshot!(outcomes);
}

#[tokio::test(start_paused = true)]
async fn piece_of_a_download_that_never_comes_ends_it() {
    let (storage, _) = bucket(&[Hang]);
    let pieces = stream::iter([Ok(1), Ok(2)]).chain(stream::pending()).boxed();
    let mut bounded = storage.clone().each_bounded("get", "it", pieces);
    assert_eq!(bounded.try_next().await.unwrap(), Some(1));
    assert_eq!(bounded.try_next().await.unwrap(), Some(2));
    let begun = Instant::now();
    assert_eq!(kind(&bounded.try_next().await.unwrap_err()), "unavailable");
    assert_eq!(begun.elapsed().as_secs(), 10);
    assert_eq!(bounded.try_next().await.unwrap(), None);
}

#[tokio::test]
async fn full_disk_is_unavailable_and_a_forbidden_one_is_internal() {
    use std::io::ErrorKind;
    let (storage, _) = bucket(&[Hang]);
    for (system, expected) in [
        (ErrorKind::StorageFull, "unavailable"),
        (ErrorKind::QuotaExceeded, "unavailable"),
        (ErrorKind::TimedOut, "unavailable"),
        (ErrorKind::PermissionDenied, "internal"),
        (ErrorKind::ReadOnlyFilesystem, "internal"),
    ] {
        let source = Box::new(std::io::Error::from(system));
        let failed = Err::<(), _>(object_store::Error::Generic { store: "directory", source });
        let error = storage.bounded("put", "it", std::future::ready(failed)).await.unwrap_err();
        assert_eq!(kind(&error), expected, "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn no_message_and_no_debug_shows_a_credential() {
    let (storage, _) = bucket(&[Status(403, "<Error><Code>SignatureDoesNotMatch</Code></Error>")]);
    let error = storage.delete(&key()).await.unwrap_err();
    let shown = format!("{} {error} {error:?}", storage.name());
    assert!(!shown.contains("secret-word"), "{shown}");
}
