//! Tables of a target file whose entries cases ask for by name: each entry stands once, with its meaning.
//!
//! It refuses an entry without an explanation: the published schema is made from them.

/// Makes an enum of names, a struct with a field for each of them, and the way from a name to its field.
///
/// A field is an `Option` of the item or a `Vec` of items, so that what is absent is the empty slice.
macro_rules! table {
    (
        $(#[$name_meta:meta])* enum $name:ident;
        $(#[$table_meta:meta])* struct $table:ident of $item:ty {
            $($(#[$extra_meta:meta])* $extra:ident: $extra_type:ty,)*
        }
        $($(#[$meta:meta])+ $variant:ident = $field:ident: $type:ty,)+
    ) => {
        $(#[$name_meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$meta])+ $variant,)+ }

        impl $name {
            /// All, in the order of the schema.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// As it is written in a target file and in every report.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($field),)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.name())
            }
        }

        $(#[$table_meta])*
        #[derive(Clone, Debug, Default, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default, expecting = "a table")]
        pub struct $table {
            $($(#[$extra_meta])* pub $extra: $extra_type,)*
            $($(#[$meta])+ pub $field: $type,)+
        }

        impl $table {
            /// What the file says there; empty where it says nothing.
            #[must_use]
            pub fn get(&self, name: $name) -> &[$item] {
                match name { $($name::$variant => self.$field.as_slice(),)+ }
            }
        }
    };
}

pub(super) use table;
