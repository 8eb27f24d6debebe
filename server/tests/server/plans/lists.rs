//! The lists, at their first page and far into the list, with each set of filters. No plan sorts:
//! each index ends with the order of the list.

use openapi_runtime::Position;

use payout_server::{
    comments::model::CommentFilters,
    commission_lines::model::LineFilters,
    forms::model::SubmissionFilters,
    id::OrganizationId,
    page::List,
    partners::store::AllPartners,
    postgres::{LIST_SETTINGS, SingleStatement as _, TenantTransaction, Tenants},
};

use sqlx::AssertSqlSafe;

use super::{
    explain::{NULL, expect_index, plans},
    rows::{MAIN, PARTNER, PAYOUT, many_rows},
};

const KEYSET: &str = "(ROW(created_at, id) < ROW(";

/// The first page, and one far into the list.
fn positions() -> [Position; 2] {
    let deep = Position {
        created_at: "2025-01-04T12:00:00Z".parse().unwrap(),
        id: "cln_many_005040".to_owned(),
    };
    [Position::start(), deep]
}

async fn as_lists_are_read(tenants: &Tenants, main: &OrganizationId) -> TenantTransaction {
    let mut transaction = tenants.read(main).await.unwrap();
    for (name, value) in LIST_SETTINGS {
        let set = AssertSqlSafe(format!("SET LOCAL {name} = {value}"));
        sqlx::raw_sql(set).execute(&mut *transaction).await.unwrap();
    }
    transaction
}

#[tokio::test]
async fn every_set_of_filters_reads_the_index_made_for_it_from_the_cursor_on() {
    let (_server, tenants, main) = many_rows().await;
    for set in 0_u32..8 {
        let given = |bit: u32, value| (set & (1 << bit) != 0).then_some(value);
        let filters = LineFilters {
            partner_id: given(0, PARTNER),
            payout_id: given(1, PAYOUT),
            status: given(2, "IN_PAYOUT"),
        };
        let index = match (filters.partner_id, filters.payout_id, filters.status) {
            // All lines of a payout have its partner and one status: its index serves each set of
            // filters with it.
            (_, Some(_), _) => "commission_lines_by_payout",
            (Some(_), None, Some(_)) => "commission_lines_by_partner_and_status",
            (Some(_), None, None) => "commission_lines_by_partner",
            (None, None, Some(_)) => "commission_lines_by_status",
            (None, None, None) => "commission_lines_by_age",
        };
        for position in positions() {
            let mut transaction = as_lists_are_read(&tenants, &main).await;
            let list = List { organization: &main, filters, position: &position, limit: 26 };
            assert!(!list.run(&mut transaction).await.unwrap().is_empty(), "{filters:?}");
            let time = position.created_at.to_rfc3339();
            let mut arguments = vec![MAIN, &time, &position.id, "26"];
            arguments.extend(
                [filters.partner_id, filters.payout_id, filters.status].into_iter().flatten(),
            );
            for reads in plans(&mut transaction, &arguments).await {
                expect_index(&reads, "commission_lines", index, &["organization_id = ", KEYSET]);
                // With a partner and a payout, one look-up checks whether they belong together.
                let others = reads.iter().filter(|read| read.table != "commission_lines");
                let has_both = filters.partner_id.is_some() && filters.payout_id.is_some();
                assert!(others.clone().all(|read| read.table == "payouts"), "{reads:#?}");
                assert_eq!(others.count(), usize::from(has_both), "{reads:#?}");
            }
        }
    }
}

#[tokio::test]
async fn a_payout_filter_with_a_status_that_no_attached_line_has_reads_nothing() {
    let (_server, tenants, main) = many_rows().await;
    for status in ["PENDING", "EXPECTED", "VOIDED"] {
        let filters =
            LineFilters { payout_id: Some(PAYOUT), status: Some(status), ..LineFilters::default() };
        let mut transaction = as_lists_are_read(&tenants, &main).await;
        let start = Position::start();
        let list = List { organization: &main, filters, position: &start, limit: 26 };
        assert!(list.run(&mut transaction).await.unwrap().is_empty());
        let time = start.created_at.to_rfc3339();
        // The generic plan has the index, behind a condition that is evaluated once; the custom
        // plan knows its result.
        let plans = plans(&mut transaction, &[MAIN, &time, "", "26", PAYOUT, status]).await;
        expect_index(
            &plans[0],
            "commission_lines",
            "commission_lines_by_payout",
            &["organization_id = ", KEYSET],
        );
        assert!(plans[1].is_empty(), "{plans:#?}");
    }
}

