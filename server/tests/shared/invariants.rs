//! Invariants of the database after any crash: `invariants.sql`.

use sqlx::PgPool;

const INVARIANTS: &str = include_str!("invariants.sql");

/// The violated invariants with their counts. `superuser_pool` must see every tenant's rows.
pub(crate) async fn broken(superuser_pool: &PgPool) -> Vec<String> {
    let mut broken = Vec::new();
    let invariants = INVARIANTS.split("\n\n-- ").skip(1);
    for (invariant, statement) in invariants.map(|text| text.split_once('\n').expect("a query")) {
        let count = sqlx::query_scalar::<_, i64>(statement).fetch_one(superuser_pool).await;
        let count = count.unwrap_or_else(|error| panic!("{invariant}: {error}"));
        if count != 0 {
            broken.push(format!("{invariant}: {count} violations"));
        }
    }
    assert!(INVARIANTS.matches(";\n").count() > 10, "they are read");
    broken
}
