//! What is submitted with a form (X15), which requires a company and is reviewed.

use serde_json::{Value, json};

use super::{Model, Outcome, set};

impl Model {
    pub(super) fn create_submission(&mut self, body: &Value, id: &str) -> Outcome {
        let key = &body["externalKey"];
        let is_known = |submission: &&Value| submission["externalKey"] == *key && key.is_string();
        if let Some(known) = self.submissions.values().find(is_known) {
            return Ok((200, known.clone()));
        }
        if body["fields"]["company"].is_null() {
            return Err("FORM_REJECTED");
        }
        let mut submission =
            json!({ "id": id, "formVersion": 1, "externalKey": null, "status": "PENDING" });
        set(&mut submission, body);
        self.record("create_form_submission");
        self.submissions.insert(id.to_owned(), submission.clone());
        Ok((201, submission))
    }
}
