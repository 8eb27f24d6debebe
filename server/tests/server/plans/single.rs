//! One partner, one line, one payout and its statement are read by their keys alone, also where no
//! row exists.

use std::time::Duration;

use payout_server::{
    commission_lines::store::LinesById,
    partners::store::PartnersById,
    payouts::{self, store::PayoutsById},
    postgres::{Lookup, PointRead, Tenants},
    statements::store::StatementsByPayout,
};

use super::{
    explain::{Read, expect_index, plans, plans_of_batch},
    rows::{MAIN, PARTNER, PAYOUT, many_rows},
};
use crate::support::organization;

#[tokio::test]
async fn a_payout_and_its_partner_are_read_by_their_keys() {
    let (_server, tenants, main) = many_rows().await;
    let mut transaction = tenants.read(&main).await.unwrap();
    let payout = payouts::store::get_payout(&mut transaction, PAYOUT).await.unwrap();
    assert!(payout.is_some());
    for reads in plans(&mut transaction, &[MAIN, PAYOUT]).await {
        assert_eq!(reads.len(), 2, "{reads:#?}");
        // Both unique keys of payouts begin with the primary key's columns, and cost the same.
        let keys = ["payouts_pkey", "payouts_partner_currency_key", "partners_pkey"];
        for read in &reads {
            assert!(keys.contains(&read.index.as_str()), "{read:#?}");
            assert!(
                read.condition.contains("organization_id = ") && read.condition.contains("(id = "),
                "{read:#?}"
            );
        }
    }
}

#[tokio::test]
async fn partner_of_a_payout_is_read_by_its_key_where_most_organizations_have_one_partner() {
    let (server, tenants, _) = many_rows().await;
    server
        .execute(
            "INSERT INTO organizations (id, name)
             SELECT 'org_' || lpad(n::text, 26, '0'), 'small' FROM generate_series(1, 50000) AS n;
             INSERT INTO partners (organization_id, id, name, status)
             SELECT id, 'ptn_1', 'Only partner', 'active' FROM organizations WHERE name = 'small';
             ANALYZE partners",
        )
        .await;
    let payouts = [PAYOUT, "pay_many_00007", "nobody"];
    for reads in read_in_batch::<PayoutsById>(&tenants, payouts).await {
        expect_index(&reads, "partners", "partners_pkey", &["organization_id = ", "(id = "]);
    }
}

/// Reads these ids as a batch, of which one does not exist; returns what both plans read.
async fn read_in_batch<R: PointRead>(tenants: &Tenants, ids: [&str; 3]) -> Vec<Vec<Read>> {
    let mut connection = tenants.batch_connection(Duration::from_secs(5)).get().await.unwrap();
    let main = organization(MAIN);
    let lookups = ids.map(|id| Lookup { organization: main.clone(), id: id.to_owned() });
    assert_eq!(R::read(&mut connection, &lookups.each_ref()).await.unwrap().len(), 2);
    let organizations = format!("{{{MAIN},{MAIN},{MAIN}}}");
    plans_of_batch(&mut connection, &[&organizations, &format!("{{{}}}", ids.join(","))]).await
}

#[tokio::test]
async fn batches_are_read_by_keys() {
    let (_server, tenants, _) = many_rows().await;
    let assert_keyed = |read: &Read, id: &str| {
        let is_keyed = read.condition.contains("organization_id = ") && read.condition.contains(id);
        assert!(is_keyed, "{read:#?}");
    };
    for reads in read_in_batch::<PartnersById>(&tenants, [PARTNER, "crm-7", "nobody"]).await {
        reads.iter().for_each(|read| assert_keyed(read, "id = "));
    }
    let payouts = [PAYOUT, "pay_many_00007", "nobody"];
    for reads in read_in_batch::<PayoutsById>(&tenants, payouts).await {
        assert_eq!(reads.len(), 2, "{reads:#?}");
        reads.iter().for_each(|read| assert_keyed(read, "(id = "));
    }
    let lines = ["cln_many_000003", "cln_many_000004", "nobody"];
    for reads in read_in_batch::<LinesById>(&tenants, lines).await {
        let key = ["organization_id = ", "(id = "];
        expect_index(&reads, "commission_lines", "commission_lines_pkey", &key);
    }
    for reads in read_in_batch::<StatementsByPayout>(&tenants, payouts).await {
        let mut tables: Vec<&str> = reads.iter().map(|read| read.table.as_str()).collect();
        tables.sort_unstable();
        assert_eq!(tables, ["assets", "current_statements", "organizations", "payouts"]);
        let others = reads.iter().filter(|read| read.table != "organizations");
        others.for_each(|read| assert_keyed(read, ""));
    }
}
