//! A8: batches of requests say what one statement per request would say, and nothing before it is durable.
//!
//! It refuses chance: the random history has a fixed seed, and the database's clock stands still.

use chrono::{DateTime, Utc};
use futures_util::future::join_all;
use payout_server::{
    config::ServeOptions,
    contract::types::Scope,
    gate::{
        ApiKey, Environment, KeyHash,
        admission::{
            Admission, AdmissionRequest, Admit, BatchedAdmission, Outcome, StatementAdmission,
            Verdict,
        },
    },
    id::OrganizationId,
    metrics::Metrics,
};
use poem::http::Method;
use sqlx::{PgPool, postgres::PgPoolOptions};

use crate::support::{Key, TestServer, dataset::*, operator};

const OTHER: &str = "org_01JV3N8Q5R0000000000000002";
const PATH: &str = "/api/v1/partners?limit=1";

/// Both ways to admit, on one database.
struct Gates {
    server: TestServer,
    single: StatementAdmission,
    batched: BatchedAdmission,
}

impl Gates {
    async fn open() -> Self {
        let server = TestServer::start().await;
        let connect = payout_database::app_connect_options(server.database.app_url()).unwrap();
        let pool = PgPoolOptions::new().connect_lazy_with(connect.clone());
        Self {
            single: StatementAdmission::new(pool),
            batched: BatchedAdmission::start(
                &connect,
                server.options().admission(),
                &Metrics::default(),
            ),
            server,
        }
    }

    async fn limit(&self, requests_per_minute: i32, credits: Option<i64>) {
        for organization in [MAIN, OTHER] {
            operator::set_limits(&self.server, organization, requests_per_minute, credits).await;
        }
    }

    fn key(&self, key: Key) -> KeyHash {
        let key = ApiKey::parse(self.server.key(key), Environment::Test);
        key.expect("a key of the data set").hash()
    }

    async fn alone(&self, request: AdmissionRequest) -> Verdict {
        self.single.admit(request).await.unwrap().verdict
    }

    async fn in_batch(&self, request: AdmissionRequest) -> Verdict {
        let admitted = self.batched.admit(request).await.unwrap();
        admitted.durability.reached().await.unwrap();
        admitted.verdict
    }
}

fn request(key: KeyHash, scope: Scope, form_is_sound: bool) -> AdmissionRequest {
    AdmissionRequest {
        key,
        scope,
        form_is_sound,
    }
}

/// What a verdict says, but for whose it is.
fn told(verdict: &Verdict) -> String {
    match verdict {
        Verdict::ValidKey(admission) => {
            let Admission {
                organization: _,
                key_id: _,
                rate,
                minute_ends_in_seconds,
                credits,
                month_ends_in_seconds,
                outcome,
            } = admission.as_ref();
            format!(
                "{outcome:?} {rate:?} {minute_ends_in_seconds} {credits:?} {month_ends_in_seconds}"
            )
        }
        other => format!("{other:?}"),
    }
}

/// A sequence without chance (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }
}

