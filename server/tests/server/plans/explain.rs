//! The reads in the plan of the statement that a store prepared. An unknown kind of node fails.

use serde_json::Value;
use sqlx::{AssertSqlSafe, PgConnection, Row};

/// An argument that is absent.
pub(super) const NULL: &str = "NULL";

/// A node that reads: its type, index and condition.
#[derive(Debug)]
pub(super) struct Read {
    pub how: String,
    pub table: String,
    pub index: String,
    pub condition: String,
}

/// The plans of the statement that this transaction prepared last: generic and custom.
pub(super) async fn plans(connection: &mut PgConnection, arguments: &[&str]) -> Vec<Vec<Read>> {
    plans_with(connection, arguments, &[]).await
}

/// Like `plans`, for a statement of a batch, which takes arrays and returns rows in their order.
pub(super) async fn plans_of_batch(
    connection: &mut PgConnection,
    arguments: &[&str],
) -> Vec<Vec<Read>> {
    plans_with(connection, arguments, &["Function Scan", "Subquery Scan", "Sort"]).await
}

/// Like `plans`, for a statement that changes a set of rows, which it collects and sorts.
pub(super) async fn plans_of_change(
    connection: &mut PgConnection,
    arguments: &[&str],
) -> Vec<Vec<Read>> {
    let also_allowed = [
        "ModifyTable",
        "Aggregate",
        "Subquery Scan",
        "Sort",
        // Cheaper than the index's order where a chunk is all that there is.
        "Bitmap Heap Scan",
        "Bitmap Index Scan",
    ];
    plans_with(connection, arguments, &also_allowed).await
}

async fn plans_with(
    transaction: &mut PgConnection,
    arguments: &[&str],
    also_allowed: &[&str],
) -> Vec<Vec<Read>> {
    let prepared = "SELECT name, statement FROM pg_prepared_statements
                      WHERE statement NOT LIKE '%pg_prepared_statements%'
                     ORDER BY prepare_time DESC, length(name) DESC, name DESC LIMIT 1";
    let prepared = sqlx::query(prepared).fetch_one(&mut *transaction).await.unwrap();
    let (name, statement): (String, String) = (prepared.get(0), prepared.get(1));
    let names = ["organization_id = $1", "lookups.organization_id", "scope.organization_id"];
    assert!(names.iter().any(|name| statement.contains(name)), "{statement}");
    let mut plans = Vec::new();
    for mode in ["force_generic_plan", "force_custom_plan"] {
        let mode = format!("SET LOCAL plan_cache_mode = {mode}");
        sqlx::raw_sql(AssertSqlSafe(mode)).execute(&mut *transaction).await.unwrap();
        let literal = |argument: &&str| match *argument {
            NULL => NULL.to_owned(),
            text => format!("'{text}'"),
        };
        let arguments = arguments.iter().map(literal).collect::<Vec<_>>().join(", ");
        let explain = format!("EXPLAIN (FORMAT JSON) EXECUTE {name} ({arguments})");
        let plan: Value = sqlx::raw_sql(AssertSqlSafe(explain))
            .fetch_one(&mut *transaction)
            .await
            .unwrap()
            .get(0);
        let mut reads = Vec::new();
        // Nothing runs behind a condition that is known to be false, whatever the plan shows there.
        if !plan.to_string().contains(r#""One-Time Filter":"false""#) {
            collect(&plan[0]["Plan"], &mut reads, &plan, also_allowed);
        }
        plans.push(reads);
    }
    plans
}

fn collect(node: &Value, reads: &mut Vec<Read>, plan: &Value, also_allowed: &[&str]) {
    let text = |name: &str| node[name].as_str().unwrap_or_default().to_owned();
    let how = text("Node Type");
    let allowed = [
        "Index Scan",
        "Index Only Scan",
        "Limit",
        "Nested Loop",
        "Result",
        "Memoize",
        "Materialize",
        "LockRows",
        // The organisation that a statement sets for itself.
        "CTE Scan",
        // The list of a batch's organisations, in the policy `batch`: computed once, and only if it
        // is needed.
        "ProjectSet",
    ];
    let is_allowed = [&allowed[..], also_allowed].concat().contains(&how.as_str());
    assert!(is_allowed, "{how} in {plan:#}");
    if how.contains("Scan") && node.get("Relation Name").is_some() {
        reads.push(Read {
            how,
            table: text("Relation Name"),
            index: text("Index Name"),
            condition: text("Index Cond"),
        });
    }
    for child in node["Plans"].as_array().into_iter().flatten() {
        collect(child, reads, plan, also_allowed);
    }
}

/// Asserts that the one read of `table` uses `index`, and that its condition contains every part.
pub(super) fn expect_index(reads: &[Read], table: &str, index: &str, condition: &[&str]) {
    let of_table: Vec<&Read> = reads.iter().filter(|read| read.table == table).collect();
    let [read] = of_table.as_slice() else {
        panic!("{table} is not read once: {reads:#?}");
    };
    assert_eq!((read.how.as_str(), read.index.as_str()), ("Index Scan", index), "{read:#?}");
    for part in condition {
        assert!(read.condition.contains(part), "{part} is missing in {read:#?}");
    }
}
