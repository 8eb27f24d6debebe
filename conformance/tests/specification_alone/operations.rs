//! What each operation does, once the request may pass: what the specification says, and otherwise
//! as little as possible like the decisions.

use chrono::{DateTime, SecondsFormat, TimeDelta, TimeZone as _, Utc};
use serde_json::{Map, Value, json};

use crate::{
    data::Item,
    server::{Call, Handled, State, limit},
};

const STATUSES: [&str; 4] = ["EXPECTED", "PENDING", "IN_PAYOUT", "VOIDED"];

impl State {
    pub(crate) fn handle(&mut self, call: &Call, organization: &'static str) -> Handled {
        let path: Vec<&str> = call.path.iter().map(String::as_str).collect();
        match (call.method.as_str(), &path[..]) {
            ("GET", ["partners"]) => self.list(call, organization, &self.partners, &[]),
            ("GET", ["commission-lines"]) => {
                let filters = ["partnerId", "payoutId", "status"];
                self.list(call, organization, &self.lines, &filters)
            }
            ("GET", ["partners", id]) => {
                let external = |item: &Item| !id.is_empty() && item.text("externalId") == *id;
                let at = find(&self.partners, organization, id, external)?;
                Ok(json!({ "data": self.partners[at].value, "took": 1 }))
            }
            ("PATCH", ["partners", id]) => self.patch(call, organization, id),
            ("POST", ["commission-lines", id, _]) => self.detach(organization, id),
            ("GET", ["payouts", id]) => {
                let at = find(&self.payouts, organization, id, |_| false)?;
                Ok(json!({ "data": self.shown_payout(at) }))
            }
            (_, [_, id, _]) => self.statement(organization, id),
            _ => Err((500, "not routed")),
        }
    }

    fn list(
        &self,
        call: &Call,
        organization: &str,
        items: &[Item],
        filters: &[&'static str],
    ) -> Handled {
        let filters: Vec<_> =
            filters.iter().filter_map(|name| Some((*name, call.query.get(*name)?))).collect();
        let of = |items: &[Item], id: &str| {
            items.iter().any(|item| item.organization == organization && item.has_id(id))
        };
        for (name, value) in &filters {
            let is_known = match *name {
                "status" => STATUSES.contains(&value.as_str()),
                "partnerId" => of(&self.partners, value),
                _ => of(&self.payouts, value),
            };
            if !is_known {
                return Err((404, "nothing has this id"));
            }
        }
        let fits = |item: &&Item| {
            let mut filters = filters.iter();
            item.organization == organization
                && filters.all(|(name, value)| item.text(name).eq_ignore_ascii_case(value))
        };
        let mut found: Vec<&Item> = items.iter().filter(fits).collect();
        found.sort_by(|one, other| one.text("id").cmp(other.text("id")));
        if !filters.is_empty() {
            found.reverse();
        }
        // A cursor belongs to its key, filters and limit; one of another form is the first page.
        let limit = limit(call)?;
        let names: Vec<String> = filters.iter().map(|(n, v)| format!("{n}={v}")).collect();
        let owner = format!("{:?} {limit} {names:?} {}", call.key, call.path[0]);
        let mark = owner.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31) + u32::from(byte));
        let cursor = call.query.get("cursor").and_then(|cursor| cursor.split_once('~'));
        let from = match cursor {
            None => 0,
            Some((at, of)) if of == mark.to_string() => at.parse().unwrap_or(0),
            Some(_) => return Err((409, "the cursor of another list")),
        };
        let page = found.iter().skip(from).take(limit);
        let page: Vec<Value> = page.map(|item| listed(item)).collect();
        let next = (from + limit < found.len()).then(|| format!("{}~{mark}", from + limit));
        let pagination = json!({ "nextCursor": next, "count": found.len() });
        Ok(json!({ "data": page, "pagination": pagination }))
    }

    fn now(&mut self) -> DateTime<Utc> {
        let next = self.changed + TimeDelta::milliseconds(1);
        self.changed = next.max(Utc::now());
        self.changed
    }

    fn patch(&mut self, call: &Call, organization: &str, id: &str) -> Handled {
        let at = find(&self.partners, organization, id, |_| false)?;
        let now = self.now().to_rfc3339_opts(SecondsFormat::Millis, false);
        let changes = patch_of(call)?;
        let domain = changes.get("domain").and_then(Value::as_str).map(str::to_lowercase);
        let mut others = self.partners.iter().enumerate().filter(|(other, _)| *other != at);
        if domain.is_some()
            && others.any(|(_, item)| Some(item.text("domain")) == domain.as_deref())
        {
            return Err((409, "another partner has this domain"));
        }
        let partner = &mut self.partners[at].value;
        for (name, value) in changes {
            match name.as_str() {
                "domain" => partner.insert(name, json!(domain)),
                "name" => {
                    let words: Vec<&str> =
                        value.as_str().unwrap_or_default().split_whitespace().collect();
                    partner.insert(name, json!(words.join(" ")))
                }
                "partnerOwnerId" => partner.insert("owner".to_owned(), json!({ "userId": value })),
                "portalAccess" => None,
                _ => partner.insert(name, value),
            };
        }
        // Every PATCH shows, also one without fields.
        partner.insert("status".to_owned(), json!(format!("EDITED {now}")));
        partner.insert("updatedAt".to_owned(), json!(now));
        let mut shown = partner.clone();
        shown.remove("experienceTemplateId");
        Ok(json!({ "data": shown }))
    }

    fn detach(&mut self, organization: &str, id: &str) -> Handled {
        let at = find(&self.lines, organization, id, |_| false)?;
        let now = self.now();
        let line = &mut self.lines[at];
        let Some(payout) = line.value["payoutId"].as_str().map(str::to_owned) else {
            return Err((422, "in no payout"));
        };
        line.value.insert("payoutId".to_owned(), Value::Null);
        line.value.insert("status".to_owned(), json!("PENDING"));
        line.value.insert("updatedAt".to_owned(), json!(now.to_rfc3339()));
        let mut shown = line.value.clone();
        shown.insert("idempotencyKey".to_owned(), Value::Null);
        let mut payouts = self.payouts.iter_mut();
        if let Some(payout) = payouts.find(|item| item.text("id") == payout) {
            payout.value.insert("stage".to_owned(), json!("REOPENED"));
        }
        Ok(json!({ "data": shown }))
    }

    /// A payout with the PO number that a hook gave it.
    fn shown_payout(&self, at: usize) -> Map<String, Value> {
        let mut shown = self.payouts[at].value.clone();
        let file = format!("po-{}", self.payouts[at].text("id"));
        if let Some(number) = self.files.hooked(&file) {
            let number = Some(number).filter(|text| !text.is_empty());
            shown.insert("poNumber".to_owned(), json!(number));
            let set_at = self.files.written_at(&file).to_rfc3339();
            shown.insert("updatedAt".to_owned(), json!(set_at));
        }
        shown
    }

    fn statement(&mut self, organization: &str, id: &str) -> Handled {
        let mut payouts = self.payouts.iter();
        let at = payouts.position(|item| item.organization == organization && item.has_id(id));
        let at = at.ok_or((404, "no such payout"))?;
        if organization == "bare" {
            return Err((422, "no billing information"));
        }
        let payout = self.payouts[at].text("id").to_owned();
        let lines = self.lines.iter().filter(|line| line.text("payoutId") == payout);
        let lines: Vec<&str> = lines.map(|line| line.text("id")).collect();
        let is_uploaded = self.files.hooked(&format!("upload-{payout}")).is_some();
        if lines.is_empty() && !is_uploaded {
            return Err((422, "no lines"));
        }
        let shown = self.shown_payout(at);
        let text = format!("{} {}", shown["poNumber"].as_str().unwrap_or("none"), lines.join(" "));
        let signed = self.files.sign(&payout, &text);
        let now = self.now();
        self.payouts[at].value.insert("updatedAt".to_owned(), json!(now.to_rfc3339()));
        let expires = Utc.timestamp_opt(signed.expires.cast_signed(), 0).unwrap();
        Ok(json!({ "data": {
            "assetId": signed.asset,
            "filename": format!("{}?.PDF", now.timestamp_millis()),
            "downloadUrl": format!("{}{}", self.base_url, signed.path),
            "expiresAt": expires.to_rfc3339_opts(SecondsFormat::Secs, true),
            "isUploaded": signed.is_uploaded,
        } }))
    }
}

