//! `organizations export`, `import`, `close`, `resume` and `routes`: an organisation leaves one
//! database and is in another one, row by row and PDF by PDF.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use payout_database::owner_connect_options;
use payout_server::moves::{STATE, model::Manifest};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::support::{Deployment, errors};

/// A change of a file's bytes.
type Damage<'a> = &'a dyn Fn(&mut Vec<u8>);

const ORGANIZATION: &str = "org_01JV3N8Q5R0000000000000001";
const OTHER: &str = "org_01JV3N8Q5R0000000000000002";

/// Rows of the tables that the data set leaves empty, and texts that a format could damage.
const MORE_ROWS: &str = r"
    INSERT INTO payout.asset_intents (organization_id, id)
    VALUES ('{org}', 'ast_01JV3N8Q5R0000000000000ZZZ');
    INSERT INTO payout.idempotent_requests
           (organization_id, operation, key, request_hash, status, body)
    VALUES ('{org}', 'createPartner', E'tab\tline\nback\\slash', sha256(''), 201, '\x00ff5c0a09');
    INSERT INTO payout.portal_users (organization_id, partner_id, email)
    SELECT organization_id, id, 'Ann@Example.com' FROM payout.partners
     WHERE organization_id = '{org}' LIMIT 1;
    INSERT INTO payout.portal_sessions
           (organization_id, id, partner_id, email, link_hash, link_expires_at)
    SELECT organization_id, 'pse_01JV3N8Q5R0000000000000001', id, '\N', sha256(''), now()
      FROM payout.partners WHERE organization_id = '{org}' LIMIT 1;
    INSERT INTO payout.statement_templates (organization_id, title, logo)
    VALUES ('{org}', E'\\N \u00e4\u4e2d', '\xff00') ON CONFLICT DO NOTHING;
    INSERT INTO payout.crm_connections
           (organization_id, id, base_url, partner_type, company_type, partner_properties,
            company_properties, token_key, sealed_token)
    VALUES ('{org}', 'crm_01JV3N8Q5R0000000000000001', 'https://crm.example', 'p', 'c',
            ARRAY['a,b', '{}', ''], '{}', 'k1', decode(repeat('5c', 41), 'hex'))
        ON CONFLICT DO NOTHING;
    INSERT INTO payout.crm_queue (organization_id) VALUES ('{org}') ON CONFLICT DO NOTHING;
";

/// Two databases; the first one has the data set.
struct Move {
    old: Deployment,
    new: Deployment,
    folder: PathBuf,
}

impl Move {
    async fn prepare() -> Self {
        let (old, new) = (Deployment::create().await, Deployment::create().await);
        old.devdata(&["seed"]).await;
        old.execute(MORE_ROWS.replace("{org}", ORGANIZATION)).await;
        let folder = old.folder.path().join("export");
        Self { old, new, folder }
    }

    fn path(&self) -> &str {
        self.folder.to_str().unwrap()
    }

    fn export(&self) -> String {
        let to = self.path();
        self.old.run(&["organizations", "export", ORGANIZATION, "--to", to, "--drain-seconds", "0"])
    }

    fn manifest(&self) -> Manifest {
        serde_json::from_slice(&fs::read(self.folder.join("manifest.json")).unwrap()).unwrap()
    }

    /// Rejects the import; nothing of the organisation is there afterwards.
    async fn reject_import(&self) -> String {
        let error = self.new.reject(1, &["organizations", "import", self.path(), "--cell", "bb"]);
        let rows = rows(&self.new, ORGANIZATION).await;
        assert!(rows.values().all(Vec::is_empty), "{rows:?}");
        error
    }
}

async fn connect(deployment: &Deployment) -> PgConnection {
    let options = owner_connect_options(&deployment.database.superuser_url()).unwrap();
    PgConnection::connect_with(&options).await.unwrap()
}

