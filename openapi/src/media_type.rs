//! Media types (RFC 9110 § 8.3.1), which can be written in several ways.

/// The media type without what makes no difference: case, spaces, quotes, the order of parameters,
/// and `charset=utf-8` where a type without a charset is read as UTF-8 too.
pub fn normal_media_type(written: &str) -> String {
    let mut parts = Parameters(written);
    let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    let mut parameters: Vec<String> = parts.filter_map(parameter).collect();
    parameters.retain(|parameter| parameter != "charset=utf-8" || !is_utf_8(&essence));
    parameters.sort_unstable();
    parameters.insert(0, essence);
    parameters.join(";")
}

/// The parts of a media type, between semicolons that no quotes enclose.
struct Parameters<'t>(&'t str);

impl<'t> Iterator for Parameters<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        if self.0.is_empty() {
            return None;
        }
        let mut is_quoted = false;
        let end = self.0.char_indices().find(|(_, character)| {
            is_quoted ^= *character == '"';
            *character == ';' && !is_quoted
        });
        let end = end.map_or(self.0.len(), |(end, _)| end);
        let part = &self.0[..end];
        self.0 = self.0.get(end + 1..).unwrap_or_default();
        Some(part)
    }
}

/// Name and value of a parameter; only the value of `charset` has no case.
fn parameter(written: &str) -> Option<String> {
    let (name, value) = written.split_once('=')?;
    let name = name.trim().to_ascii_lowercase();
    let value = value.trim();
    let quoted = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let value = quoted.map_or_else(|| value.to_owned(), |text| text.replace('\\', ""));
    let value = if name == "charset" { value.to_ascii_lowercase() } else { value };
    Some(format!("{name}={value}"))
}

/// Returns true if the type without a charset is read as UTF-8.
fn is_utf_8(essence: &str) -> bool {
    let (kind, subtype) = essence.split_once('/').unwrap_or_default();
    let subtypes = ["javascript", "json", "x-ndjson", "x-www-form-urlencoded", "xml"];
    kind == "text"
        || kind == "application" && subtypes.contains(&subtype)
        || subtype.ends_with("+json")
        || subtype.ends_with("+xml")
}

#[cfg(test)]
mod tests {
    use super::normal_media_type;

    #[test]
    fn spellings_of_one_media_type_have_one_normal_form() {
        for spellings in [
            &["application/json", "Application/JSON; charset=utf-8", "application/json;"][..],
            &["application/xml", "application/xml;charset=\"UTF-8\""],
            &["text/plain", "text/plain ; Charset = UTF-8"],
            &["application/x; charset=utf-8", "application/x;charset=UTF-8"],
            &["a/b; x=\"1;2\"; y=3", "A/B;y=\"3\";X=\"1;2\""],
        ] {
            for spelling in spellings {
                assert_eq!(normal_media_type(spelling), normal_media_type(spellings[0]));
            }
        }
        let distinct = ["a/b", "a/b; charset=utf-8", "a/b; v=1", "a/b; v=A", "a/b; v=a", "text/b"];
        for (index, one) in distinct.iter().enumerate() {
            for other in &distinct[..index] {
                assert_ne!(normal_media_type(one), normal_media_type(other));
            }
        }
    }
}
