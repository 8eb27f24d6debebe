//! Uploaded statements of an import: they are stored outside of a transaction, and an import that
//! fails leaves none behind.

#![expect(
    clippy::unwrap_used,
    reason = "this file is tests from end to end; Clippy exempts only their bodies"
)]

use std::sync::{Arc, Mutex};

use serde_json::json;
use sqlx::Connection as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use crate::support::{Deployment, errors};

const EMPTY_LIST: &str =
    "<ListBucketResult><Name>bucket</Name><IsTruncated>false</IsTruncated></ListBucketResult>";

/// An object store that records requests, and the database's open transactions at each PUT.
struct Store {
    superuser_url: String,
    /// Which PUT is rejected, counted from 1.
    rejected_put: usize,
    requests: Mutex<Vec<(String, String)>>,
    idle_in_transaction: Mutex<Vec<i64>>,
}

impl Store {
    async fn serve(self: Arc<Self>, listener: TcpListener) {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(self.clone().answer(stream));
        }
    }

    /// Responds to one request, and closes the connection.
    async fn answer(self: Arc<Self>, mut stream: TcpStream) {
        let mut bytes = Vec::new();
        let head = loop {
            if stream.read_buf(&mut bytes).await.unwrap() == 0 {
                return;
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let head = head.to_lowercase();
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                    break text;
                }
            }
        };
        let mut words = head.split([' ', '?']);
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        let status = self.decide(method, path).await;
        let body = if method == "GET" { EMPTY_LIST } else { "" };
        let response = format!(
            "HTTP/1.1 {status}\r\netag: \"e\"\r\nconnection: close\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(response.as_bytes()).await.unwrap();
    }

    async fn decide(&self, method: &str, path: &str) -> &'static str {
        self.requests.lock().unwrap().push((method.to_owned(), path.to_owned()));
        if method != "PUT" {
            return "200 OK";
        }
        let mut connection = sqlx::PgConnection::connect(&self.superuser_url).await.unwrap();
        let idle = "SELECT count(*) FROM pg_stat_activity
                     WHERE datname = current_database() AND state = 'idle in transaction'";
        let idle = sqlx::query_scalar(idle).fetch_one(&mut connection).await.unwrap();
        self.idle_in_transaction.lock().unwrap().push(idle);
        if self.paths("PUT").len() == self.rejected_put {
            return "403 Forbidden";
        }
        "200 OK"
    }

    fn paths(&self, method: &str) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        let wanted = requests.iter().filter(|(made, _)| made == method);
        wanted.map(|(_, path)| path.clone()).collect()
    }
}

/// Imports an organisation with two uploaded statements, which succeeds unless a PUT is rejected;
/// returns what the store saw.
async fn import(deployment: &Deployment, rejected_put: usize) -> Arc<Store> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let store = Arc::new(Store {
        superuser_url: deployment.database.superuser_url(),
        rejected_put,
        requests: Mutex::default(),
        idle_in_transaction: Mutex::default(),
    });
    let served = tokio::spawn(store.clone().serve(listener));
    let payout = |name| {
        json!({
            "ref": name, "partner": "p", "periodStart": "2026-05-01T00:00:00.000Z",
            "periodEnd": "2026-05-31T00:00:00.000Z", "currency": "EUR", "stage": "PAID",
            "uploadedStatement": "JVBERi0xLjQ=",
        })
    };
    let file = json!({ "organizations": [{
        "name": "o",
        "partners": [{ "ref": "p", "name": "P" }],
        "payouts": [payout("a"), payout("b")],
    }] });
    let path = deployment.file("uploads.json", &file.to_string());
    let endpoint = format!("http://{address}");
    let mut command = deployment.command(&["import", &path, "--assets", "s3://bucket"]);
    command.args(["--s3-endpoint", &endpoint]);
    command.envs([("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")]);
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    served.abort();
    assert_eq!(output.status.success(), rejected_put == 0, "{}", errors(&output));
    store
}

#[tokio::test]
async fn objects_are_written_while_no_transaction_is_open() {
    let deployment = Deployment::create().await;
    let store = import(&deployment, 0).await;
    assert_eq!(*store.idle_in_transaction.lock().unwrap(), [0, 0]);
    let assets = "SELECT count(*) || ' ' || (SELECT count(*) FROM payout.asset_intents)
                    FROM payout.assets WHERE fingerprint IS NULL";
    assert_eq!(deployment.value(assets).await, "2 0");
    assert_eq!(store.paths("DELETE"), [""; 0]);
}

#[tokio::test]
async fn failed_import_removes_its_objects_and_leaves_no_rows() {
    let deployment = Deployment::create().await;
    let store = import(&deployment, 2).await;
    assert_eq!(store.paths("DELETE"), store.paths("PUT"));
    let organizations = "SELECT count(*)::text FROM payout.organizations";
    assert_eq!(deployment.value(organizations).await, "0");
    // A second attempt finds nothing in its way.
    import(&deployment, 0).await;
    assert_eq!(deployment.value(organizations).await, "1");
}
