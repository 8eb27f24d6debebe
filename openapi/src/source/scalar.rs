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
    if let Ok(number) = text.parse::<i64>() {
        return Ok(number.into());
    }
    if let Ok(number) = text.parse::<u64>() {
        return Ok(number.into());
    }
    // Rust also reads `inf` and `nan`, which are texts here.
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    match text.parse().ok().filter(|_| has_digit).map(Number::from_f64) {
        Some(Some(number)) => Ok(Value::Number(number)),
        Some(None) => Err(format!("the number `{text}` is out of range")),
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
