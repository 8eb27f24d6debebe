//! A server killed at random moments while it generates statements: no partial statement is ever
//! visible, and no acknowledged one is lost. The suite kills no server. `PAYOUT_TEST_KILLS` sets
//! the number of kills; the quick form is part of every test run.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    time::Duration,
};

use chrono::{TimeDelta, Utc};
use futures_util::{TryStreamExt as _, future::join_all};
use payout_server::{
    id::OrganizationId,
    statements::{assets::sweep::Sweep, storage::AssetKey},
};
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;

use crate::{
    state_invariants,
    support::{Key, TestServer, dataset::*},
};

const QUICK_KILLS: usize = 8;
/// The payouts of the data set with lines and without an uploaded PDF.
const PAYOUTS: &str = "1245678ABC";
/// Longer than a round takes: a kill can come at any step, and after the last byte.
const LONGEST_LIFE_MICROSECONDS: u64 = 250_000;

/// A server in a process of its own.
struct Victim {
    process: Child,
    base_url: String,
}

impl Victim {
    fn start(server: &TestServer) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_payout-server"))
            .args(["serve", "--listen", "127.0.0.1:0", "--environment", "test"])
            .args(["--health-listen", "127.0.0.1:0"])
            .env("DATABASE_URL", server.database.app_url())
            .env("PAYOUT_DATA_DIR", server.folder())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let api = line.split_whitespace().find(|word| word.starts_with("http://")).unwrap();
        let base_url = api.trim_end_matches("/api/v1").to_owned();
        Self { process, base_url }
    }

    /// SIGKILL: no destructor, no flush.
    fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// An acknowledged statement: its asset, and whether the killed server returned it.
type Answered = BTreeSet<String>;

/// Requests the statement of every payout from each server, and records the responses.
async fn generate_everywhere(server: &TestServer, victim: &str, answered: &mut Answered) {
    let client = reqwest::Client::new();
    let key = server.key(Key::MAIN);
    let requests = PAYOUTS.chars().flat_map(|last| {
        let path = format!("/api/v1/payouts/pay_01JV3N8Q5R000000000000000{last}/statement");
        [victim, server.base_url()]
            .map(|base| client.post(format!("{base}{path}")).header("x-api-key", key).send())
    });
    // A killed server does not respond: that is no failure.
    for response in join_all(requests).await.into_iter().flatten() {
        let status = response.status();
        let Ok(body) = response.json::<serde_json::Value>().await else {
            continue;
        };
        assert_eq!(status, 200, "{body}");
        answered.insert(body["data"]["assetId"].as_str().unwrap().to_owned());
    }
}

/// Changes everything that is printed, so that all statements must be generated again.
async fn change_every_note(superuser_pool: &PgPool, round: usize) {
    sqlx::query(
        "UPDATE payout.payouts SET metadata = jsonb_build_object('statementNote', $1::text)",
    )
    .bind(format!("Round {round}"))
    .execute(superuser_pool)
    .await
    .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_server_breaks_no_invariant() {
    let kills =
        std::env::var("PAYOUT_TEST_KILLS").map_or(QUICK_KILLS, |text| text.parse().unwrap());
    let server = TestServer::start().await;
    let superuser_pool = server.superuser().await;
    let mut answered = Answered::new();
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    for round in 0..kills {
        change_every_note(&superuser_pool, round).await;
        let victim = Victim::start(&server);
        let base_url = victim.base_url.clone();
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let life = Duration::from_micros(random % LONGEST_LIFE_MICROSECONDS);
        let killed = async {
            tokio::time::sleep(life).await;
            victim.kill();
        };
        tokio::join!(killed, generate_everywhere(&server, &base_url, &mut answered));
    }
    assert!(answered.len() >= kills, "the surviving server responds: {}", answered.len());
    the_invariants_hold(&server, &superuser_pool, &answered).await;
}

async fn the_invariants_hold(server: &TestServer, superuser_pool: &PgPool, answered: &Answered) {
    let broken = state_invariants::broken(superuser_pool, &state_invariants::INVARIANTS).await;
    assert!(broken.is_empty(), "{broken:#?}");
    let storage = server.storage().await;
    let assets: Vec<(String, String, i64, Vec<u8>)> =
        sqlx::query_as("SELECT organization_id, id, length, sha256 FROM payout.assets")
            .fetch_all(superuser_pool)
            .await
            .unwrap();
    let mut keys = BTreeMap::new();
    for (organization, id, length, sha256) in assets {
        let key = AssetKey::parse(&format!("{organization}/{id}.pdf")).unwrap();
        let length = u64::try_from(length).unwrap();
        let stored = storage.get(&key).await.unwrap();
        assert_eq!(stored.length_bytes, length, "{key}");
        let pieces: Vec<_> = stored.body.try_collect().await.unwrap();
        assert_eq!(Sha256::digest(pieces.concat())[..], sha256, "{key}");
        keys.insert(id, key);
    }
    let forgotten: Vec<&String> = answered.iter().filter(|id| !keys.contains_key(*id)).collect();
    assert!(forgotten.is_empty(), "acknowledged, but lost: {forgotten:?}");

    let organizations = [OrganizationId::parse(MAIN).unwrap()];
    let tenants = server.tenants().await;
    let sweep = Sweep {
        tenants: &tenants,
        storage: &storage,
        age: Duration::ZERO,
        now: Utc::now() + TimeDelta::seconds(1),
        remove: true,
        remove_many: false,
    };
    server.database.advance_clock(Duration::from_secs(1)).await.unwrap();
    let swept = sweep.run(&organizations).await.unwrap();
    println!(
        "{} answered, {} assets; the kills left {} intents, {} objects without one, {} unfinished \
         files",
        answered.len(),
        keys.len(),
        swept.intents.len(),
        swept.objects.len(),
        swept.unfinished
    );
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM payout.asset_intents")
        .fetch_one(superuser_pool)
        .await
        .unwrap();
    assert_eq!(left, 0, "{swept:?}");
    let objects: Vec<_> = storage.list().try_collect().await.unwrap();
    let objects: BTreeSet<AssetKey> = objects.into_iter().map(|object| object.key).collect();
    let kept: BTreeSet<AssetKey> = keys.into_values().collect();
    assert_eq!(objects, kept, "after a sweep, the store holds the assets and nothing else");
}