/// A listed item; a partner without one of its maps.
fn listed(item: &Item) -> Value {
    let mut value = item.value.clone();
    value.remove("partnerObjectCrmProperties");
    Value::Object(value)
}

/// The place of an item; an unknown id and one of another organisation get different errors.
fn find(
    items: &[Item],
    organization: &str,
    id: &str,
    also: impl Fn(&Item) -> bool,
) -> Handled<usize> {
    let own = |item: &Item| item.organization == organization;
    let at = items.iter().position(|item| own(item) && (also(item) || item.has_id(id)));
    let is_foreign = items.iter().any(|item| !own(item) && item.has_id(id));
    at.ok_or(if is_foreign { (403, "another organisation's") } else { (410, "gone") })
}

/// The known fields of a PATCH, numbers as texts; null counts for the domain only.
pub(crate) fn patch_of(call: &Call) -> Handled<Map<String, Value>> {
    let mut changes = Map::new();
    if call.method != "PATCH" {
        return Ok(changes);
    }
    let body: Value = serde_json::from_slice(&call.body).map_err(|_| (400, "not JSON"))?;
    let Value::Object(body) = body else { return Err((400, "not an object")) };
    for (name, value) in body {
        let most = match name.as_str() {
            "name" => 200,
            "domain" => 255,
            "tierId" | "phaseId" | "experienceTemplateId" | "partnerOwnerId" | "portalAccess" => {
                999
            }
            _ => continue,
        };
        let text = match &value {
            Value::Null if name == "domain" => {
                changes.insert(name, value);
                continue;
            }
            Value::Null => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let is_mode = ["RESTRICTED_USERS", "RESTRICTED_DOMAINS"].contains(&text.as_str());
        // Lengths are those of UTF-16.
        let is_sound = (1..=most).contains(&text.encode_utf16().count());
        if !is_sound || (name == "portalAccess" && !is_mode) {
            return Err((400, "a bad value"));
        }
        changes.insert(name, json!(text));
    }
    Ok(changes)
}
