//! Named object schemas without properties: maps of JSON values in their order, or of texts,
//! sorted.

/// Gives a newtype over a map the traits of a scalar: `named_map!(Labels, String);`, with the type
/// of its values, and the rule of its texts as a third argument where the document has one. Other
/// maps have `minProperties` and `maxProperties` there: `named_map!(Labels, i64, 1, Some(9));`.
#[macro_export]
macro_rules! named_map {
    ($name:ident, Value $(, $min:literal, $max:expr)?) => {
        $crate::named_map!(
            @define $name,
            ::serde_json::Map<String, ::serde_json::Value>,
            |value, pointer: &str, violations: &mut $crate::reading::Violations| {
                $($crate::reading::count(&value, $min, $max, pointer, violations);)?
                $crate::reading::read_value_map(value, pointer, violations)
            },
            |value| value
        );
    };
    ($name:ident, String) => {
        $crate::named_map!(
            $name,
            String,
            $crate::reading::TextMap::ANY
        );
    };
    ($name:ident, String, $rule:expr) => {
        impl $name {
            pub(crate) const RULE: $crate::reading::TextMap = $rule;
        }

        $crate::named_map!(
            @define $name,
            ::std::collections::BTreeMap<String, String>,
            |value, pointer, violations| Self::RULE.read(value, pointer, violations),
            |value| value
        );
    };
    ($name:ident, $value:ty $(, $min:literal, $max:expr)?) => {
        $crate::named_map!(
            @define $name,
            ::std::collections::BTreeMap<
                String,
                <$value as $crate::reading::FromJson>::Value,
            >,
            |value, pointer: &str, violations: &mut $crate::reading::Violations| {
                $($crate::reading::count(&value, $min, $max, pointer, violations);)?
                $crate::reading::read_map::<$value>(value, pointer, violations)
            },
            |value| {
                let of_text = <$value as $crate::reading::FromJson>::of_text;
                $crate::reading::object_of_text(value, &[], Some(of_text))
            }
        );
    };
    (@define $name:ident, $map:ty, $read:expr, $of_text:expr) => {
        impl From<$map> for $name {
            fn from(map: $map) -> Self {
                Self(map)
            }
        }

        $crate::from_json!(
            $name,
            |value, pointer, violations| {
                let read = $read;
                read(value, pointer, violations).map(Self)
            },
            $of_text
        );
    };
}