/// All columns of all tables with rows of organisations, as the information schema lists them.
async fn columns(connection: &mut PgConnection) -> BTreeSet<(String, String, bool)> {
    let columns: Vec<(String, String, bool)> = sqlx::query_as(
        "SELECT table_name::text, column_name::text, is_generated = 'ALWAYS'
           FROM information_schema.columns AS c
          WHERE table_schema = 'payout'
            AND (table_name = 'organizations'
                 OR EXISTS (SELECT FROM information_schema.columns AS o
                             WHERE o.table_schema = 'payout' AND o.table_name = c.table_name
                               AND o.column_name = 'organization_id'))",
    )
    .fetch_all(connection)
    .await
    .unwrap();
    columns.into_iter().collect()
}

/// Every row of an organisation as text, without the columns of a cell.
async fn rows(deployment: &Deployment, organization: &str) -> BTreeMap<String, Vec<String>> {
    let mut connection = connect(deployment).await;
    let tables: BTreeSet<_> =
        columns(&mut connection).await.into_iter().map(|(table, ..)| table).collect();
    let mut all = BTreeMap::new();
    for table in tables {
        let owner = if table == "organizations" { "id" } else { "organization_id" };
        let state = STATE.iter().filter(|(of, _)| *of == table).map(|(_, column)| *column);
        let state: Vec<_> = state.collect();
        let rows = format!(
            "SELECT (to_jsonb(t) - $2::text[])::text FROM payout.{table} AS t
              WHERE {owner} = $1 ORDER BY 1"
        );
        let rows = sqlx::query_scalar(AssertSqlSafe(rows)).bind(organization).bind(state);
        all.insert(table, rows.fetch_all(&mut connection).await.unwrap());
    }
    all
}

fn pdfs(deployment: &Deployment) -> BTreeMap<String, Vec<u8>> {
    let folder = deployment.folder.path().join("assets").join(ORGANIZATION);
    let files = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let files = files.map(|file| (file.file_name().into_string().unwrap(), file.path()));
    files.map(|(name, path)| (name, fs::read(path).unwrap())).collect()
}

fn is_of_move(row: &str) -> bool {
    ["stop_organization", "import_organization", "close_organization", "resume_organization"]
        .iter()
        .any(|action| row.contains(action))
}

#[tokio::test]
async fn organization_is_in_the_other_database_with_every_row_and_pdf() {
    let it = Move::prepare().await;
    let mut before = rows(&it.old, ORGANIZATION).await;
    it.export();
    let imported = it.new.run(&["organizations", "import", it.path(), "--cell", "bb"]);
    let mut after = rows(&it.new, ORGANIZATION).await;
    let own = after.get_mut("history").unwrap();
    let [stop, import] = &own.extract_if(.., |row| is_of_move(row)).collect::<Vec<_>>()[..] else {
        panic!("the history has the move: {own:?}")
    };
    assert!(import.contains("import_organization") && stop.contains("stop_organization"));
    assert!(before.values().all(|rows| !rows.is_empty()), "each table has a row: {before:?}");
    for (table, rows) in &mut before {
        assert_eq!(Some(&*rows), after.get(table), "{table}");
    }
    assert!(imported.contains("; PDFs: 1, of "), "{imported}");
    assert!(!pdfs(&it.old).is_empty());
    assert_eq!(pdfs(&it.old), pdfs(&it.new));
    let others = rows(&it.new, OTHER).await;
    assert!(others.values().all(Vec::is_empty), "{others:?}");
}

/// A new table, or a new column, is part of the next export.
#[tokio::test]
async fn export_has_every_column_of_every_table_but_generated_ones_and_the_state_of_a_cell() {
    let it = Move::prepare().await;
    it.export();
    let manifest = it.manifest();
    let exported: BTreeSet<(String, String)> = manifest
        .tables
        .iter()
        .flat_map(|table| table.columns.iter().map(|column| (table.name.clone(), column.clone())))
        .collect();
    let all = columns(&mut connect(&it.old).await).await;
    let expected = all.iter().filter(|(_, _, is_generated)| !is_generated);
    let expected: BTreeSet<_> = expected
        .map(|(table, column, _)| (table.clone(), column.clone()))
        .filter(|(table, column)| !STATE.contains(&(table, column)))
        .collect();
    assert_eq!(exported, expected);
    assert!(
        STATE
            .iter()
            .all(|(table, column)| all.iter().any(|(of, name, _)| of == table && name == column))
    );
}

