//! Faults of bodies: what breaks a rule is accepted as if it were left out, and what keeps it is
//! rejected.

use hyper::header::CONTENT_TYPE;
use openapi_document::{Direction, Operation, Shape};
use serde_json::{Map, Value};

use super::maker::Maker;
use crate::{document::DOCUMENT, document::kebab, exchange::Request};

/// The largest body that is accepted (R4).
const LARGEST: usize = 64 * 1_024;

type Members = Map<String, Value>;
type IsBroken = fn(&Request) -> bool;

pub(super) fn derive(maker: &mut Maker, operation: &'static Operation) {
    maker.rewrite("body.too-large", "{operation} accepts bodies of any size.", |request| {
        if request.bytes().len() > LARGEST {
            request.body = None;
        }
    });
    let media = operation.body.as_ref().and_then(|body| body.content.first());
    let shape = media.and_then(|media| DOCUMENT.shape(media.schema_pointer.as_ref()?).ok());
    let Some((media, shape)) = media.zip(shape) else {
        maker.rewrite("body.ignored", "{operation} rejects a body.", |request| {
            if request.body.is_some() {
                *request = request.with_parameter("surprise", "1");
            }
        });
        return;
    };
    let valid = media.examples.first().map(|example| example.value.clone()).unwrap_or_default();
    let kinds: [(&str, &str, IsBroken); 2] = [
        ("body.broken", "{operation} takes broken JSON for its own.", |request| {
            request.read_json().is_none()
        }),
        ("body.not-an-object", "{operation} takes no object for one.", |request| {
            request.read_json().is_some_and(|body| !body.is_object())
        }),
    ];
    for (name, sentence, is_wrong) in kinds {
        let valid = valid.clone();
        maker.rewrite(name, sentence, move |request| {
            if is_wrong(request) {
                request.set_json(&valid);
            }
        });
    }
    maker.rewrite("body.media-type", "{operation} ignores the media type.", |request| {
        request.set_header(CONTENT_TYPE, "application/json");
    });
    maker.edit("body.several", "{operation} reports only the first violation.", |_, response| {
        response.keep_first_issue("body");
    });
    if shape.is_closed() {
        let known: Vec<String> = shape.properties.iter().map(|(name, _)| name.clone()).collect();
        edit(maker, "body.unknown-member", "{operation} ignores unknown members.", move |body| {
            body.retain(|name, _| known.contains(name));
        });
    }
    for (name, pointer) in &shape.properties {
        let Ok(member) = DOCUMENT.shape(pointer) else { continue };
        let required = shape.requires(name).then(|| {
            let own = valid.get(name).or_else(|| member.keyword("example"));
            own.cloned().unwrap_or_default()
        });
        if let Some(other) = member.keyword("x-later-than").and_then(Value::as_str) {
            not_later(maker, name, other, &valid);
        }
        member_faults(maker, (name, pointer), &member, required);
    }
}

fn edit(
    maker: &mut Maker,
    case: &str,
    sentence: &str,
    edit: impl Fn(&mut Members) + Send + Sync + 'static,
) {
    maker.rewrite(case, sentence, move |request: &mut Request| {
        request.edit_fields(|members| edit(members));
    });
}

/// A member that need not be later than another one: both are as in the valid body.
fn not_later(maker: &mut Maker, name: &str, other: &str, valid: &Value) {
    let (own, other, valid) = (name.to_owned(), other.to_owned(), valid.clone());
    let sentence = format!("{{operation}} accepts a {name} that is not later than {other}.");
    edit(maker, &format!("body.{}.not-later", kebab(name)), &sentence, move |members| {
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        if text(&own).zip(text(&other)).is_some_and(|(own, other)| own <= other) {
            members.extend([&own, &other].map(|name| (name.clone(), valid[name].clone())));
        }
    });
}

/// Which value of a member breaks the rule that a fault does not keep.
type IsWrong = Box<dyn Fn(&Value) -> bool + Send + Sync>;