#[tokio::test]
async fn batches_say_the_same_of_the_same_history_as_one_statement_per_request() {
    let gates = Gates::open().await;
    gates.limit(7, Some(11)).await;
    let (of_single, of_batched) = (gates.key(Key::MAIN), gates.key(Key::OTHER));
    let nobody = ApiKey::generate(Environment::Test).hash();
    let mut random = Random(4);
    let mut now: DateTime<Utc> = "2026-06-30T23:57:00Z".parse().unwrap();
    let mut seen = std::collections::BTreeSet::new();
    let mut charges = Vec::new();
    for step in 0..400 {
        match random.below(24) {
            0 => {
                now += chrono::TimeDelta::seconds(i64::try_from(random.below(70)).unwrap());
                let clock = now.to_rfc3339();
                gates.server.database.set_clock(&clock).await.unwrap();
            }
            1 => {
                let credits = (random.below(3) > 0).then(|| random.below(20).try_into().unwrap());
                let requests = 1 + i32::try_from(random.below(9)).unwrap();
                gates.limit(requests, credits).await;
            }
            2 => {
                if let Some((one, other)) = charges.pop() {
                    let [main, foreign] =
                        [MAIN, OTHER].map(|id| OrganizationId::parse(id).unwrap());
                    gates.single.refund(&main, one).await.unwrap();
                    gates.batched.refund(&foreign, other).await.unwrap();
                }
            }
            choice => {
                let scope = [Scope::PartnersRead, Scope::AffiliateWrite][usize::from(choice == 3)];
                let is_sound = choice != 4;
                let is_known = choice != 5;
                let of = |key| request(if is_known { key } else { nobody }, scope, is_sound);
                let one = gates.alone(of(of_single)).await;
                let other = gates.in_batch(of(of_batched)).await;
                assert_eq!(told(&one), told(&other), "step {step} at {now}");
                if let (Verdict::ValidKey(one), Verdict::ValidKey(other)) = (&one, &other)
                    && let (Outcome::Admitted(one), Outcome::Admitted(other)) =
                        (one.outcome, other.outcome)
                {
                    charges.push((one, other));
                }
                let words = told(&one);
                seen.insert(words.split([' ', '(']).next().unwrap().to_owned());
            }
        }
    }
    let all = [
        "Admitted",
        "CreditsExhausted",
        "FormRefused",
        "RateLimited",
        "UnknownKey",
    ];
    for outcome in all {
        assert!(seen.contains(outcome), "{outcome} never happened: {seen:?}");
    }
    let behind = gates.server.superuser().await;
    assert_eq!(
        operator::meter(&behind, MAIN).await,
        operator::meter(&behind, OTHER).await
    );
}

#[tokio::test]
async fn batch_spends_what_one_statement_per_request_would_spend() {
    let gates = Gates::open().await;
    gates.limit(30, Some(10)).await;
    let requests = |key: KeyHash| {
        let sound = (0..25).map(move |_| request(key, Scope::PartnersRead, true));
        // Those that are refused anyway come after them in the batch's order.
        sound.chain((0..15).map(move |_| request(key, Scope::PartnersRead, false)))
    };
    let mut alone = Vec::new();
    for request in requests(gates.key(Key::MAIN)) {
        alone.push(told(&gates.alone(request).await));
    }
    let together = requests(gates.key(Key::OTHER)).map(|request| gates.in_batch(request));
    let together: Vec<String> = join_all(together).await.iter().map(told).collect();
    let sorted = |mut told: Vec<String>| {
        told.sort_unstable();
        told
    };
    assert_eq!(sorted(together), sorted(alone));
}

#[tokio::test]
async fn many_organisations_in_one_batch_do_not_spend_each_others_credits() {
    let gates = Gates::open().await;
    operator::set_limits(&gates.server, MAIN, 100, Some(3)).await;
    operator::set_limits(&gates.server, OTHER, 4, Some(100)).await;
    let (main, other) = (gates.key(Key::MAIN), gates.key(Key::OTHER));
    let asks = (0..12).map(|number| {
        let key = if number % 2 == 0 { main } else { other };
        gates.in_batch(request(key, Scope::PartnersRead, true))
    });
    let verdicts = join_all(asks).await;
    let outcomes = |organization: &str| {
        let of = |verdict: &Verdict| match verdict {
            Verdict::ValidKey(admission) if admission.organization.as_str() == organization => {
                Some(matches!(admission.outcome, Outcome::Admitted(_)))
            }
            _ => None,
        };
        let outcomes: Vec<bool> = verdicts.iter().filter_map(of).collect();
        (
            outcomes.len(),
            outcomes.iter().filter(|passed| **passed).count(),
        )
    };
    assert_eq!(outcomes(MAIN), (6, 3));
    assert_eq!(outcomes(OTHER), (6, 4));
}

