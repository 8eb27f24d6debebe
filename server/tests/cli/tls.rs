//! TLS to PostgreSQL, with a server of the test's own: what is encrypted, whom it trusts, and each
//! failure with its remedy.

use std::{
    fs,
    path::PathBuf,
    process::Output,
    sync::atomic::{AtomicU8, Ordering},
};

use payout_database::ClusterOptions;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, date_time_ymd,
};
use sqlx::AssertSqlSafe;
use tempfile::TempDir;

use crate::{
    postgres::OwnPostgres,
    serve::{ends_with_zero, get, start},
    support::{errors, program},
};

type Authority = CertifiedIssuer<'static, KeyPair>;

/// A PostgreSQL on a loopback address of its own, where only encrypted connections are accepted.
struct EncryptedPostgres {
    own: OwnPostgres,
    address: String,
    authority: Authority,
    folder: TempDir,
}

fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A certificate for this name, and its key, as PEM.
fn issued(
    authority: &Authority,
    name: &str,
    change: impl FnOnce(&mut CertificateParams),
) -> (String, String) {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    change(&mut params);
    (params.signed_by(&key, authority).unwrap().pem(), key.serialize_pem())
}

/// The last number of the next test's address.
static NEXT_ADDRESS: AtomicU8 = AtomicU8::new(1);

/// A loopback address that no other test has: all of 127.0.0.0/8 is this machine.
fn own_loopback_address() -> String {
    let [_, _, high, low] = std::process::id().to_be_bytes();
    format!("127.{}.{low}.{}", high | 2, NEXT_ADDRESS.fetch_add(1, Ordering::Relaxed))
}

impl EncryptedPostgres {
    async fn start() -> Self {
        let (address, folder) = (own_loopback_address(), tempfile::tempdir().unwrap());
        let settings = vec![format!("listen_addresses={address}")];
        let options = |folder| ClusterOptions { settings, ..ClusterOptions::disposable(folder) };
        let own = OwnPostgres::start(options).await;
        let postgres = Self { own, address, authority: authority(), folder };
        let certificate = issued(&postgres.authority, &postgres.address, |_| {});
        postgres.accept("hostssl all all all trust", &certificate).await;
        postgres
    }

    /// Has the server accept these connections beside those of its socket, with this certificate.
    async fn accept(&self, rule: &str, (certificate, key): &(String, String)) {
        let mut connection = self.own.connect().await;
        let rules = format!("local all all trust\n{rule}");
        for (file, text) in [
            ("server.crt", certificate),
            ("server.key", key),
            ("root.crt", &self.authority.pem()),
            ("pg_hba.conf", &rules),
        ] {
            // Written by the server, so that the files are those of its account.
            let lines = text.lines().map(|line| format!("('{line}')")).collect::<Vec<_>>();
            let statement = format!(
                "COPY (SELECT * FROM (VALUES {}) AS lines (line)) TO PROGRAM \
                 'umask 077; cat > {file}'",
                lines.join(", ")
            );
            sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await.unwrap();
        }
        let loaded = "SELECT pg_conf_load_time()::text";
        let before: String = sqlx::query_scalar(loaded).fetch_one(&mut connection).await.unwrap();
        for statement in [
            "ALTER SYSTEM SET ssl_ca_file = 'root.crt'",
            "ALTER SYSTEM SET ssl = on",
            "SELECT pg_reload_conf()",
        ] {
            sqlx::raw_sql(statement).execute(&mut connection).await.unwrap();
        }
        // A session that begins after the reload has its time.
        loop {
            let mut later = self.own.connect().await;
            let now: String = sqlx::query_scalar(loaded).fetch_one(&mut later).await.unwrap();
            if now != before {
                break;
            }
        }
    }

