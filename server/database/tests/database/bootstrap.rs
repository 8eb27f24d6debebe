//! Creating roles and database.

use payout_database::{BootstrapError, Role, Roles, TestDatabase, ensure_roles_and_database};
use sqlx::{Connection as _, PgConnection};

use crate::{as_superuser, run};

#[tokio::test]
async fn two_bootstraps_at_once_make_one_database_with_harmless_roles() {
    let database = TestDatabase::create().await;
    let name = format!("{}_bootstrap", database.name());
    let role = |suffix| Role {
        name: format!("{name}_{suffix}"),
        password: Some("a 'quoted' password".to_owned()),
    };
    let roles = Roles { owner: role("o"), app: role("a") };
    let mut superuser = as_superuser(&database).await;
    // Rights granted by hand are taken away.
    run(&mut superuser, format!("CREATE ROLE {} SUPERUSER BYPASSRLS", roles.app.name)).await;

    let url = database.superuser_url();
    let (first, second) = tokio::join!(
        ensure_roles_and_database(&url, &name, &roles),
        ensure_roles_and_database(&url, &name, &roles)
    );
    let urls = first.unwrap();
    assert_eq!(second.unwrap().app, urls.app);

    let mut app = PgConnection::connect(&urls.app).await.unwrap();
    payout_database::check_role(&mut app).await.unwrap();
    app.close().await.unwrap();
    let mut owner = PgConnection::connect(&urls.owner).await.unwrap();
    run(&mut owner, "CREATE TABLE payout.example (id int)").await;
    owner.close().await.unwrap();

    run(&mut superuser, format!("DROP DATABASE {name} WITH (FORCE)")).await;
    for role in [&roles.owner, &roles.app] {
        run(&mut superuser, format!("DROP ROLE {}", role.name)).await;
    }
}

#[tokio::test]
async fn names_that_need_quoting_are_rejected() {
    let rejected =
        ensure_roles_and_database("postgres://localhost/postgres", "a\"b", &Roles::default()).await;
    assert!(matches!(rejected, Err(BootstrapError::Name(name)) if name == "a\"b"));
}
