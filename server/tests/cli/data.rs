//! Data of a test's deployment, by `payout-devdata` in this process; and JSON output.

use serde_json::{Value, json};

use crate::support::Deployment;

impl Deployment {
    /// Runs a command of `payout-devdata` that must succeed.
    pub(crate) async fn devdata(&self, arguments: &[&str]) {
        let options = [
            "--database-url",
            self.database.app_url(),
            "--database-owner-url",
            self.database.owner_url(),
            "--data-dir",
            self.folder.path().to_str().expect("a plain path"),
        ];
        let arguments = [&["payout-devdata"], arguments, &options].concat();
        let done = payout_devdata::execute(arguments.iter().copied()).await;
        done.unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
    }

    /// Imports one organisation with a partner; returns its id.
    pub(crate) async fn import_organization(
        &self,
        name: &str,
        partner: &str,
        lines: Value,
    ) -> String {
        let file = json!({ "organizations": [{
            "name": name,
            "partners": [{ "ref": "p", "id": partner, "name": "Partner" }],
            "commissionLines": lines,
        }] });
        let path = self.file(&format!("{name}.json"), &file.to_string());
        self.devdata(&["import", &path]).await;
        let organizations = self.json(&["organizations", "list"]);
        let mut all = organizations.as_array().expect("a list").iter();
        let found = all.find(|organization| organization["name"] == name);
        let id = found.expect("imported")["id"].as_str();
        id.expect("an id").to_owned()
    }

    /// Runs a command that prints JSON.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let text = self.run(&[arguments, &["--json"]].concat());
        serde_json::from_str(&text).expect("JSON")
    }
}
