//! The commands of the page's section "Restore", pasted into a shell: a PostgreSQL of its own is
//! restored to a point in time with `pg_basebackup` and its WAL archive.
//!
//! `systemctl` is a script of this test, which starts and stops PostgreSQL and the server.

use std::{
    fs,
    net::TcpListener,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Stdio},
};

use crate::{
    PROGRAM,
    support::{errors, program},
};

const PAGE: &str = include_str!("../../OPERATIONS.md");

/// Starts PostgreSQL with an archive, and a server with two keys and a statement.
const BEGIN: &str = r#"
trap 'systemctl stop payout-server; systemctl stop postgresql' EXIT
mkdir "$FOLDER/archive"
chmod 777 "$FOLDER" "$FOLDER/archive"
as_postgres initdb --no-sync --auth=trust --encoding=UTF8 --locale=C --username=postgres \
  --pgdata="$FOLDER/pgdata" > "$FOLDER/initdb.log"
cat >> "$FOLDER/pgdata/postgresql.conf" <<END
listen_addresses = ''
fsync = off
unix_socket_directories = '$FOLDER'
archive_mode = on
archive_command = 'cp "%p" "$FOLDER/archive/%f"'
END
systemctl start postgresql
psql --quiet --dbname postgres --command 'CREATE ROLE payout_owner LOGIN' \
  --command 'CREATE ROLE payout_app LOGIN' --command 'CREATE DATABASE payout OWNER payout_owner'
payout-server migrate
systemctl start payout-server

call() {
  curl --silent --show-error --fail-with-body --header "x-api-key: $key" \
    --header "content-type: application/json" "$@"
}
value() { grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }
status() { curl --silent --output /dev/null --write-out '%{http_code}' "$@"; }
status_of_ended() { status --header "x-api-key: $ended" "$API/partners"; }
organization=$(payout-server organizations create --name "Example Ltd")
payout-server organizations set-billing "$organization" --legal-name "Example Ltd" \
  --address-line-1 "1 Main Street" --postal-code "D02 X285" --city Dublin --country IE \
  --finance-email finance@example.com --company-number 123456
key=$(payout-server keys create --organization "$organization" --name kept --all-scopes)
created=$(payout-server keys create --organization "$organization" --name ended --all-scopes --json)
ended=$(printf '%s' "$created" | grep -o 'pcp_test_[A-Za-z0-9]*')
ended_id=$(printf '%s' "$created" | grep -o 'key_[A-Za-z0-9]*')
partner=$(call "$API/partners" --data '{"name": "Aurora", "domain": "aurora.example"}' | value id)
statement() {
  line='{"partnerId": "'$partner'", "amount": "15.00", "currency": "EUR",
    "description": "Order", "periodEnd": "2026-05-31T23:59:59.999Z"}'
  call "$API/commission-lines" --header "idempotency-key: $1" --data "$line" > "$FOLDER/line"
  period='{"periodStart": "2026-05-01T00:00:00.000Z", "periodEnd": "2026-05-31T23:59:59.999Z"}'
  batch=$(call "$API/payout-batches" --header "idempotency-key: $1" --data "$period" | value id)
  payout=$(call "$API/payouts?batchId=$batch" | value id)
  call --request POST "$API/payouts/$payout/statement" | value downloadUrl
}
before=$(statement before)
"#;

/// Makes what a restore loses: a statement, a revocation, and charges.
const LOSE: &str = r#"
after=$(statement after)
payout-server keys revoke "$ended_id"
echo "before the restore: $(status "$before") $(status "$after") $(status_of_ended)"
find "$PAYOUT_DATA_DIR/assets" -name '*.pdf' -exec touch -d '2 hours ago' {} +
"#;

const END: &str = r#"
echo "after the restore: $(status "$before") $(status "$after") $(status_of_ended)"
"#;

const SYSTEMCTL: &str = r#"#!/bin/sh -eu
ready() { curl --silent --fail --output /dev/null "$HEALTH/$1"; }
case "$*" in
  "start postgresql")
    as_postgres pg_ctl --pgdata="$FOLDER/pgdata" --log="$FOLDER/postgres.log" --silent start ;;
  "stop postgresql") as_postgres pg_ctl --pgdata="$FOLDER/pgdata" --silent --mode=fast stop ;;
  "start payout-server")
    payout-server serve > "$FOLDER/server.log" 2>&1 &
    echo $! > "$FOLDER/server.pid"
    until ready readyz; do kill -0 "$(cat "$FOLDER/server.pid")"; done ;;
  "stop payout-server"*)
    kill "$(cat "$FOLDER/server.pid")"
    while ready livez; do :; done ;;
  *.timer) echo "systemctl $*" ;;
  *) echo "unknown: systemctl $*" >&2; exit 1 ;;
