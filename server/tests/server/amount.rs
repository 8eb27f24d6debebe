//! Amounts are read from Postgres exactly, also those that no request stores.

use payout_server::postgres::Amount;
use rust_decimal::Decimal;

use crate::support::TestServer;

#[tokio::test]
async fn amounts_are_read_as_the_database_prints_them() {
    let server = TestServer::start().await;
    let rows: Vec<(Amount, String)> = sqlx::query_as(
        "SELECT amount, amount::text FROM (
            SELECT amount::numeric(20, 2) FROM unnest(ARRAY[
                0, 0.01, -0.01, 0.1, 0.99, 1, 99.99, 100, 9999.99, 10000, -10000.01, 10000000,
                100000000.01, 999999999999999999.99, -999999999999999999.99
            ]) AS amount
            UNION ALL
            SELECT amount::numeric(28, 2) FROM unnest(ARRAY[
                99999999999999999999999999.99, -10000000000000000000000000.01
            ]) AS amount
            UNION ALL
            SELECT ((random() - 0.5) * 10 ^ (number % 19))::numeric(20, 2)
              FROM generate_series(1, 10000) AS number
        ) AS amounts",
    )
    .fetch_all(&server.superuser)
    .await
    .unwrap();
    assert_eq!(rows.len(), 10_017);
    for (amount, printed) in rows {
        assert_eq!(Decimal::from(amount).to_string(), printed);
    }
}

#[tokio::test]
async fn number_that_is_no_amount_is_read_exactly_or_not_at_all() {
    let server = TestServer::start().await;
    for number in ["1.234", "0.00001", "-1234567890.125"] {
        let read = sqlx::query_scalar::<_, Amount>("SELECT $1::text::numeric").bind(number);
        let amount = read.fetch_one(&server.superuser).await.unwrap();
        assert_eq!(Decimal::from(amount).to_string(), number);
    }
    for number in ["NaN", "Infinity", "1e40"] {
        let read = sqlx::query_scalar::<_, Amount>("SELECT $1::text::numeric").bind(number);
        assert!(read.fetch_one(&server.superuser).await.is_err(), "{number}");
    }
}