/// The rules of a schema, by what breaks them.
fn rules(shape: &Shape, pointer: &str) -> Vec<(&'static str, IsWrong)> {
    let length = |value: &Value| value.as_str().map(|text| text.chars().count());
    let type_name = shape.keyword("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let is_other = move |value: &Value| !value.is_null() && !is_of_type(value, &type_name);
    let mut rules: Vec<(&str, IsWrong)> = vec![("wrong-type", Box::new(is_other))];
    if !shape.is_nullable() {
        rules.push(("null", Box::new(Value::is_null)));
    }
    let options = shape.options().to_vec();
    if !options.is_empty() {
        let is_unknown = move |value: &Value| value.is_string() && !options.contains(value);
        rules.push(("not-in-enum", Box::new(is_unknown)));
    } else if shape.is("string") {
        if let Some(least) = bound(shape, "minLength") {
            let is_shorter = move |value: &Value| length(value).is_some_and(|own| own < least);
            rules.push(("too-short", Box::new(is_shorter)));
        }
        if let Some(most) = bound(shape, "maxLength") {
            rules.push(("too-long", Box::new(move |value| length(value) > Some(most))));
        }
        if shape.keyword("pattern").is_none() && is_time(shape) {
            let is_bad = |value: &Value| value.as_str().is_some_and(|text| !is_rfc_3339(text));
            rules.push(("bad-format", Box::new(is_bad)));
        } else if shape.keyword("pattern").is_none() {
            let has_nul = |value: &Value| value.as_str().is_some_and(|text| text.contains('\0'));
            rules.push(("nul", Box::new(has_nul)));
        } else if let Ok(validator) = DOCUMENT.validator(pointer, Direction::Request) {
            let is_bad = move |value: &Value| value.is_string() && !validator.is_valid(value);
            rules.push(("bad-format", Box::new(is_bad)));
        }
    }
    if shape.keyword("x-not-zero").is_some() {
        rules.push(("zero", Box::new(|value| value == "0.00")));
    }
    if let Some(most) = bound(shape, "maxProperties") {
        let is_larger = move |value: &Value| value.as_object().is_some_and(|own| own.len() > most);
        rules.push(("too-long", Box::new(is_larger)));
    }
    rules.extend(map_rules(shape));
    if let Some(most) = bound(shape, "maxItems") {
        let is_longer = move |value: &Value| value.as_array().is_some_and(|own| own.len() > most);
        rules.push(("too-long", Box::new(is_longer)));
    }
    rules
}

/// The rules of the names and values of an object of any names.
fn map_rules(shape: &Shape) -> Vec<(&'static str, IsWrong)> {
    let Some(values) = shape.keyword("additionalProperties").filter(|it| it.is_object()) else {
        return Vec::new();
    };
    let names = shape.keyword("x-property-names").cloned().unwrap_or_default();
    let [value, name] =
        [values, &names].map(|rules| rules["maxLength"].as_u64().unwrap_or_default());
    let is_longer = |text: &str, most| text.chars().count() as u64 > most;
    let entries = |value: &Value| value.as_object().cloned().into_iter().flatten();
    let is_wrong = move |value: &Value, most| {
        value.as_str().is_none_or(|text| text.contains('\0') || is_longer(text, most))
    };
    vec![
        ("wrong-value", Box::new(move |own| entries(own).any(|(_, own)| is_wrong(&own, value)))),
        (
            "wrong-name",
            Box::new(move |own| {
                entries(own).any(|(own, _)| own.is_empty() || is_longer(&own, name))
            }),
        ),
    ]
}

fn is_time(shape: &Shape) -> bool {
    shape.keyword("format").is_some_and(|format| format == "date-time")
}

fn is_rfc_3339(text: &str) -> bool {
    chrono::DateTime::parse_from_rfc3339(text).is_ok()
}

fn bound(shape: &Shape, name: &str) -> Option<usize> {
    shape.number(name).and_then(|bound| usize::try_from(bound).ok())
}

fn member_faults(
    maker: &mut Maker,
    (name, pointer): (&str, &str),
    shape: &Shape,
    required: Option<Value>,
) {
    let case = |what: &str| format!("body.{}.{what}", kebab(name));
    let item = shape.items.as_ref().and_then(|item| Some((DOCUMENT.shape(item).ok()?, item)));
    for (what, is_wrong) in item.into_iter().flat_map(|(item, pointer)| rules(&item, pointer)) {
        let own = name.to_owned();
        let sentence = format!("{{operation}} ignores an item of {name} that is {what}.");
        edit(maker, &case(&format!("item-{what}")), &sentence, move |members| {
            if let Some(Value::Array(items)) = members.get_mut(&own) {
                items.retain(|item| !is_wrong(item));
            }
        });
    }
    for (what, is_wrong) in rules(shape, pointer) {
        let (own, valid) = (name.to_owned(), required.clone());
        let sentence =
            format!("{{operation}} accepts a {name} that is {}.", what.replace('-', " "));
        edit(maker, &case(what), &sentence, move |members| {
            if members.get(&own).is_some_and(&is_wrong) {
                members.shift_remove(&own);
                members.extend(valid.clone().map(|valid| (own.clone(), valid)));
            }
        });
    }
    if let Some(valid) = required {
        let own = name.to_owned();
        let sentence = format!("{{operation}} does not require {name}.");
        edit(maker, &case("missing"), &sentence, move |members| {
            members.entry(own.clone()).or_insert_with(|| valid.clone());
        });
    }
    let (most, least) = (bound(shape, "maxLength"), bound(shape, "minLength"));
    let own = name.to_owned();
    let options = shape.options().to_vec();
    let example = shape.keyword("pattern").and(shape.keyword("example")).cloned();
    let is_open = shape.keyword("x-known-values").is_some();
    let is_other = is_open || shape.is("boolean") || bound(shape, "maxProperties").is_some();
    if is_time(shape) && example.is_none() {
        let sentence = format!("{{operation}} rejects a {name} with an offset.");
        edit(maker, &case("accepted"), &sentence, move |members| {
            if let Some(Value::String(text)) = members.get_mut(&own)
                && text.contains('+')
            {
                text.clear();
            }
        });
    } else if is_other || example.is_some() {
        let sentence = format!("{{operation}} rejects a {name} as the document has it.");
        edit(maker, &case("accepted"), &sentence, move |members| {
            if let Some(value) = members.get_mut(&own)
                && (is_other && !value.is_null() || Some(&*value) == example.as_ref())
            {
                *value = 0.into();
            }
        });
    } else if most.or(least).is_some() || !options.is_empty() {
        let sentence = format!("{{operation}} rejects a {name} at its bounds.");
        edit(maker, &case("accepted"), &sentence, move |members| {
            let Some(Value::String(text)) = members.get_mut(&own) else { return };
            // The longest valid text becomes too long, a valid option an unknown one.
            let length = Some(text.chars().count());
            if most.is_none() && least == length {
                text.clear();
            } else if most == length || options.iter().any(|option| option == text.as_str()) {
                text.push('x');
            }
        });
    }
}

fn is_of_type(value: &Value, type_name: &str) -> bool {
    match type_name {
        "string" => value.is_string(),
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}
