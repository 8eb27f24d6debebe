//! An organisation moves to another cell under load: two databases with two servers each, behind
//! one haproxy with the configuration that operators get. Nothing that was answered is missing
//! afterwards, nothing is charged twice, and no client has changed anything.

use std::{
    net::Ipv4Addr,
    process::{Command, Output},
    sync::Arc,
};

use futures_util::TryStreamExt as _;
use payout_server::statements::storage::AssetKey;
use reqwest::{Method, Response};
use sha2::{Digest as _, Sha256};

use crate::{
    haproxy::{Haproxy, ProxiedCell, ProxiedServer},
    state_invariants,
    support::{
        Deployment, Load, Operation, Options, Plan, Record, Target,
        accounts::{self, Faults, Meter},
        dataset::BUSY,
        scale::{factor, report_max, report_sum},
        until,
    },
};

const CELLS: [&str; 2] = ["aa", "bb"];
/// Requests answered 200 before, between and after the steps of the move.
const REQUESTS: u64 = 300;

/// Two cells behind one proxy.
struct Cells {
    proxy: Haproxy,
    old: Deployment,
    new: Deployment,
}

impl Cells {
    async fn start(lines: u64) -> Self {
        let flags = &["--acquire-seconds", "30"];
        let [aa, bb] = CELLS.map(|cell| Some(cell.parse().unwrap()));
        let options = Options { flags, lines, cell: aa, ..Options::default() };
        let old = Deployment::start(options).await;
        let options = Options { flags, lines: 4, cell: bb, is_second: true, ..Options::default() };
        let new = Deployment::start(options).await;
        let cell = |name, number, deployment: &Deployment| {
            let servers = deployment.replicas().each_ref();
            let servers = servers.map(|replica| ProxiedServer {
                address: replica.address(),
                health: replica.health(),
            });
            ProxiedCell { name, host: Ipv4Addr::new(127, 0, 0, number), servers }
        };
        let cells = [cell(CELLS[0], 2, &old), cell(CELLS[1], 3, &new)];
        let port = Haproxy::free_port().unwrap();
        let proxy = Haproxy::start(old.folder(), port, &cells).unwrap();
        Self { proxy, old, new }
    }

    /// The old cell's organisations, through the proxy.
    fn target(&self) -> Arc<Target> {
        let addresses = [self.proxy.address(); 2];
        Arc::new(Target::new(self.old.target.organizations.clone(), addresses))
    }

    /// Runs a command at a cell; returns its output, which is a success.
    async fn run(&self, deployment: &Deployment, cell: &str, arguments: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_payout-server"));
        command.args(arguments).env("DATABASE_URL", deployment.app_url());
        command.env("DATABASE_OWNER_URL", deployment.owner_url());
        command.env("PAYOUT_DATA_DIR", deployment.folder()).env("PAYOUT_CELL", cell);
        let Output { status, stdout, stderr } =
            tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
        let errors = String::from_utf8_lossy(&stderr);
        assert!(status.success(), "{arguments:?}: {errors}");
        println!("{errors}");
        String::from_utf8(stdout).unwrap()
    }
}

async fn get(target: &Target, key: &str) -> Response {
    target.request(0, Method::GET, "/api/v1/partners?limit=1", key).send().await.unwrap()
}

