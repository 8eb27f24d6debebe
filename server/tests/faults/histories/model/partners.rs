//! Partners (§4.3, X1).

use serde_json::{Value, json};

use super::{Model, Outcome, set};

impl Model {
    pub(super) fn create_partner(&mut self, body: &Value, id: &str) -> Outcome {
        let domain = |partner: &Value| partner["domain"].as_str().map(str::to_lowercase);
        let is_it = |it: &&Value| domain(it).is_some() && domain(it) == domain(body);
        if let Some(matched) = self.partners.values().find(is_it).map(|it| it["id"].clone()) {
            let matched = matched.as_str().expect("an id");
            return Ok((200, self.update_partner(matched, body)));
        }
        self.record("create_partner");
        let mut partner = json!({ "id": id, "domain": null });
        set(&mut partner, body);
        self.partners.insert(id.to_owned(), partner.clone());
        Ok((201, partner))
    }

    pub(super) fn update_partner(&mut self, id: &str, body: &Value) -> Value {
        let mut body = body.clone();
        let is_published = self.publish(id, &mut body);
        let partner = self.partners.get_mut(id).expect("a partner of the model");
        let (is_changed, partner) = (set(partner, &body), partner.clone());
        if is_changed || is_published {
            self.record("update_partner");
        }
        partner
    }
}
