//! Each rule has an example: a change that this rule alone finds.

use std::collections::BTreeSet;

use openapi_contract::breaking::RULES;
use serde_json::Value;

use crate::support::{base, compare, rules, with};

const OPERATION: &str = "/paths/~1things~1{id}/post";
const THING: &str = "/components/schemas/Thing";
/// Changes of a schema that a request and a response have.
const SCHEMAS: &str = include_str!("schemas.txt");
const OTHERS: &str = include_str!("others.txt");

/// Returns the columns of each line; the last two are the values before and after.
fn rows(table: &'static str) -> impl Iterator<Item = ([&'static str; 3], Value, Value)> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let columns: Vec<&str> = line.split(" | ").collect();
        let [rule, second, third, old, new] = columns[..] else { panic!("{line}") };
        let value = |text: &str| serde_json::from_str(text).unwrap();
        ([rule, second, third], value(old), value(new))
    })
}

#[test]
fn every_rule_finds_its_example_and_nothing_else() {
    let mut seen = BTreeSet::new();
    let mut check = |expected: &[String], old: &Value, new: &Value| {
        assert_eq!(rules(&compare(old, new)), expected, "\nold: {old}\nnew: {new}");
        seen.extend(expected.iter().filter_map(|one| Some(one.split_once(' ')?.0.to_owned())));
    };
    for ([name, request, response], old, new) in rows(SCHEMAS) {
        let levels = [("request", request), ("response", response)];
        let expected = levels.iter().filter(|(_, level)| *level != "-");
        let expected: Vec<String> =
            expected.map(|(direction, level)| format!("{direction}-{name} {level}")).collect();
        check(&expected, &with(base(), THING, &old), &with(base(), THING, &new));
    }
    for ([rule, level, at], old, new) in rows(OTHERS) {
        let pointer = match at {
            "." | "+" => OPERATION.to_owned(),
            at if at.starts_with('/') => at.to_owned(),
            at => format!("{OPERATION}/{at}"),
        };
        let side = |value| match at {
            "+" => {
                with(base(), &pointer, &merged(base().pointer(&pointer).unwrap().clone(), value))
            }
            _ => with(base(), &pointer, &value),
        };
        check(&[format!("{rule} {level}")], &side(old), &side(new));
    }
    let renamed = base().to_string().replace("{id}", "{key}").replace("\"id\"", "\"key\"");
    let renamed = serde_json::from_str(&renamed).unwrap();
    check(&["path-parameter-renamed warning".to_owned()], &base(), &renamed);
    // The command finds it, in `commands.txt`.
    seen.insert("version-too-low".to_owned());
    let without: Vec<&&str> = RULES.keys().filter(|id| !seen.contains(**id)).collect();
    assert!(without.is_empty(), "rules without an example: {without:?}");
}

#[test]
fn every_rule_has_a_reason_of_one_sentence() {
    for rule in RULES.values() {
        assert!(rule.why.ends_with('.') && rule.why.len() > 15, "{}: {}", rule.id, rule.why);
    }
}

fn merged(mut value: Value, members: Value) -> Value {
    let Value::Object(members) = members else { panic!("{members} is not an object") };
    value.as_object_mut().unwrap().extend(members);
    value
}
