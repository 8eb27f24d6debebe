//! `idempotency sweep`: removes exactly the responses that idempotency keys no longer repeat.

use serde_json::json;
use sqlx::Connection as _;

use crate::support::Deployment;

/// Ages in hours, and how many responses of an organisation have each. The first number is more
/// than one statement of the sweep removes.
const RESPONSES: [(i32, i32); 3] = [(25, 10_001), (24, 1), (23, 2)];

const INSERT: &str = "
    INSERT INTO payout.idempotent_requests
        (organization_id, operation, key, request_hash, status, body, created_at)
    SELECT $1, 'createPayout', $2 || '-' || number, sha256(''::bytea), 201, '{}',
           payout.service_now() - make_interval(hours => $2)
      FROM generate_series(1, $3) AS number";

#[tokio::test]
async fn sweep_removes_day_old_responses_of_all_organisations() {
    let deployment = Deployment::create().await;
    let superuser_url = deployment.database.superuser_url();
    let mut connection = sqlx::PgConnection::connect(&superuser_url).await.unwrap();
    let partners = ["ptn_01JV3N8Q5RHWXK2M4P6S7T9V0A", "ptn_01JV3N8Q5RHWXK2M4P6S7T9V0B"];
    for (name, partner) in ["one", "two"].into_iter().zip(partners) {
        let organization = deployment.import_organization(name, partner, json!([])).await;
        for (hours, count) in RESPONSES {
            let insert = sqlx::query(INSERT).bind(&organization).bind(hours).bind(count);
            insert.execute(&mut connection).await.unwrap();
        }
    }
    let swept = deployment.run(&["idempotency", "sweep"]);
    assert_eq!(swept, "20004 responses older than 24 hours removed\n");
    let kept = "SELECT string_agg(DISTINCT key, ' ' ORDER BY key) || ' ' || count(*)
                  FROM payout.idempotent_requests";
    assert_eq!(deployment.value(kept).await, "23-1 23-2 4");
    let again = deployment.run(&["idempotency", "sweep"]);
    assert_eq!(again, "0 responses older than 24 hours removed\n");
}
