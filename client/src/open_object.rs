//! Objects of responses. A member that this version of the client does not know is kept, so that an
//! object of a newer server survives reading and writing. serde's `flatten` would do the same, and
//! keep every value twice on the way.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error, Visitor},
};

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

/// A text, borrowed where that is possible.
pub(crate) struct Text<'de>(pub(crate) Cow<'de, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}

/// Reads a struct with the field `unknown_fields`: `open_object! { Pagination { next_cursor =
/// "nextCursor" required, } }`.
macro_rules! open_object {
    ($object:ident { $($field:ident = $name:literal $need:ident,)* }) => {
        impl<'de> ::serde::Deserialize<'de> for $object {
            fn deserialize<D: ::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                struct Visitor;

                impl<'de> ::serde::de::Visitor<'de> for Visitor {
                    type Value = $object;

                    fn expecting(
                        &self,
                        formatter: &mut std::fmt::Formatter<'_>,
                    ) -> std::fmt::Result {
                        formatter.write_str(concat!("an object of the type ", stringify!($object)))
                    }

                    fn visit_map<A: ::serde::de::MapAccess<'de>>(
                        self,
                        mut map: A,
                    ) -> Result<Self::Value, A::Error> {
                        use ::serde::de::Error as _;

                        $(let mut $field = None;)*
                        let mut unknown_fields = crate::UnknownFields::new();
                        while let Some(name) = map.next_key::<crate::open_object::Text<'de>>()? {
                            match name.0.as_ref() {
                                $($name => {
                                    if $field.replace(map.next_value()?).is_some() {
                                        return Err(A::Error::duplicate_field($name));
                                    }
                                })*
                                _ => {
                                    unknown_fields.insert(name.0.into_owned(), map.next_value()?);
                                }
                            }
                        }
                        Ok($object {
                            $($field: crate::open_object::open_object!(@$need $field $name),)*
                            unknown_fields,
                        })
                    }
                }

                deserializer.deserialize_map(Visitor)
            }
        }
    };
    (@required $field:ident $name:literal) => {
        match $field {
            Some(value) => value,
            None => return Err(A::Error::missing_field($name)),
        }
    };
    (@optional $field:ident $name:literal) => {
        $field.unwrap_or_default()
    };
}
pub(crate) use open_object;

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
