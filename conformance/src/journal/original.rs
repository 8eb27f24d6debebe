//! Values as they were before a case changed them: enough to restore them, also in another run.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Where a partner shows what a PATCH may set, and the field of the PATCH. `portalAccess` is not
/// shown.
const PATCH_SHOWN: [(&str, &str); 6] = [
    ("/name", "name"),
    ("/domain", "domain"),
    ("/tierId", "tierId"),
    ("/phaseId", "phaseId"),
    ("/experienceTemplateId", "experienceTemplateId"),
    ("/owner/id", "partnerOwnerId"),
];

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Original {
    /// A partner as the API showed it.
    Partner {
        id: String,
        was: Value,
    },
    PoNumber {
        payout: String,
        was: Option<String>,
    },
    Note {
        payout: String,
        was: Option<String>,
    },
    /// A payout without an uploaded statement.
    Upload {
        payout: String,
    },
    /// The statement template, which the API does not show.
    Template,
    /// The organisation of the key `exhausted`, without credits.
    Credits,
}

impl Original {
    /// Returns its name, such as `partner ptn_1`; no two have the same.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Partner { id, .. } => format!("partner {id}"),
            Self::PoNumber { payout, .. } => format!("the PO number of {payout}"),
            Self::Note { payout, .. } => format!("the statement note of {payout}"),
            Self::Upload { payout } => format!("the uploaded statement of {payout}"),
            Self::Template => "the statement template".to_owned(),
            Self::Credits => "the credits of the organisation of the key exhausted".to_owned(),
        }
    }

    /// Returns its name and value, for a person who restores it.
    pub(crate) fn text(&self) -> String {
        let was = match self {
            Self::Partner { was, .. } => Value::Object(patch(was, |_| true)),
            Self::PoNumber { was, .. } | Self::Note { was, .. } => json!(was),
            Self::Upload { .. } => json!(null),
            Self::Credits => json!(0),
            Self::Template => return format!("{} was the owner's", self.name()),
        };
        format!("{} was {was}", self.name())
    }

    /// Returns it without what no request changes, such as people's names.
    pub(crate) fn for_journal(&self) -> Self {
        let Self::Partner { id, was: partner } = self else {
            return self.clone();
        };
        let names = ["name", "domain", "tierId", "phaseId", "experienceTemplateId"];
        let mut was: Map<String, Value> =
            names.map(|name| (name.to_owned(), partner[name].clone())).into_iter().collect();
        was.insert("owner".to_owned(), json!({ "id": partner["owner"]["id"] }));
        Self::Partner { id: id.clone(), was: Value::Object(was) }
    }
}

/// The PATCH that restores what a partner shows differently from before. What was null can be
/// cleared for the domain only; cases do not change the others.
pub(crate) fn difference(was: &Value, now: &Value) -> Map<String, Value> {
    let value = |partner: &Value, pointer| partner.pointer(pointer).cloned().unwrap_or_default();
    patch(was, |(pointer, field)| {
        let before = value(was, pointer);
        // The PATCH response may leave the template out (§2.1).
        let is_left_out = field == "experienceTemplateId" && now.get(field).is_none();
        before != value(now, pointer) && !is_left_out && (field == "domain" || !before.is_null())
    })
}

/// The PATCH of those of a partner's values that are chosen by pointer and field.
fn patch(
    partner: &Value,
    is_chosen: impl Fn((&'static str, &'static str)) -> bool,
) -> Map<String, Value> {
    let chosen = PATCH_SHOWN.into_iter().filter(|place| is_chosen(*place));
    let values = chosen.map(|(pointer, field)| {
        (field.to_owned(), partner.pointer(pointer).cloned().unwrap_or_default())
    });
    values.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partner() -> Value {
        json!({
            "id": "ptn_1", "name": "Nordwind", "domain": null, "tierId": "tier_1", "phaseId": null,
            "experienceTemplateId": null, "owner": { "id": "user_1", "email": "a@b.example" },
        })
    }

    #[test]
    fn journal_has_what_a_patch_restores_and_no_email() {
        let original = Original::Partner { id: "ptn_1".to_owned(), was: partner() };
        let text = serde_json::to_string(&original.for_journal()).unwrap();
        assert!(!text.contains('@'), "{text}");
        let kept: Original = serde_json::from_str(&text).unwrap();
        assert_eq!(kept.text(), original.text());
        assert!(kept.text().starts_with("partner ptn_1 was {\"name\":\"Nordwind\""));
        assert!(kept.text().contains("\"partnerOwnerId\":\"user_1\""), "{}", kept.text());
    }

    #[test]
    fn difference_restores_what_changed_and_can_be_restored() {
        let mut now = partner();
        now["domain"] = json!("a.example");
        now["owner"]["id"] = json!("user_2");
        now["phaseId"] = json!("phase_1");
        let expected = json!({ "domain": null, "partnerOwnerId": "user_1" });
        assert_eq!(Value::Object(difference(&partner(), &now)), expected);
        assert!(difference(&partner(), &partner()).is_empty());
    }
}
