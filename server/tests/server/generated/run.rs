//! The test. `PAYOUT_GENERATED_REQUESTS` sets the number of requests (3,000),
//! `PAYOUT_GENERATED_SEED` the seed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
    panic::{AssertUnwindSafe, resume_unwind},
    str::FromStr,
};

use futures_util::{FutureExt, future::join_all};

use openapi_document::Operation;

use super::{request::Generated, world::World};
use crate::{
    matrices::document::DOCUMENT,
    support::{Connection, Random, TestResponse, TestServer, dataset::MAIN, operator},
};

const REQUESTS: usize = 3_000;
const SEED: u64 = 0x0DD5_EED5;
const CONNECTIONS: usize = 8;
/// What this many requests must cause, or the generator has become useless; 500, 503 and 408 have
/// tests of their own.
const EXPECTED_STATUSES: [u16; 12] = [200, 201, 400, 401, 402, 403, 404, 405, 413, 415, 422, 429];

/// How often an operation returned a status; `-` for paths of no operation.
type Answered = BTreeMap<(String, u16), usize>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_generated_request_is_answered_but_as_the_document_says() {
    let requests = from_environment("PAYOUT_GENERATED_REQUESTS", REQUESTS);
    let seed = from_environment("PAYOUT_GENERATED_SEED", SEED);
    let server =
        TestServer::start_with(|options| options.anonymous_requests_per_minute = 1_000_000).await;
    // The clock is stopped: all requests fall into one minute.
    operator::set_limits(&server, MAIN, 100_000_000, Some(100_000_000)).await;
    let world = World::of(&server).await;
    let connections = (0..CONNECTIONS).map(|first| {
        let mut connection = Connection::to(&server);
        let world = &world;
        async move {
            let mut answered = Answered::new();
            for number in (first..requests).step_by(CONNECTIONS) {
                let generated = Generated::new(&mut Random::of_one(seed, number), world);
                let message = format!("request {number} of PAYOUT_GENERATED_SEED={seed}");
                let sent = AssertUnwindSafe(connection.send(generated.to_http()));
                let response = sent.catch_unwind().await.unwrap_or_else(|panic| {
                    eprintln!("{message} broke an invariant of every response:\n{generated}");
                    resume_unwind(panic)
                });
                if let Err(fault) = generated.expectation.is_met_by(&response) {
                    let TestResponse { status, text, .. } = response;
                    let expected = &generated.expectation;
                    panic!(
                        "{message}: {fault}\n{expected:?}\n\n{generated}\n\n\
                         got {status}\n{text}"
                    );
                }
                let operation = generated.expectation.operation_id().unwrap_or("-").to_owned();
                *answered.entry((operation, response.status.as_u16())).or_default() += 1;
            }
            answered
        }
    });
    let mut answered = Answered::new();
    for (case, count) in join_all(connections).await.into_iter().flatten() {
        *answered.entry(case).or_default() += count;
    }
    println!("{requests} requests of seed {seed:#x}: {answered:?}");
    if requests >= REQUESTS {
        is_many_sided(&answered);
    }
}

fn is_many_sided(answered: &Answered) {
    let statuses: BTreeSet<u16> = answered.keys().map(|(_, status)| *status).collect();
    assert_eq!(statuses.into_iter().collect::<Vec<_>>(), EXPECTED_STATUSES);
    for operation in DOCUMENT.operations() {
        for statuses in [&[200, 201][..], &[422]] {
            if statuses.contains(&200) && needs_ids_that_fit(operation) {
                continue;
            }
            let is_answered =
                |status: &u16| answered.contains_key(&(operation.id.clone(), *status));
            let seen = statuses.iter().any(is_answered);
            assert!(seen, "{} never returned {statuses:?}", operation.id);
        }
    }
}

/// Returns true if a success needs one id in the path and another in the body that belong together,
/// which random ones seldom do.
fn needs_ids_that_fit(operation: &Operation) -> bool {
    let schema = operation.body.as_ref().and_then(|body| body.content[0].schema_pointer.as_ref());
    let schema = schema.and_then(|schema| DOCUMENT.resolve(schema).ok());
    let required = schema.and_then(|schema| schema.value["required"].as_array().cloned());
    let mut required = required.into_iter().flatten();
    let names_id = required.any(|name| name.as_str().is_some_and(|name| name.ends_with("Id")));
    operation.path.contains('{') && names_id
}

fn from_environment<T: FromStr<Err: Display>>(name: &str, default: T) -> T {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|error| panic!("{name}: {error}")),
        Err(_) => default,
    }
}
