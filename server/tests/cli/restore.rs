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
const BEGIN: &str = include_str!("restore_scripts/begin.sh");
const LOSE: &str = include_str!("restore_scripts/lose.sh");
const END: &str = include_str!("restore_scripts/end.sh");
const TOOLS: [(&str, &str); 2] = [
    ("systemctl", include_str!("restore_scripts/systemctl")),
    ("as_postgres", include_str!("restore_scripts/as_postgres")),
];

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
    for (name, text) in TOOLS {
        fs::write(tools.join(name), text).unwrap();
        fs::set_permissions(tools.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
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