    fn url(&self, role: &str, parameters: &str) -> String {
        format!("postgres://{role}@{}/payout?{parameters}", self.address)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// `sslrootcert` of this authority.
    fn trusting(&self, authority: &Authority) -> String {
        format!("sslrootcert={}", self.file("ca.pem", &authority.pem()).display())
    }

    /// Runs a command with these parameters of both addresses.
    fn run(&self, parameters: &str, arguments: &[&str]) -> Output {
        let mut command = program(self.folder.path());
        command.env("DATABASE_URL", self.url("payout_app", parameters));
        command.env("DATABASE_OWNER_URL", self.url("payout_owner", parameters));
        command.args(arguments).output().unwrap()
    }

    /// The message of `migrate` that fails.
    fn rejected(&self, parameters: &str) -> String {
        let output = self.run(parameters, &["migrate"]);
        assert_eq!(output.status.code(), Some(1), "{parameters}");
        errors(&output)
    }
}

#[tokio::test]
async fn every_session_of_server_and_commands_is_encrypted() {
    let postgres = EncryptedPostgres::start().await;
    let parameters = format!("sslmode=verify-full&{}", postgres.trusting(&postgres.authority));
    for command in [vec!["migrate"], vec!["organizations", "create", "--name", "Example"]] {
        let output = postgres.run(&parameters, &command);
        assert!(output.status.success(), "{command:?}: {}", errors(&output));
    }
    let mut command = program(postgres.folder.path());
    command.env("DATABASE_URL", postgres.url("payout_app", &parameters));
    command.args(["serve", "--listen", "127.0.0.1:0", "--health-listen", "127.0.0.1:0"]);
    let (mut server, api, health, output) = start(&mut command);
    drop((server.stderr.take(), output));
    // The gate looks the key up, so admission's connections are open as well.
    let key = "pcp_test_000000000000000000000000000000";
    assert_eq!(get(&health).await, 200);
    let client = reqwest::Client::new();
    let response = client.get(format!("{api}/partners")).header("x-api-key", key).send().await;
    assert_eq!(response.unwrap().status(), 401);
    let mut connection = postgres.own.connect().await;
    let sessions: Vec<Option<String>> = sqlx::query_scalar(
        "SELECT version FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
          WHERE application_name = 'payout-server'",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    assert!(sessions.len() >= 2, "readiness and admission: {sessions:?}");
    assert!(sessions.iter().all(|version| version.as_deref() == Some("TLSv1.3")), "{sessions:?}");
    ends_with_zero(server);
}

#[tokio::test]
async fn certificate_that_cannot_be_trusted_is_rejected_with_its_reason_and_remedy() {
    let postgres = EncryptedPostgres::start().await;
    let trusted = postgres.trusting(&postgres.authority);
    let full = format!("sslmode=verify-full&{trusted}");
    let (address, ours) = (postgres.address.as_str(), &postgres.authority);
    let accept =
        async |certificate| postgres.accept("hostssl all all all trust", &certificate).await;

    accept(issued(ours, "db.example", |_| {})).await;
    let error = postgres.rejected(&full);
    assert!(error.contains(&format!("is not for the name {address}")), "{error}");
    assert!(error.contains("Name the host in DATABASE_URL as the certificate does"), "{error}");
    let output = postgres.run(&format!("sslmode=verify-ca&{trusted}"), &["migrate"]);
    assert!(output.status.success(), "the authority alone: {}", errors(&output));

    accept(issued(ours, address, |params| params.not_after = date_time_ymd(2020, 1, 1))).await;
    let error = postgres.rejected(&full);
    assert!(error.contains("has expired") && error.contains("Renew"), "{error}");

    accept(issued(&authority(), address, |_| {})).await;
    for parameters in
        [full.as_str(), "sslmode=verify-full", &format!("sslmode=verify-ca&{trusted}")]
    {
        let error = postgres.rejected(parameters);
        assert!(error.contains("authority that is not trusted"), "{parameters}: {error}");
        assert!(error.contains("sslrootcert"), "{parameters}: {error}");
    }
    let output = postgres.run("sslmode=require", &["migrate"]);
    assert!(output.status.success(), "nothing is checked: {}", errors(&output));

    let empty = postgres.file("empty.pem", "");
    let error = postgres.rejected(&format!("sslmode=verify-full&sslrootcert={}", empty.display()));
    assert!(error.contains("authority that is not trusted"), "{error}");
}

#[tokio::test]
async fn server_and_client_that_disagree_about_tls_are_told_how_to_agree() {
    let postgres = EncryptedPostgres::start().await;
    let error = postgres.rejected("sslmode=disable");
    assert!(error.contains("no encryption"), "{error}");
    assert!(error.contains("Add sslmode=require to DATABASE_URL"), "{error}");
    // Off loopback, `require` is the default; on it, plain text.
    assert_eq!(postgres.rejected(""), error);

    let mut connection = postgres.own.connect().await;
    for statement in ["ALTER SYSTEM SET ssl = off", "SELECT pg_reload_conf()"] {
        sqlx::raw_sql(statement).execute(&mut connection).await.unwrap();
    }
    let offers_tls = async || {
        let mut connection = postgres.own.connect().await;
        let ssl: String = sqlx::query_scalar("SHOW ssl").fetch_one(&mut connection).await.unwrap();
        ssl == "on"
    };
    while offers_tls().await {}
    let error = postgres.rejected("sslmode=require");
    assert!(error.contains("offers no TLS") && error.contains("sslmode=disable"), "{error}");
}

#[tokio::test]
async fn client_certificate_takes_the_place_of_a_password() {
    let postgres = EncryptedPostgres::start().await;
    let ours = &postgres.authority;
    let certificate = issued(ours, &postgres.address, |_| {});
    postgres.accept("hostssl all payout_owner all cert", &certificate).await;
    let trusted = postgres.trusting(ours);
    let (certificate, key) = issued(ours, "payout_owner", |params| {
        params.distinguished_name.push(DnType::CommonName, "payout_owner");
        params.extended_key_usages.push(ExtendedKeyUsagePurpose::ClientAuth);
    });
    let certificate = postgres.file("client.crt", &certificate);
    let key = postgres.file("client.key", &key);
    let files = format!("{trusted}&sslcert={}&sslkey={}", certificate.display(), key.display());
    let output = postgres.run(&files, &["migrate", "--app-role", "payout_app"]);
    assert!(output.status.success(), "{}", errors(&output));

    let error = postgres.rejected(&trusted);
    assert!(error.contains("certificate") && error.contains("sslcert and sslkey"), "{error}");
    let (stranger, its_key) = issued(&authority(), "payout_owner", |params| {
        params.distinguished_name.push(DnType::CommonName, "payout_owner");
    });
    let (stranger, its_key) =
        (postgres.file("stranger.crt", &stranger), postgres.file("stranger.key", &its_key));
    let files = format!("{trusted}&sslcert={}&sslkey={}", stranger.display(), its_key.display());
    let error = postgres.rejected(&files);
    assert!(error.contains("rejected the client's certificate"), "{error}");
    let files = format!("{trusted}&sslcert={0}&sslkey={0}", certificate.display());
    let error = postgres.rejected(&files);
    assert!(error.contains("certificate files of DATABASE_URL cannot be used"), "{error}");
}
