//! Plain YAML scalars by the core schema of YAML 1.2 (§ 10.3.2), in which `no` is a text. `.inf`
//! and `.nan` are errors: JSON has no such numbers.

use serde_json::{Number, Value};

/// The value of a plain scalar; `Err` says why JSON has no such value.
pub(super) fn resolve(text: &str) -> Result<Value, String> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        _ => {}
    }
    if let Some(number) = radix_integer(text) {
        return Ok(Value::Number(number));
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Err(format!("`{text}` is not a JSON number"));
    }
    match decimal(text, unsigned) {
        Some(decimal) => match serde_json::from_str::<Number>(&decimal) {
            Ok(number) => Ok(Value::Number(number)),
            Err(_) => Err(format!("the number `{text}` is out of range")),
        },
        None => Ok(Value::String(text.to_owned())),
    }
}

fn radix_integer(text: &str) -> Option<Number> {
    let (digits, radix) = if let Some(digits) = text.strip_prefix("0x") {
        (digits, 16)
    } else {
        (text.strip_prefix("0o")?, 8)
    };
    // `from_str_radix` also accepts a sign.
    let all_digits = digits.chars().all(|digit| digit.is_digit(radix));
    let number = u64::from_str_radix(digits, radix).ok()?;
    all_digits.then(|| number.into())
}

/// The number in JSON's syntax: no plus, no leading zeros, a digit on each side of the point.
fn decimal(text: &str, unsigned: &str) -> Option<String> {
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let has_digit = !whole.is_empty() || fraction.is_some_and(|fraction| !fraction.is_empty());
    let exponent_is_whole = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && is_digits(digits)
    });
    if !has_digit || !is_digits(whole) || !fraction.is_none_or(is_digits) || !exponent_is_whole {
        return None;
    }
    let sign = if text.starts_with('-') { "-" } else { "" };
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    };
    let fraction = match fraction {
        None => String::new(),
        Some("") => ".0".to_owned(),
        Some(digits) => format!(".{digits}"),
    };
    let exponent = exponent.map_or(String::new(), |exponent| format!("e{exponent}"));
    Some(format!("{sign}{whole}{fraction}{exponent}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn yaml_1_1_booleans_and_versions_stay_text() {
        for text in
            ["no", "yes", "on", "off", "3.0.3", "2024-01-01", "1_000", "+", ".", "0x", "e3", "0x+1"]
        {
            assert_eq!(resolve(text).unwrap(), json!(text));
        }
    }

    #[test]
    fn core_schema_numbers_become_json_numbers() {
        assert_eq!(resolve("007").unwrap(), json!(7));
        assert_eq!(resolve("-12").unwrap(), json!(-12));
        assert_eq!(resolve("+12").unwrap(), json!(12));
        assert_eq!(resolve("0o17").unwrap(), json!(15));
        assert_eq!(resolve("0xFF").unwrap(), json!(255));
        assert_eq!(resolve(".5").unwrap(), json!(0.5));
        assert_eq!(resolve("1.").unwrap(), json!(1.0));
        assert_eq!(resolve("1e3").unwrap(), json!(1e3));
    }

    #[test]
    fn infinity_and_not_a_number_are_errors() {
        assert_eq!(resolve("-.inf").unwrap_err(), "`-.inf` is not a JSON number");
        assert_eq!(resolve(".nan").unwrap_err(), "`.nan` is not a JSON number");
        assert_eq!(resolve("1e999").unwrap_err(), "the number `1e999` is out of range");
    }
}
