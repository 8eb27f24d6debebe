//! Comments and their threads (X14).

use serde_json::{Value, json};

use super::{Model, Outcome, set, text};

impl Model {
    pub(super) fn create_comment(&mut self, body: &Value, id: &str) -> Outcome {
        let (partner, payout) = (&body["partnerId"], &body["payoutId"]);
        let is_partners = |payout: &str| self.payouts[payout]["partner"]["id"] == *partner;
        let named =
            body["threadId"].as_str().map(|joined| text(&self.comments[joined], "threadId"));
        let first = named.map(|first| &self.comments[first]);
        let joins = |first: &Value| {
            first["partnerId"] == *partner && (payout.is_null() || first["payoutId"] == *payout)
        };
        if !payout.as_str().is_none_or(is_partners) || !first.is_none_or(joins) {
            return Err("INVALID_REFERENCE");
        }
        let is_internal = |comment: &Value| comment["visibility"] == "INTERNAL";
        if first.is_some_and(is_internal) && !is_internal(body) {
            return Err("COMMENT_INTERNAL");
        }
        let mut comment = json!({ "id": id, "payoutId": null, "author": null, "source": "API" });
        set(&mut comment, body);
        comment["threadId"] = first.map_or(id, |first| text(first, "id")).into();
        if let Some(first) = first {
            comment["payoutId"] = first["payoutId"].clone();
        }
        self.record("create_comment");
        self.comments.insert(id.to_owned(), comment.clone());
        Ok((201, comment))
    }
}
