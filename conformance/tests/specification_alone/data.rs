//! The data of the server: values that the specification allows and the decisions do not. What all
//! items of a kind have is in `data.json`; the ids of some are the fixtures of `target.toml`.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

static DATA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("data.json")).expect("it is JSON"));

/// Something of an organisation, as responses show it.
pub(crate) struct Item {
    pub(crate) organization: &'static str,
    pub(crate) value: Map<String, Value>,
}

impl Item {
    pub(crate) fn text(&self, name: &str) -> &str {
        self.value.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Ids have letters, and their case does not matter.
    pub(crate) fn has_id(&self, id: &str) -> bool {
        self.text("id").eq_ignore_ascii_case(id)
    }
}

/// Organisation and scopes of the key of a role; `None` where it is not valid.
pub(crate) fn holder(role: &str) -> Option<(&'static str, &'static str)> {
    let holder = &DATA["keys"][role];
    Some((holder[0].as_str()?, holder[1].as_str()?))
}

/// An item of a kind, with the values of its own.
fn item(organization: &'static str, kind: &str, own: Value) -> Item {
    let objects = [&DATA[kind], &own].map(|value| value.as_object().expect("an object").clone());
    Item { organization, value: objects.into_iter().flatten().collect() }
}

fn partner_id(number: u32) -> String {
    format!("9b1d{number:04}-aa00-4c00")
}

fn payout_id(name: &str) -> String {
    format!("batch.{name}")
}

pub(crate) fn partners() -> Vec<Item> {
    let main = (1..=30).map(|number| ("main", number));
    let others = [("other", 901), ("other", 902), ("bare", 951)];
    main.chain(others).map(|(organization, number)| partner(organization, number)).collect()
}

/// Partners with every field, with null in each of them, and with hardly any.
fn partner(organization: &'static str, number: u32) -> Item {
    let external_id =
        if number == 5 { "crm/5 %".to_owned() } else { format!("crm-{}", number % 900) };
    let time = format!("2026-01-02T03:04:05.{:03}+00:00", number % 1000);
    let mut partner = item(
        organization,
        "partner",
        json!({
            "id": partner_id(number),
            "name": format!("Partner {number}"),
            "domain": format!("partner-{number}.example"),
            "externalCompanyId": format!("company-{number}"),
            "externalId": external_id,
            "owner": { "userId": number },
            "manager": { "login": ["m", number] },
            "createdAt": time,
            "updatedAt": time,
        }),
    );
    let fields = &mut partner.value;
    match number % 6 {
        3 => fields.retain(|name, _| name == "id"),
        4 => fields.iter_mut().filter(|(name, _)| *name != "id").for_each(|(name, value)| {
            *value = if name == "tierId" { json!("") } else { Value::Null };
        }),
        _ => {}
    }
    partner
}

pub(crate) fn payouts() -> Vec<Item> {
    let main = ["first", "many", "empty", "uploaded", "noted", "to-detach"];
    let main = main.map(|name| ("main", name, 1));
    let others = [("other", "foreign", 901), ("bare", "unbilled", 951)];
    // An amount is not the sum of its lines: a fee is taken off.
    let payout = |(organization, name, partner)| {
        let partner = json!({ "id": partner_id(partner), "name": "", "vat": "none" });
        let id = payout_id(name);
        let own = json!({ "id": id, "partner": partner, "poNumber": format!("PO {name} 7") });
        item(organization, "payout", own)
    };
    main.into_iter().chain(others).map(payout).collect()
}

pub(crate) fn lines() -> Vec<Item> {
    let attached =
        |organization, id: String, payout| line(organization, &id, "IN_PAYOUT", Some(payout));
    let many = (1..=30).map(|n| attached("main", format!("many-{n}"), "many"));
    let to_detach = (1..=14).map(|n| attached("main", format!("to-detach-{n}"), "to-detach"));
    let mut lines: Vec<Item> = many.chain(to_detach).collect();
    for (organization, payout, id) in [
        ("main", "first", "first-1"),
        ("main", "first", "first-2"),
        ("main", "noted", "noted-1"),
        ("other", "foreign", "foreign-1"),
        ("other", "foreign", "foreign-2"),
        ("bare", "unbilled", "unbilled-1"),
    ] {
        lines.push(attached(organization, id.to_owned(), payout));
    }
    lines.push(line("main", "voided-2", "VOIDED", Some("many")));
    for (status, name) in [("PENDING", "pending"), ("EXPECTED", "expected"), ("VOIDED", "voided")] {
        lines.extend((1..=4).map(|n| line("main", &format!("{name}-{n}0"), status, None)));
        lines.push(line("main", &format!("{name}-1"), status, None));
    }
    lines
}

fn line(organization: &'static str, id: &str, status: &str, payout: Option<&str>) -> Item {
    let partner = match organization {
        "main" if id.ends_with('0') => 2,
        "main" => 1,
        "other" => 901,
        _ => 951,
    };
    let (partner, payout) = (partner_id(partner), payout.map(payout_id));
    let own = json!({ "id": id, "partnerId": partner, "payoutId": payout, "status": status });
    item(organization, "line", own)
}
