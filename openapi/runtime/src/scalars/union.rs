//! Objects that a member tells apart: `oneOf` with a discriminator.

/// Gives an enum of objects the traits of a schema: `union!(Item, "kind", Book = "book");`, with
/// the name of the member, and its values for each variant, which has the name of its schema:
/// `Book = "book" | "Book"`.
#[macro_export]
macro_rules! union {
    ($name:ident, $member:literal, $($variant:ident = $($value:literal)|+),+) => {
        $(
            impl From<$variant> for $name {
                fn from(object: $variant) -> Self {
                    Self::$variant(object)
                }
            }
        )+

        $crate::from_json!(
            $name,
            |value, pointer, violations| match value.get($member).and_then(|it| it.as_str()) {
                $(
                    Some($($value)|+) => {
                        let read = <$variant as $crate::reading::FromJson>::from_json;
                        read(value, pointer, violations).map(Self::$variant)
                    }
                )+
                _ => {
                    let known = &[$($($value),+),+];
                    let unknown = $crate::reading::unknown_variant;
                    Err(unknown(&value, $member, known, pointer, violations))
                }
            },
            |value| match value.get($member).and_then(|it| it.as_str()) {
                $(Some($($value)|+) => <$variant as $crate::reading::FromJson>::of_text(value),)+
                _ => value,
            }
        );
    };
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::reading::{FromJson as _, Violations};

    #[derive(Debug, PartialEq)]
    struct Book;

    #[derive(Debug, PartialEq)]
    struct Film;

    #[derive(Debug, PartialEq)]
    enum Item {
        Book(Book),
        Film(Film),
    }

    crate::from_json!(Book, |_, _, _| Ok(Book));
    crate::from_json!(Film, |_, _, _| Ok(Film));
    crate::union!(Item, "kind", Book = "book" | "paper", Film = "film");

    #[test]
    fn each_value_of_the_member_names_its_object() {
        for (value, expected) in [
            ("book", Some(Item::Book(Book))),
            ("paper", Some(Item::Book(Book))),
            ("film", Some(Item::Film(Film))),
            ("Book", None),
        ] {
            let read = Item::from_json(json!({ "kind": value }), "", &mut Violations::default());
            assert_eq!(read.ok(), expected, "{value}");
        }
    }
}
