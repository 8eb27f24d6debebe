//! One partner, one line, one payout and its statement are read by their keys alone, also where no
//! row exists.

use std::time::Duration;

use payout_server::{
    commission_lines::store::LinesById,
    partners::store::PartnersById,
    payouts::{self, store::PayoutsById},
    postgres::{Lookup, PointRead},
    statements::store::StatementsByPayout,
};

use super::{
    explain::{expect_index, plans, plans_of_batch},
    rows::{MAIN, PARTNER, PAYOUT, many_rows},
};

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
    let (server, tenants, main) = many_rows().await;
    let small_organizations = "
        INSERT INTO organizations (id, name)
        SELECT 'org_' || lpad(n::text, 26, '0'), 'small' FROM generate_series(1, 50000) AS n;
        INSERT INTO partners (organization_id, id, name, status)
        SELECT id, 'ptn_1', 'Only partner', 'active' FROM organizations WHERE name = 'small';
        ANALYZE partners";
    sqlx::raw_sql(small_organizations).execute(&server.superuser().await).await.unwrap();
    let mut reader = tenants.batch_reader(Duration::from_secs(5));
    let mut connection = reader.take().await.unwrap();
    let lookup = Lookup { organization: main, id: PAYOUT.to_owned() };
    let payouts = PayoutsById::read(&mut connection, &[&lookup]).await.unwrap();
    assert_eq!(payouts.len(), 1);
    let arguments = [MAIN, PAYOUT].map(|argument| format!("{{{argument}}}"));
    for reads in plans_of_batch(&mut connection, &arguments.each_ref().map(String::as_str)).await {
        expect_index(&reads, "partners", "partners_pkey", &["organization_id = ", "(id = "]);
    }
}

#[tokio::test]
async fn batches_are_read_by_keys() {
    let (_server, tenants, main) = many_rows().await;
    let mut reader = tenants.batch_reader(Duration::from_secs(5));
    let requested =
        |ids: &[&str; 3]| ids.map(|id| Lookup { organization: main.clone(), id: id.to_owned() });
    let arrays = |ids: &[&str]| {
        let organizations = vec![MAIN; ids.len()].join(",");
        [format!("{{{organizations}}}"), format!("{{{}}}", ids.join(","))]
    };

    let ids = [PARTNER, "crm-7", "nobody"];
    let mut connection = reader.take().await.unwrap();
    let partners = PartnersById::read(&mut connection, &requested(&ids).each_ref()).await.unwrap();
    assert_eq!(partners.len(), 2);
    let [organizations, references] = arrays(&ids);
    for reads in plans_of_batch(&mut connection, &[&organizations, &references]).await {
        for read in &reads {
            assert!(read.condition.contains("organization_id = "), "{read:#?}");
            assert!(read.condition.contains("id = "), "{read:#?}");
        }
    }
    reader.put_back(connection);

    let ids = [PAYOUT, "pay_many_00007", "nobody"];
    let mut connection = reader.take().await.unwrap();
    let payouts = PayoutsById::read(&mut connection, &requested(&ids).each_ref()).await.unwrap();
    assert_eq!(payouts.len(), 2);
    let [organizations, references] = arrays(&ids);
    for reads in plans_of_batch(&mut connection, &[&organizations, &references]).await {
        assert_eq!(reads.len(), 2, "{reads:#?}");
        for read in &reads {
            assert!(read.condition.contains("organization_id = "), "{read:#?}");
            assert!(read.condition.contains("(id = "), "{read:#?}");
        }
    }
    reader.put_back(connection);

    let lines = ["cln_many_000003", "cln_many_000004", "nobody"];
    let mut connection = reader.take().await.unwrap();
    let found = LinesById::read(&mut connection, &requested(&lines).each_ref()).await.unwrap();
    assert_eq!(found.len(), 2);
    let [line_organizations, line_ids] = arrays(&lines);
    for reads in plans_of_batch(&mut connection, &[&line_organizations, &line_ids]).await {
        let key = ["organization_id = ", "(id = "];
        expect_index(&reads, "commission_lines", "commission_lines_pkey", &key);
    }
    reader.put_back(connection);

    let mut connection = reader.take().await.unwrap();
    let states =
        StatementsByPayout::read(&mut connection, &requested(&ids).each_ref()).await.unwrap();
    assert_eq!(states.len(), 2);
    for reads in plans_of_batch(&mut connection, &[&organizations, &references]).await {
        let mut tables: Vec<&str> = reads.iter().map(|read| read.table.as_str()).collect();
        tables.sort_unstable();
        assert_eq!(tables, ["assets", "current_statements", "organizations", "payouts"]);
        for read in reads.iter().filter(|read| read.table != "organizations") {
            assert!(read.condition.contains("organization_id = "), "{read:#?}");
        }
    }
}
