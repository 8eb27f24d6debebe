//! The plans of a worker's statements, with a backlog of twenty thousand syncs: each reads a few
//! rows by an index.

use sqlx::{AssertSqlSafe, Row as _};

use super::start_with;
use crate::support::dataset::{MAIN, OTHER};

const STATEMENTS: [(&str, &str, &[&str]); 4] = [
    ("take", include_str!("../../../src/crm/take_sync.sql"), &["4", "60"]),
    ("requeue", include_str!("../../../src/crm/requeue.sql"), &["4", "1"]),
    (
        "partner",
        include_str!("../../../src/crm/replace_partner_properties.sql"),
        &["'member-1'", "'{}'", "'key_1'", "'request'"],
    ),
    (
        "company",
        include_str!("../../../src/crm/replace_company_properties.sql"),
        &["'company-7'", "'{}'", "'key_1'", "'request'"],
    ),
];

/// The statement, without the names that sqlx reads, and with these values.
fn with_values(statement: &str, values: &[&str]) -> String {
    let organization = format!("'{MAIN}'");
    let values = [&[organization.as_str()], values].concat();
    let names = regex::Regex::new(r#" AS "\w+[!?]""#).unwrap();
    let statement = names.replace_all(statement, "").into_owned();
    values.iter().enumerate().fold(statement, |statement, (index, value)| {
        statement.replace(&format!("${}", index + 1), value)
    })
}

#[tokio::test]
async fn backlog_does_not_slow_a_worker_down() {
    let (server, _) = start_with(|serve| serve.crm.crm_syncs = 0).await;
    server
        .execute(format!(
            "INSERT INTO crm_syncs (organization_id, id, object_type, object_id, status, actor,
                                    request_id, tries, in_flight, due_at)
             SELECT o, 'syn_' || n, 'PARTNER', 'object-' || n,
                    CASE WHEN n < 4 THEN 'RUNNING' ELSE 'QUEUED' END, 'key_1', 'request',
                    1, n < 4, service_now() + (n - 5) * interval '1 second'
               FROM unnest(ARRAY['{MAIN}', '{OTHER}']) AS o, generate_series(1, 20000) AS n;
             INSERT INTO crm_queue (organization_id, due_at, queued)
             SELECT o, service_now(), 20000 FROM unnest(ARRAY['{MAIN}', '{OTHER}']) AS o;
             INSERT INTO partners (organization_id, id, name, status, external_company_id)
             SELECT o, 'ptn_many_' || n, 'Partner', 'active', 'company-' || n % 5000
               FROM unnest(ARRAY['{MAIN}', '{OTHER}']) AS o, generate_series(1, 20000) AS n;
             ANALYZE"
        ))
        .await;
    let buffers = regex::Regex::new(r"Buffers: shared hit=(\d+)").unwrap();
    let tenants = server.tenants().await;
    for (name, statement, values) in STATEMENTS {
        let organization = crate::support::organization(MAIN);
        let mut transaction = tenants.write(&organization).await.unwrap();
        let explain = format!("EXPLAIN (ANALYZE, BUFFERS) {}", with_values(statement, values));
        let plan = sqlx::raw_sql(AssertSqlSafe(explain)).fetch_all(&mut *transaction).await;
        let plan: Vec<String> = plan.unwrap().iter().map(|row| row.get(0)).collect();
        let plan = plan.join("\n");
        assert!(!plan.contains("Seq Scan on crm_syncs"), "{name}\n{plan}");
        assert!(!plan.contains("Seq Scan on partners"), "{name}\n{plan}");
        // The statement's own number is the first.
        let read: u64 = buffers.captures(&plan).unwrap()[1].parse().unwrap();
        assert!(read < 500, "{name} reads {read} pages\n{plan}");
    }
}