esac
"#;

/// PostgreSQL refuses root.
const AS_POSTGRES: &str = r#"#!/bin/sh -eu
cd /
if [ "$(id -u)" != 0 ]; then exec "$@"; fi
exec setpriv --reuid postgres --regid postgres --init-groups "$@"
"#;

/// The `sh` blocks of the section, without the indentation of its list.
fn blocks() -> Vec<String> {
    let (_, section) = PAGE.split_once("\n## Restore\n").expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let blocks = section.split("```sh\n").skip(1);
    let text = blocks.map(|block| block.split("```").next().unwrap_or_default());
    text.map(|text| text.lines().map(|line| line.strip_prefix("   ").unwrap_or(line)))
        .map(|lines| lines.fold(String::new(), |text, line| text + line + "\n"))
        .collect()
}

fn script(folder: &Path, point: &str) -> String {
    let blocks = blocks();
    assert_eq!(blocks.len(), 9, "{blocks:#?}");
    let (backup, restore) = blocks.split_first().unwrap();
    let page = restore.concat();
    let own = |text: String| {
        text.replace("/var/lib/postgresql/15/main", folder.join("pgdata").to_str().unwrap())
            .replace("/backup/base", folder.join("base").to_str().unwrap())
            .replace("/backup/wal", folder.join("archive").to_str().unwrap())
            .replace("'2026-05-31 12:00:00+00'", point)
            .replace("organization=org_01JV3N8Q5RHWXK2M4P6S7T9V0A\n", "")
    };
    let (backup, page) = (own(backup.clone()), own(page));
    for replaced in ["pgdata", "base", "archive", point] {
        assert!(page.contains(replaced), "{page}");
    }
    // pg_basebackup ran as this user.
    let owner = r#"[ "$(id -u)" != 0 ] || chown -R postgres: "$BACKUP""#;
    let now = "POINT=$(psql --dbname payout --no-align --tuples-only --command 'SELECT now()')";
    format!("{BEGIN}{backup}{owner}\n{now}\n{LOSE}{page}{END}")
}

fn executable(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn the_page_restores_a_database_and_revives_no_key() {
    for tool in ["curl", "psql", "pg_basebackup"] {
        if Command::new(tool).arg("--version").stdout(Stdio::null()).status().is_err() {
            eprintln!("SKIPPED: {tool} is not installed");
            return;
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let tools = path.join("tools");
    fs::create_dir(&tools).unwrap();
    executable(&tools.join("systemctl"), SYSTEMCTL);
    executable(&tools.join("as_postgres"), AS_POSTGRES);
    let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let (api, health) = (free(), free());
    let socket = path.display();
    let postgres = payout_database::binaries::Binaries::find().unwrap();
    let postgres = postgres.directory;

    let mut shell = Command::new("sh");
    shell.args(["-eu", "-c", &script(path, "\"$POINT\"")]).current_dir(path).stdin(Stdio::null());
    for (name, _) in program(path).get_envs() {
        shell.env_remove(name);
    }
    let search = std::env::var("PATH").unwrap();
    let programs = Path::new(PROGRAM).parent().unwrap().display().to_string();
    let search = format!("{}:{}:{programs}:{search}", tools.display(), postgres.display());
    for (name, value) in [
        ("PATH", search),
        ("FOLDER", socket.to_string()),
        ("PGHOST", socket.to_string()),
        ("PGUSER", "postgres".to_owned()),
        ("PAYOUT_DATA_DIR", path.join("data").display().to_string()),
        ("DATABASE_URL", format!("postgres://payout_app@localhost/payout?host={socket}")),
        ("DATABASE_OWNER_URL", format!("postgres://payout_owner@localhost/payout?host={socket}")),
        ("PAYOUT_LISTEN", api.clone()),
        ("PAYOUT_HEALTH_LISTEN", health.clone()),
        ("API", format!("http://{api}/api/v1")),
        ("HEALTH", format!("http://{health}")),
    ] {
        shell.env(name, value);
    }
    let output = tokio::task::spawn_blocking(move || shell.output()).await.unwrap().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &errors(&output);
    println!("{printed}");
    assert!(output.status.success(), "{printed}");
    assert!(printed.contains("before the restore: 200 200 401"), "{printed}");
    assert!(printed.contains("after the restore: 200 404 401"), "{printed}");
    assert!(printed.contains("is revoked again\n"), "{printed}");
    assert!(printed.contains("1 PDFs verified, 0 damaged"), "{printed}");
    assert!(printed.contains("1 objects without a row"), "{printed}");
    assert!(printed.contains("120 of 10000 spent in this month"), "{printed}");
}
