//! Objects of responses keep the members that this version of the client does not know, so that an
//! object of a newer server survives reading and writing.

/// The members of an object that this version of the client does not know.
///
/// ```
/// use payout_client::types::Pagination;
///
/// # fn main() -> Result<(), serde_json::Error> {
/// let page: Pagination = serde_json::from_str(r#"{"nextCursor": null, "total": 3}"#)?;
/// assert_eq!(page.unknown_fields["total"], 3);
/// # Ok(())
/// # }
/// ```
pub type UnknownFields = serde_json::Map<String, serde_json::Value>;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::types::{Pagination, PayoutPartner};

    #[test]
    fn unknown_members_survive_reading_and_writing() {
        let newer = json!({ "id": "ptn_1", "name": "Aurora", "region": { "code": "NO" } });
        let partner: PayoutPartner = serde_json::from_value(newer.clone()).unwrap();
        assert_eq!(partner.unknown_fields["region"]["code"], "NO");
        assert_eq!(serde_json::to_value(&partner).unwrap(), newer);
    }

    #[test]
    fn null_and_absent_members_differ() {
        let last: Pagination = serde_json::from_value(json!({ "nextCursor": null })).unwrap();
        assert_eq!(last.next_cursor, None);
        let error = serde_json::from_value::<Pagination>(json!({})).unwrap_err();
        assert_eq!(error.to_string(), "missing field `nextCursor`");
    }

    #[test]
    fn escaped_names_are_known_and_repeated_ones_are_errors() {
        let last: Pagination = serde_json::from_str(r#"{"next\u0043ursor":null}"#).unwrap();
        assert!(last.unknown_fields.is_empty());
        let repeated =
            serde_json::from_str::<Pagination>(r#"{"nextCursor":null,"nextCursor":"a"}"#);
        assert!(repeated.unwrap_err().to_string().contains("duplicate field `nextCursor`"));
    }

    #[test]
    fn other_types_than_objects_are_errors() {
        let error = serde_json::from_value::<Pagination>(Value::from(3)).unwrap_err();
        assert!(error.to_string().contains("an object of the type Pagination"), "{error}");
    }
}
