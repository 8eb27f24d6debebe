//! The data of the server: values that the specification allows and the decisions do not.

use serde_json::{Map, Value, json};

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

fn item(organization: &'static str, value: Value) -> Item {
    let Value::Object(value) = value else { unreachable!("every item is an object") };
    Item { organization, value }
}

const PARTNERS: u32 = 30;
const DETACHED: u32 = 14;

fn partner_id(number: u32) -> String {
    format!("9b1d{number:04}-aa00-4c00")
}

fn payout_id(name: &str) -> String {
    format!("batch.{name}")
}

/// The fixtures of the target file.
pub(crate) fn fixtures() -> String {
    let lines: Vec<String> =
        (1..=DETACHED).map(|number| format!("\"to-detach-{number}\"")).collect();
    let payout = payout_id;
    format!(
        "[fixtures]\npartner = \"{}\"\nexternal_id = \"crm-2\"\nforeign_partner = \"{}\"\n\
         tier = \"gold\"\nphase = \"second\"\nexperience_template = \"blue\"\n\
         payout = \"{}\"\npayout_of_many_lines = \"{}\"\npayout_without_lines = \"{}\"\n\
         payout_uploaded = \"{}\"\npayout_noted = \"{}\"\npayout_to_detach = \"{}\"\n\
         lines_to_detach = [{}]\nline_unattached = \"pending-1\"\nline_expected = \"expected-1\"\n\
         line_voided = \"voided-1\"\nforeign_payout = \"{}\"\nforeign_line = \"foreign-1\"\n\
         payout_no_billing = \"{}\"\n",
        partner_id(1),
        partner_id(901),
        payout("first"),
        payout("many"),
        payout("empty"),
        payout("uploaded"),
        payout("noted"),
        payout("to-detach"),
        lines.join(", "),
        payout("foreign"),
        payout("unbilled"),
    )
}

pub(crate) fn partners() -> Vec<Item> {
    let mut partners: Vec<Item> = (1..=PARTNERS).map(|number| partner("main", number)).collect();
    partners.push(partner("other", 901));
    partners.push(partner("other", 902));
    partners.push(partner("bare", 951));
    partners
}

/// Partners with every field, with null in each of them, and with hardly any.
fn partner(organization: &'static str, number: u32) -> Item {
    let external_id =
        if number == 5 { "crm/5 %".to_owned() } else { format!("crm-{}", number % 900) };
    let time = format!("2026-01-02T03:04:05.{:03}+00:00", number % 1000);
    let mut value = json!({
        "id": partner_id(number),
        "name": format!("Partner {number}"),
        "domain": format!("partner-{number}.example"),
        "externalCompanyId": format!("company-{number}"),
        "externalId": external_id,
        "externalIdType": "ACCOUNT",
        "managerEmail": "somebody-else@example.com",
        "categories": ["a", "a", ""],
        "tierId": "silver",
        "phaseId": "first",
        "experienceTemplateId": "red",
        "owner": { "userId": number },
        "manager": { "login": ["m", number] },
        "partnerObjectCrmProperties": { "region": 1 },
        "companyCrmProperties": { "region": 2 },
        "crmProperties": { "region": 2, "more": [null] },
        "status": "LIVE",
        "createdAt": time,
        "updatedAt": time,
        "rating": 5,
    });
    let fields = value.as_object_mut().expect("it is an object");
    match number % 6 {
        3 => fields.retain(|name, _| name == "id"),
        4 => fields.iter_mut().filter(|(name, _)| *name != "id").for_each(|(name, value)| {
            *value = if name == "tierId" { json!("") } else { Value::Null };
        }),
        _ => {}
    }
    item(organization, value)
}

pub(crate) fn payouts() -> Vec<Item> {
    let main = ["first", "many", "empty", "uploaded", "noted", "to-detach"];
    let main = main.map(|name| ("main", name, 1));
    let others = [("other", "foreign", 901), ("bare", "unbilled", 951)];
    main.into_iter()
        .chain(others)
        .map(|(organization, name, partner)| payout(organization, name, partner))
        .collect()
}

fn payout(organization: &'static str, name: &str, partner: u32) -> Item {
    item(
        organization,
        json!({
            "id": payout_id(name),
            "partner": { "id": partner_id(partner), "name": "", "vat": "none" },
            "batchId": "",
            "periodStart": "2026-05-01T00:00:00+02:00",
            "periodEnd": "2026-05-31T23:59:59.999999+02:00",
            // Not the sum of its lines: a fee is taken off.
            "amount": { "value": "-0041.10", "currency": "eur", "fee": 1 },
            "stage": "OPEN",
            "poNumber": format!("PO {name} 7"),
            "metadata": { "notes": [{ "by": 7 }] },
            "createdAt": "2026-06-01T08:00:00+02:00",
            "updatedAt": "2026-06-01T08:00:00Z",
        }),
    )
}

pub(crate) fn lines() -> Vec<Item> {
    let mut lines = vec![
        line("main", "first-1", "IN_PAYOUT", Some("first")),
        line("main", "first-2", "IN_PAYOUT", Some("first")),
        line("main", "noted-1", "IN_PAYOUT", Some("noted")),
        line("main", "voided-2", "VOIDED", Some("many")),
        line("other", "foreign-1", "IN_PAYOUT", Some("foreign")),
        line("other", "foreign-2", "IN_PAYOUT", Some("foreign")),
        line("bare", "unbilled-1", "IN_PAYOUT", Some("unbilled")),
    ];
    lines.extend((1..=30).map(|n| line("main", &format!("many-{n}"), "IN_PAYOUT", Some("many"))));
    lines.extend(
        (1..=DETACHED)
            .map(|n| line("main", &format!("to-detach-{n}"), "IN_PAYOUT", Some("to-detach"))),
    );
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
    item(
        organization,
        json!({
            "id": id,
            "partnerId": partner_id(partner),
            "payoutId": payout.map(payout_id),
            "description": "",
            "amount": "+007.50",
            "sourceAmount": "0.00",
            "currency": "Euro",
            "status": status,
            "planName": "",
            "periodEnd": "2026-05-31T23:59:59+02:00",
            "createdAt": "2026-05-20T09:30:00+02:00",
            "updatedAt": "2026-05-20T07:30:00Z",
            "reviewed": true,
        }),
    )
}
