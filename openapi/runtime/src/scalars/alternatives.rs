//! Schemas with alternatives that no member tells apart: `oneOf` and `anyOf` of any values.

/// Gives an enum the traits of a schema: `alternatives!(NameOrId, any_of, Id(Id) = Id, Name(Name)
/// = Name);`, with the type of each variant and the type that reads it.
#[macro_export]
macro_rules! alternatives {
    ($name:ident, $combine:ident, $($variant:ident($value:ty) = $read:ty),+) => {
        $crate::from_json!(
            $name,
            |value, pointer, violations| {
                let alternatives = [$((
                    stringify!($variant),
                    $crate::reading::read_alternative::<$read>(&value, pointer).map(Self::$variant),
                )),+];
                $crate::reading::$combine(alternatives)
                    .map_err(|violation| violations.add($crate::Location::Body, pointer, violation))
            },
            |value| {
                $(
                    let typed = <$read as $crate::reading::FromJson>::of_text(value.clone());
                    if $crate::reading::read_alternative::<$read>(&typed, "").is_ok() {
                        return typed;
                    }
                )+
                value
            }
        );
    };
}

/// Lets a parameter have such a schema, whose alternatives are all single values.
#[macro_export]
macro_rules! alternatives_in_text {
    ($name:ident, $combine:ident, $($variant:ident($value:ty)),+) => {
        impl $crate::reading::FromText for $name {
            fn from_text(text: &str) -> Result<Self, $crate::reading::Violation> {
                $crate::reading::$combine([$((
                    stringify!($variant),
                    <$value as $crate::reading::FromText>::from_text(text).map(Self::$variant),
                )),+])
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    $(Self::$variant(value) => ::std::fmt::Display::fmt(value, formatter),)+
                }
            }
        }
    };
}
