//! §5: every operation with each of the 64 sets of scopes that a key can have.

use payout_server::{
    gate::{ApiKey, Environment},
    keys::{NewKey, model::Lifetime, store},
};

use super::{
    database::{MAIN, organization, tenants},
    document::{DOCUMENT, is_documented},
    fixtures::{fixture, request},
};
use crate::support::TestServer;

#[tokio::test]
async fn only_a_key_with_the_scope_of_the_operation_passes() {
    let server = TestServer::start().await;
    let keys = keys_of_every_subset(&server).await;
    assert_eq!(keys.len(), 64);
    for operation in DOCUMENT.operations() {
        let required = operation.scope.as_deref().expect("every operation names its scope");
        let fixture = fixture(operation);
        let mut passed = 0;
        for (scopes, key) in &keys {
            let request = request(&server, operation, fixture.path).header("x-api-key", key);
            let response = request.send().await;
            let is_allowed = scopes.iter().any(|scope| scope == required);
            let expected = if is_allowed { fixture.admitted } else { 403 };
            assert_eq!(
                response.status, expected,
                "{} with {scopes:?}: {}",
                operation.id, response.text
            );
            is_documented(&response, &operation.id).unwrap();
            if is_allowed {
                passed += 1;
                assert!(response.number("x-service-credits-remaining-month").is_some());
            } else {
                assert_eq!(response.code(), "INSUFFICIENT_SCOPE");
                assert_eq!(response.body["error"]["details"]["requiredScope"], required);
            }
        }
        assert_eq!(passed, 32, "half of all subsets hold the scope of {}", operation.id);
    }
}

/// The document's scopes.
fn every_scope() -> Vec<String> {
    let scheme = DOCUMENT.resolve("/components/securitySchemes/ApiKey/x-scopes").unwrap();
    scheme.value.as_object().unwrap().keys().cloned().collect()
}

async fn keys_of_every_subset(server: &TestServer) -> Vec<(Vec<String>, String)> {
    let every = every_scope();
    let mut transaction = tenants(server).await.write(&organization(MAIN)).await.unwrap();
    let mut keys = Vec::new();
    for subset in 0_u32..1 << every.len() {
        let is_in = |index: usize| subset & (1 << index) != 0;
        let scopes = every.iter().enumerate().filter(|(index, _)| is_in(*index));
        let scopes: Vec<String> = scopes.map(|(_, scope)| scope.clone()).collect();
        let key = ApiKey::generate(Environment::Test);
        let new = NewKey { name: "matrix", scopes: &scopes, life: Lifetime::Days(1) };
        store::create_key(&mut transaction, new, &key).await.unwrap();
        keys.push((scopes, key.reveal().to_owned()));
    }
    transaction.commit().await.unwrap();
    keys
}