#[tokio::test]
async fn the_list_of_partners_reads_their_index_by_age_from_the_cursor_on() {
    let (_server, tenants, main) = many_rows().await;
    for position in positions() {
        let mut transaction = as_lists_are_read(&tenants, &main).await;
        let filters = AllPartners;
        let list = List { organization: &main, filters, position: &position, limit: 26 };
        assert!(!list.run(&mut transaction).await.unwrap().is_empty());
        let time = position.created_at.to_rfc3339();
        for reads in plans(&mut transaction, &[MAIN, &time, &position.id, "26"]).await {
            expect_index(&reads, "partners", "partners_by_age", &["organization_id = ", KEYSET]);
        }
    }
}

/// The index is that of the filter that selects the fewest; the others are compared row by row.
#[tokio::test]
async fn comments_are_read_by_the_index_of_their_narrowest_filter_from_the_cursor_on() {
    let (_server, tenants, main) = many_rows().await;
    let (partner, payout) = (Some(PARTNER), Some(PAYOUT));
    let (line, thread) = (Some("cln_many_000001"), Some("cmt_many_000001"));
    let visibility = Some("PARTNER");
    let none = CommentFilters::default();
    for (filters, index) in [
        (none, "comments_by_age"),
        (CommentFilters { visibility, ..none }, "comments_by_age"),
        (CommentFilters { partner_id: partner, ..none }, "comments_by_partner"),
        (CommentFilters { partner_id: partner, payout_id: payout, ..none }, "comments_by_payout"),
        (
            CommentFilters { partner_id: partner, commission_line_id: line, ..none },
            "comments_by_commission_line",
        ),
        (
            CommentFilters { thread_id: thread, payout_id: payout, visibility, ..none },
            "comments_by_thread",
        ),
    ] {
        for position in positions() {
            let mut transaction = as_lists_are_read(&tenants, &main).await;
            let list = List { organization: &main, filters, position: &position, limit: 26 };
            list.run(&mut transaction).await.unwrap();
            let time = position.created_at.to_rfc3339();
            let filters = [
                filters.partner_id,
                filters.payout_id,
                filters.commission_line_id,
                filters.thread_id,
                filters.visibility,
            ];
            let mut arguments = vec![MAIN, &*time, &*position.id, "26"];
            arguments.extend(filters.map(|filter| filter.unwrap_or(NULL)));
            for reads in plans(&mut transaction, &arguments).await {
                expect_index(&reads, "comments", index, &["organization_id = ", KEYSET]);
                // The author, by its key.
                expect_index(&reads, "users", "users_pkey", &["organization_id = ", "id = "]);
            }
        }
    }
}

#[tokio::test]
async fn submissions_are_read_by_the_index_of_one_filter_from_the_cursor_on() {
    let (_server, tenants, main) = many_rows().await;
    let (partner_id, form_id, status) = (Some(PARTNER), Some("frm_many_00002"), Some("PENDING"));
    let none = SubmissionFilters::default();
    for (filters, indexes) in [
        (none, "form_submissions_by_age"),
        (SubmissionFilters { status, ..none }, "form_submissions_by_status"),
        (SubmissionFilters { form_id, ..none }, "form_submissions_by_form"),
        // Which of two is narrower depends on the rows.
        (
            SubmissionFilters { form_id, status, ..none },
            "form_submissions_by_form form_submissions_by_status",
        ),
        (SubmissionFilters { partner_id, ..none }, "form_submissions_by_partner"),
    ] {
        for position in positions() {
            let mut transaction = as_lists_are_read(&tenants, &main).await;
            let list = List { organization: &main, filters, position: &position, limit: 26 };
            list.run(&mut transaction).await.unwrap();
            let time = position.created_at.to_rfc3339();
            let filters = [filters.partner_id, filters.form_id, filters.status];
            let mut arguments = vec![MAIN, &*time, &*position.id, "26"];
            arguments.extend(filters.map(|filter| filter.unwrap_or(NULL)));
            for reads in plans(&mut transaction, &arguments).await {
                let index = indexes.split(' ').find(|index| reads[0].index == *index);
                let index = index.unwrap_or(indexes);
                expect_index(&reads, "form_submissions", index, &["organization_id = ", KEYSET]);
            }
        }
    }
}

#[tokio::test]
async fn forms_are_read_by_age_and_each_version_by_its_key() {
    let (_server, tenants, main) = many_rows().await;
    for position in positions() {
        let mut transaction = as_lists_are_read(&tenants, &main).await;
        let list = List { organization: &main, filters: (), position: &position, limit: 26 };
        assert!(!list.run(&mut transaction).await.unwrap().is_empty());
        let time = position.created_at.to_rfc3339();
        for reads in plans(&mut transaction, &[MAIN, &time, &position.id, "26"]).await {
            expect_index(&reads, "forms", "forms_by_age", &["organization_id = ", KEYSET]);
            let key = ["organization_id = ", "form_id = ", "version = "];
            expect_index(&reads, "form_versions", "form_versions_pkey", &key);
        }
    }
}
