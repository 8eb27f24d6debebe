//! `organizations`: generated organisations and their keys.

use std::os::unix::fs::PermissionsExt;

use crate::support::Deployment;

#[tokio::test]
async fn each_generated_organization_has_a_payout_and_a_key_in_the_file() {
    let deployment = Deployment::create().await;
    let path = deployment.folder.path().join("keys.env");
    let printed = deployment.run(&["organizations", "30", "--keys-file", path.to_str().unwrap()]);
    assert!(!printed.contains("pcp_test_"), "{printed}");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let keys = std::fs::read_to_string(&path).unwrap();
    let names: Vec<&str> = keys.lines().skip(1).filter_map(|line| line.split('=').next()).collect();
    assert_eq!(names.len(), 30);
    assert_eq!((names[0], names[29]), ("PAYOUT_KEY_BENCH_0_ALL", "PAYOUT_KEY_BENCH_29_ALL"));
    let rows = "SELECT concat_ws(' ', count(DISTINCT hash), count(DISTINCT o.id), min(o.name),
                                 count(meters), count(partners), count(payouts))
                  FROM payout.organizations AS o
                  JOIN payout.api_keys ON api_keys.organization_id = o.id
                  JOIN payout.meters ON meters.organization_id = o.id
                  JOIN payout.partners ON partners.organization_id = o.id
                  JOIN payout.payouts ON payouts.organization_id = o.id
                                     AND payouts.id = replace(o.id, 'org_', 'pay_')";
    assert_eq!(deployment.value(rows).await, "30 30 bench 0 30 30 30");
    let (_, last) = keys.trim_end().rsplit_once('=').unwrap();
    let owner =
        format!("SELECT organization_id FROM payout.api_keys WHERE hash = sha256('{last}')");
    assert_eq!(deployment.value(owner.leak()).await, "org_01BE0000000000000000000029");
}

#[tokio::test]
async fn organizations_are_generated_once() {
    let deployment = Deployment::create().await;
    let path = deployment.folder.path().join("keys.env");
    let arguments = ["organizations", "2", "--keys-file", path.to_str().unwrap()];
    deployment.run(&arguments);
    let error = deployment.reject(1, &arguments);
    assert!(error.contains("use another database"), "{error}");
    deployment.reject(2, &["organizations", "1000001", "--keys-file", "keys.env"]);
}