#[tokio::test]
async fn verdict_that_cannot_be_made_durable_is_not_told() {
    let server = TestServer::start_with(shares_flushes).await;
    let behind = server.superuser().await;
    server.get(Key::MAIN, PATH).expect(200).await;
    let flushing = |may: &'static str| execute(&behind, may);
    flushing("REVOKE EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text) FROM PUBLIC")
        .await;
    let answer = server.get(Key::MAIN, PATH).expect(503).await;
    assert_eq!(answer.header("x-service-credits-remaining-month"), None);
    // What says nothing of a meter waits for no flush.
    server.ask(Method::GET, PATH).expect(401).await;
    let stranger = ApiKey::generate(Environment::Test);
    let stranger = server
        .ask(Method::GET, PATH)
        .header("x-api-key", stranger.reveal());
    stranger.expect(401).await;
    flushing("GRANT EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text) TO PUBLIC")
        .await;
    let answer = server.get(Key::MAIN, PATH).expect(200).await;
    let told = answer.number("x-service-credits-remaining-month").unwrap();
    let used = operator::meter(&behind, MAIN).await.month_used;
    assert_eq!(
        told,
        10_000_000 - used,
        "each charge is counted, told or not"
    );
}

/// A refusal that writes nothing says what another batch may have written, and waits for the flusher all the same.
#[tokio::test]
async fn small_batch_is_durable_by_its_own_commit_and_a_refused_minute_by_the_flusher() {
    let server = TestServer::start().await;
    let behind = server.superuser().await;
    for _ in 0..5 {
        server.get(Key("tight", "all"), PATH).expect(200).await;
    }
    server.get(Key("tight", "all"), PATH).expect(429).await;
    execute(
        &behind,
        "REVOKE EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text) FROM PUBLIC",
    )
    .await;
    server.get(Key::MAIN, PATH).expect(200).await;
    server.get(Key("tight", "all"), PATH).expect(503).await;
}

/// The charge may be lost, and what goes back would be another's.
#[tokio::test]
async fn credit_whose_charge_may_be_forgotten_is_not_given_back() {
    let server = TestServer::start_with(shares_flushes).await;
    let behind = server.superuser().await;
    let path = format!("/api/v1/payouts/{ONE_LINE}");
    server.get(Key::MAIN, &path).expect(200).await;
    execute(&behind, "ALTER TABLE payouts RENAME TO payouts_away").await;
    server.get(Key::MAIN, &path).expect(500).await;
    assert_eq!(operator::meter(&behind, MAIN).await.month_used, 1);
    execute(
        &behind,
        "REVOKE EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text) FROM PUBLIC",
    )
    .await;
    server.get(Key::MAIN, &path).expect(503).await;
    assert_eq!(operator::meter(&behind, MAIN).await.month_used, 2);
}

#[tokio::test]
async fn connections_that_ended_while_idle_are_made_anew_before_a_request_needs_them() {
    let server = TestServer::start_with(|options| options.admission_lanes = 1).await;
    let behind = server.superuser().await;
    let path = "/api/v1/payouts/none";
    server.get(Key::MAIN, path).expect(404).await;
    let ended: Vec<i32> = sqlx::query_scalar(
        "SELECT pid FROM pg_stat_activity, LATERAL pg_terminate_backend(pid)
          WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'payout-server'",
    )
    .fetch_all(&behind)
    .await
    .unwrap();
    assert!(ended.len() >= 3, "a lane, a reader, the flusher: {ended:?}");
    // The flusher looks after its connection once a second; a new one tells that it has noticed.
    let made_anew = "SELECT EXISTS (SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'payout-server' AND pid <> ALL ($1))";
    let made_anew = || sqlx::query_scalar::<_, bool>(made_anew).bind(&ended);
    while !made_anew().fetch_one(&behind).await.unwrap() {}
    let answer = server.get(Key::MAIN, path).expect(404).await;
    assert_eq!(
        answer.number("x-service-credits-remaining-month"),
        Some(9_999_998)
    );
}

/// Every commit waits for the flusher, as those of large batches do.
fn shares_flushes(options: &mut ServeOptions) {
    options.admission_at_once = 0;
}

async fn execute(behind: &PgPool, statement: &'static str) {
    sqlx::raw_sql(statement).execute(behind).await.unwrap();
}