#[tokio::test]
async fn history_goes_on_after_the_imported_rows() {
    let it = Move::prepare().await;
    it.old.execute("SELECT setval('payout.history_sequence_seq', 5000000)").await;
    it.export();
    it.new.run(&["organizations", "import", it.path(), "--cell", "bb"]);
    let order = "SELECT (max(sequence) FILTER (WHERE action = 'import_organization')
                         > max(sequence) FILTER (WHERE action = 'stop_organization'))::text
                   FROM payout.history";
    assert_eq!(it.new.value(order).await, "true");
    it.new.run(&["organizations", "set-limits", ORGANIZATION, "--requests-per-minute", "77"]);
}

#[tokio::test]
async fn import_is_repeated_safely_and_the_old_copy_is_closed_for_good() {
    let it = Move::prepare().await;
    let close = ["organizations", "close", it.path()];
    it.export();
    let error = it.old.reject(1, &close);
    assert!(error.contains("has no receipt"), "{error}");
    let import = ["organizations", "import", it.path(), "--cell", "bb"];
    it.new.run(&import);
    fs::remove_file(it.folder.join("imported.json")).unwrap();
    assert!(it.new.run(&import).contains("was imported from this export before"));
    let error = it.new.reject(1, &close);
    assert!(error.contains("is open here"), "the wrong database: {error}");
    assert!(it.old.run(&close).contains("has moved to the cell bb"));
    assert!(it.old.run(&close).contains("has moved to the cell bb"), "it can be repeated");
    let error = it.old.reject(1, &["organizations", "resume", ORGANIZATION]);
    assert!(error.contains("stays closed"), "{error}");
    let again = it.old.folder.path().join("again");
    let again = again.to_str().unwrap();
    let error = it.old.reject(1, &["organizations", "export", ORGANIZATION, "--to", again]);
    assert!(error.contains("has moved to the cell bb: export it there"), "{error}");
    let error = it.old.reject(1, &import);
    assert!(error.contains("does not return"), "{error}");
    let shown = it.old.run(&["organizations", "show", ORGANIZATION]);
    assert!(shown.contains("moved             to the cell bb"), "{shown}");
}

#[tokio::test]
async fn routes_are_the_keys_and_links_of_imported_organisations() {
    let it = Move::prepare().await;
    let routes = ["organizations", "routes", "--cell", "bb"];
    it.export();
    assert_eq!(it.new.run(&routes), "");
    it.new.run(&["organizations", "import", it.path(), "--cell", "bb"]);
    it.new.run(&["organizations", "create", "--name", "born here"]);
    let mut expected: Vec<String> = sqlx::query_scalar(
        "SELECT encode(hash, 'hex') || ' bb' FROM payout.api_keys WHERE organization_id = $1
          UNION ALL
         SELECT code || ' bb' FROM payout.affiliate_links WHERE organization_id = $1",
    )
    .bind(ORGANIZATION)
    .fetch_all(&mut connect(&it.old).await)
    .await
    .unwrap();
    expected.sort();
    let printed = it.new.run(&routes);
    let mut printed: Vec<_> = printed.lines().map(str::to_owned).collect();
    printed.sort();
    assert_eq!(printed, expected);
    assert!(printed.len() > 9, "{printed:?}");
}

#[tokio::test]
async fn stopped_organisation_changes_nothing_until_it_is_resumed() {
    let it = Move::prepare().await;
    it.export();
    let set = ["organizations", "set-limits", ORGANIZATION, "--requests-per-minute", "77"];
    let error = it.old.reject(1, &set);
    assert!(error.contains("the organisation is stopped"), "{error}");
    // The timers skip it.
    it.old.run(&["commission-lines", "mature"]);
    let shown = it.old.run(&["organizations", "show", ORGANIZATION]);
    assert!(shown.contains("stopped           since "), "{shown}");
    it.old.run(&["organizations", "resume", ORGANIZATION]);
    it.old.run(&set);
    let error = it.old.reject(1, &["organizations", "close", it.path()]);
    assert!(error.contains("has no receipt"), "{error}");
}