fn of_busy(records: &[Record]) -> Vec<Record> {
    records.iter().filter(|record| record.organization == BUSY).cloned().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn organization_moves_under_load_and_nothing_that_was_answered_is_missing() {
    if !Haproxy::is_installed() {
        println!("SKIPPED: haproxy is not installed; apt-get install haproxy");
        return;
    }
    let cells = Cells::start(400 * factor()).await;
    let Cells { proxy, old, new } = &cells;
    let target = cells.target();
    let busy = target.organizations[BUSY].clone();
    let mixed = Plan::mixed();
    let plan = Plan::of(move |random, target| match random.u8(..30) {
        0 => (random.usize(..target.organizations.len()), Operation::Statement(random.usize(..4))),
        _ => (mixed.choose)(random, target),
    });
    let load = Load::start(&target, &plan);
    let journal = load.journal.clone();
    journal.pass(REQUESTS).await;

    let folder = old.folder().join("export");
    let export = folder.to_str().unwrap();
    cells.run(old, "aa", &["organizations", "export", &busy.id, "--to", export]).await;
    // The others go on, and the busy one is told to come again.
    journal.pass(REQUESTS).await;
    let stopped = get(&target, &busy.key).await;
    assert_eq!(stopped.status(), 503);
    assert!(!stopped.headers().contains_key("x-payout-organization"), "the proxy removes it");
    cells.run(new, "bb", &["organizations", "import", export]).await;
    let map = cells.run(new, "bb", &["organizations", "routes"]).await;
    assert_eq!(map.lines().count(), 2, "{map}");
    proxy.move_keys(&map).unwrap();
    cells.run(old, "aa", &["organizations", "close", export]).await;
    until("the other cell serves the organisation", async || {
        get(&target, &busy.key).await.status() == 200
    })
    .await;
    journal.pass(3 * REQUESTS).await;
    let records = load.stop().await;

    check_answers(&records);
    check_rows(&cells, &of_busy(&records)).await;
    check_documents(&cells, &of_busy(&records)).await;
    check_walls(&cells).await;
    assert!(proxy.log().contains("{stopped}"), "the proxy's log says why there was a 503");
}

/// Every request was answered; only the organisation that moved got a 503.
fn check_answers(records: &[Record]) {
    let objections = records.iter().filter_map(|it| it.operation.objection(it.response.as_ref()?));
    assert_eq!(objections.collect::<Vec<_>>(), [""; 0]);
    let unanswered = records.iter().filter(|record| record.response.is_none()).count();
    assert_eq!(unanswered, 0);
    let others = records.iter().filter(|record| record.organization != BUSY);
    let failed: Vec<_> = others.filter(|record| record.is_failed()).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let stopped: Vec<_> = records.iter().filter(|record| record.is_failed()).collect();
    report_sum("requests", records.len());
    report_sum("answered 503 while the organisation moved", stopped.len());
    assert!(!stopped.is_empty(), "no request met the move: this has shown nothing");
    let first = stopped.iter().map(|record| record.begun).min().unwrap();
    let last = stopped.iter().map(|record| record.ended).max().unwrap();
    report_max("milliseconds from the first 503 to the last", (last - first).as_millis());
}

/// The new cell has each answered change once and each charge once, and the old one has none that
/// the new one lacks.
async fn check_rows(cells: &Cells, records: &[Record]) {
    let Cells { old, new, .. } = cells;
    let organizations = &old.target.organizations;
    let mut broken =
        accounts::mutations(&new.superuser_pool, organizations, records, Faults::Nothing).await;
    let meter = Meter::read(&new.superuser_pool, &organizations[BUSY].id).await;
    let all: Vec<&Record> = records.iter().collect();
    // The verification through the proxy is a request too, before and after the move.
    let answered = all.iter().filter(|record| record.charge().is_some()).count();
    let charged = usize::try_from(meter.month_used).unwrap();
    if charged <= answered || charged > answered + VERIFYING {
        broken.push(format!("{charged} credits are charged, {answered} answered"));
    }
    broken.extend(accounts::places(&all, meter, Faults::Nothing));
    for deployment in [old, new] {
        broken.extend(state_invariants::broken(&deployment.superuser_pool).await);
    }
    const NUMBERS: &str = "SELECT request_id FROM payout.history
                            WHERE organization_id = $1 AND request_id IS NOT NULL";
    let mut written = Vec::new();
    for deployment in [old, new] {
        let numbers = sqlx::query_scalar(NUMBERS).bind(&organizations[BUSY].id);
        let numbers: Vec<String> = numbers.fetch_all(&deployment.superuser_pool).await.unwrap();
        written.push(numbers.into_iter().collect::<std::collections::BTreeSet<_>>());
    }
    let lost: Vec<_> = written[0].difference(&written[1]).collect();
    assert!(lost.is_empty(), "only the old cell has {lost:?}");
    assert!(written[1].len() > written[0].len(), "the new cell has changed nothing");
    assert!(broken.is_empty(), "{broken:#?}");
}

/// Requests of this file with the key of the organisation that moves, which succeed.
const VERIFYING: usize = 1;

/// Each acknowledged document is whole in the store of the new cell.
async fn check_documents(cells: &Cells, records: &[Record]) {
    let id = &cells.old.target.organizations[BUSY].id;
    let assets = "SELECT id, sha256 FROM payout.assets WHERE organization_id = $1";
    let assets = sqlx::query_as(assets).bind(id);
    let assets: Vec<(String, Vec<u8>)> = assets.fetch_all(&cells.new.superuser_pool).await.unwrap();
    let storage = cells.new.storage().await;
    for (asset, sha256) in &assets {
        let stored = storage.get(&AssetKey::parse(&format!("{id}/{asset}.pdf")).unwrap()).await;
        let pieces: Vec<_> = stored.unwrap().body.try_collect().await.unwrap();
        assert_eq!(Sha256::digest(pieces.concat())[..], **sha256, "{asset}");
    }
    let documents = records.iter().filter_map(|record| record.response.as_ref());
    let documents: Vec<_> =
        documents.filter_map(|response| response.body["data"]["assetId"].as_str()).collect();
    report_sum("documents", assets.len());
    assert!(!documents.is_empty(), "no document was made: this has shown nothing");
    for document in documents {
        assert!(assets.iter().any(|(asset, _)| asset == document), "{document} is missing");
    }
}

/// No cell knows a key of the other one; the old cell says where the organisation went, and the
/// proxy sends each key to its cell.
async fn check_walls(cells: &Cells) {
    let Cells { old, new, .. } = cells;
    let through_proxy = cells.target();
    let [moved, stayed] = [BUSY, BUSY + 1].map(|index| &old.target.organizations[index].key);
    let of_new = &new.target.organizations[BUSY].key;
    for (target, key, status) in [
        (&old.target, moved, 503),
        (&old.target, stayed, 200),
        (&old.target, of_new, 401),
        (&new.target, moved, 200),
        (&new.target, stayed, 401),
        (&new.target, of_new, 200),
        (&through_proxy, moved, 200),
        (&through_proxy, stayed, 200),
        (&through_proxy, of_new, 200),
    ] {
        let response = get(target, key).await;
        assert_eq!(response.status(), status, "{}…", &key[..11]);
        let state = response.headers().get("x-payout-organization");
        let state = state.map(|value| value.to_str().unwrap());
        assert_eq!(state, (status == 503).then_some("moved-to-bb"));
    }
}
