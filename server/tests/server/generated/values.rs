//! Texts and JSON values: valid ones, nearly valid ones, and attacks. The document's schemas judge
//! them.

use serde_json::Value;

use super::world::World;
use crate::{matrices::document::DOCUMENT, support::Random};

const HOSTILE: [&str; 35] = [
    "",
    " ",
    "a",
    "null",
    "true",
    "0",
    "-1",
    "1.0",
    "1e400",
    "NaN",
    "18446744073709551616",
    "\0",
    "a\0b",
    ".",
    "..",
    "../../etc/passwd",
    "%00",
    "%2e%2e%2f",
    "'; DROP TABLE partners; --",
    "\" OR 1=1",
    "\\",
    "\\u0000",
    "{}",
    "[]",
    "{{7*7}}",
    "${jndi:ldap://x}",
    "<script>alert(1)</script>",
    "a\r\nset-cookie: b=c",
    "\u{202E}gnp",
    "e\u{301}",
    "\u{FEFF}",
    "\u{10FFFF}",
    "\u{1F469}\u{200D}\u{1F680}",
    "Ω≈ç√∫",
    "%",
];

/// Starts and ends of periods.
const PERIODS: [&str; 2] = ["2026-05-01T00:00:00.000Z", "2026-05-31T23:59:59.999Z"];

/// The prefix of ids in this place; empty for a place that takes no id.
pub(super) fn id_prefix(place: &str) -> &'static str {
    match place {
        "partners" | "partnerId" => "ptn_",
        "commission-lines" => "cln_",
        "payouts" | "payoutId" => "pay_",
        "batchId" => "pbt_",
        "tierId" => "tier_",
        "phaseId" => "phase_",
        "experienceTemplateId" => "tmpl_",
        "partnerOwnerId" => "user_",
        _ => "",
    }
}

/// An id for this place, or of another kind; existing or not.
pub(super) fn id(random: &mut Random, world: &World, place: &str) -> String {
    let prefix = if random.once_in(12) { "" } else { id_prefix(place) };
    let ids = world.ids(prefix);
    let id = ids[random.next(ids.len())].to_owned();
    match random.next(12) {
        0 => id.to_lowercase(),
        1 => format!("{}Z", &id[..id.len() - 1]),
        2 => format!("{id} "),
        _ => id,
    }
}

/// A text for no particular place.
pub(super) fn hostile(random: &mut Random) -> String {
    match random.next(8) {
        0 => {
            let character = random.pick(&["a", "é", "\u{1F680}", "\u{301}", "%"]);
            character.repeat([1, 199, 200, 201, 255, 256, 400][random.next(7)])
        }
        1 => (0..random.next(12)).map(|_| character(random)).collect(),
        _ => random.pick(&HOSTILE).to_owned(),
    }
}

/// A value for a parameter or field of this name, usually a valid one.
pub(super) fn text(random: &mut Random, world: &World, name: &str, schema: &str) -> String {
    let choices = choices(schema);
    match random.next(10) {
        0 | 1 => hostile(random),
        2 => id(random, world, name),
        _ if name.starts_with("period") => random.pick(&PERIODS).to_owned(),
        _ if name == "limit" => (1 + random.next(100)).to_string(),
        _ if !choices.is_empty() => choices[random.next(choices.len())].clone(),
        _ if !id_prefix(name).is_empty() => id(random, world, name),
        _ => random.pick(&["x", "Füchse & Söhne", "domain.example", "株式会社"]).to_owned(),
    }
}

/// A JSON value as text: mostly a text, sometimes another value, occasionally invalid JSON.
pub(super) fn json(random: &mut Random, world: &World, name: &str, schema: &str) -> String {
    match random.next(16) {
        0 => "null".to_owned(),
        1 => random
            .pick(&["true", "0", "-0", "1.5", "1e308", "123456789012345678901234567890"])
            .to_owned(),
        2 => random
            .pick(&["{}", "[]", "{\"name\":\"x\"}", "[null,[\"\\u0000\"]]", "\"\\u0000\""])
            .to_owned(),
        3 => "[".repeat(12) + &"]".repeat(12),
        4 => random
            .pick(&["1e400", "NaN", "'x'", "\"\\ud800\"", "\"\\x\"", "01", "True", ""])
            .to_owned(),
        _ => Value::from(text(random, world, name, schema)).to_string(),
    }
}

/// The values of a set, or the example of a format, if the schema has one.
fn choices(schema: &str) -> Vec<String> {
    let named = format!("{schema}/allOf/0");
    let schema = if DOCUMENT.value().pointer(&named).is_some() { &named } else { schema };
    let schema = DOCUMENT.resolve(schema).unwrap().value;
    let set = ["enum", "x-known-values"].into_iter().find_map(|name| schema.get(name)?.as_array());
    let example = schema.get("example").filter(|_| schema.get("pattern").is_some());
    let choices = set.into_iter().flatten().chain(example);
    choices.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn character(random: &mut Random) -> char {
    let code = match random.next(3) {
        0 => random.next(0x80),
        1 => random.next(0x1_0000),
        _ => random.next(0x11_0000),
    };
    u32::try_from(code).ok().and_then(char::from_u32).unwrap_or('\u{FFFD}')
}