#[tokio::test]
async fn damaged_files_are_rejected_and_nothing_is_imported() {
    let it = Move::prepare().await;
    it.export();
    let damage = |path: &Path, by: Damage<'_>| {
        let whole = fs::read(path).unwrap();
        let mut damaged = whole.clone();
        by(&mut damaged);
        assert_ne!(whole, damaged);
        fs::write(path, damaged).unwrap();
        whole
    };
    let pdf = fs::read_dir(it.folder.join("pdfs")).unwrap().map(Result::unwrap);
    let pdf = pdf.map(|file| file.path()).find(|path| path.extension() == Some("pdf".as_ref()));
    let flip = |bytes: &mut Vec<u8>| *bytes.last_mut().unwrap() ^= 1;
    let shorten = |bytes: &mut Vec<u8>| bytes.truncate(bytes.len() / 2);
    let version = |bytes: &mut Vec<u8>| {
        let text = String::from_utf8(bytes.clone()).unwrap();
        let own = format!("\"schemaVersion\": {}", payout_database::schema_version());
        *bytes = text.replace(&own, "\"schemaVersion\": 17").into_bytes();
    };
    let cases: [(PathBuf, Damage<'_>, &str); 5] = [
        (it.folder.join("rows/partners.copy"), &flip, "partners.copy is damaged"),
        (it.folder.join("rows/history.copy"), &shorten, "history.copy is damaged"),
        (pdf.unwrap(), &flip, "its SHA-256 is not the one in"),
        (it.folder.join("pdfs/SHA256SUMS"), &shorten, "SHA256SUMS"),
        (it.folder.join("manifest.json"), &version, "has the schema version 17, and this server"),
    ];
    for (path, by, expected) in cases {
        let whole = damage(&path, by);
        let error = it.reject_import().await;
        assert!(error.contains(expected), "{}: {error}", path.display());
        fs::write(path, whole).unwrap();
    }
    it.new.run(&["organizations", "import", it.path(), "--cell", "bb"]);
}

#[tokio::test]
async fn row_that_the_database_changes_is_found_and_nothing_is_imported() {
    let it = Move::prepare().await;
    it.export();
    it.new
        .execute(
            "CREATE FUNCTION payout.shout() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN NEW.name := upper(NEW.name); RETURN NEW; END $$;
             CREATE TRIGGER shout BEFORE INSERT ON payout.tiers
                FOR EACH ROW EXECUTE FUNCTION payout.shout()",
        )
        .await;
    let error = it.reject_import().await;
    assert!(error.contains("row 1 of tiers differs from the exported one"), "{error}");
}

#[tokio::test]
async fn export_that_failed_is_repeated_in_its_folder() {
    let it = Move::prepare().await;
    let stored = it.old.folder.path().join("assets").join(ORGANIZATION);
    let pdf = fs::read_dir(stored).unwrap().map(Result::unwrap).next().unwrap().path();
    let whole = fs::read(&pdf).unwrap();
    fs::write(&pdf, b"%PDF-other").unwrap();
    let export = ["organizations", "export", ORGANIZATION, "--to", it.path()];
    let error = it.old.reject(1, &export);
    assert!(error.contains("`payout-server assets verify --repair`"), "{error}");
    let shown = it.old.run(&["organizations", "show", ORGANIZATION]);
    assert!(!shown.contains("stopped"), "nothing was stopped yet: {shown}");
    let error = it.new.reject(1, &["organizations", "import", it.path(), "--cell", "bb"]);
    assert!(error.contains("it is no export, or one that did not end"), "{error}");
    fs::write(&pdf, whole).unwrap();
    it.export();
    let output = it.old.command(&export).output().unwrap();
    assert!(errors(&output).contains("has a complete export already"), "{}", errors(&output));
    it.new.run(&["organizations", "import", it.path(), "--cell", "bb"]);
}
