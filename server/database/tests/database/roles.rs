//! The check that a server does not run as a privileged role.

use payout_database::{TestDatabase, check_role};

use crate::{as_owner, as_superuser, run};

#[tokio::test]
async fn superuser_behind_set_role_is_rejected() {
    let database = TestDatabase::create().await;
    let mut connection = as_superuser(&database).await;
    run(&mut connection, "SET ROLE payout_test_app").await;
    let error = check_role(&mut connection).await.unwrap_err();
    assert!(error.to_string().contains("which has SUPERUSER"), "{error}");
}

#[tokio::test]
async fn owner_of_the_tables_is_rejected_with_the_command() {
    let database = TestDatabase::create().await;
    let error = check_role(&mut as_owner(&database).await).await.unwrap_err();
    assert!(
        error.to_string().contains("keep payout_test_owner for `payout-server migrate`"),
        "{error}"
    );
}

#[tokio::test]
async fn every_privileged_attribute_is_rejected_also_through_membership() {
    let database = TestDatabase::create().await;
    let mut connection = as_superuser(&database).await;
    let name = database.name();
    for attribute in ["SUPERUSER", "BYPASSRLS", "CREATEROLE", "CREATEDB"] {
        let (holder, member) = (format!("{name}_holder"), format!("{name}_member"));
        run(&mut connection, format!("CREATE ROLE {holder} {attribute}; CREATE ROLE {member}"))
            .await;
        run(&mut connection, format!("GRANT {holder} TO {member}")).await;
        for (role, remedy) in [
            (&holder, format!("ALTER ROLE {holder} NO{attribute}")),
            (&member, format!("REVOKE {holder} FROM {member}")),
        ] {
            run(&mut connection, format!("SET SESSION AUTHORIZATION {role}")).await;
            let checked = check_role(&mut connection).await;
            run(&mut connection, "RESET SESSION AUTHORIZATION").await;
            let message = checked.unwrap_err().to_string();
            assert!(message.contains(attribute) && message.contains(&remedy), "{message}");
        }
        run(&mut connection, format!("DROP ROLE {member}; DROP ROLE {holder}")).await;
    }
}
