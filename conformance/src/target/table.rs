//! A macro for tables of a target file whose entries cases name: an enum of names, a struct with a
//! field for each, and the way from name to field. Each entry is written once, with the explanation
//! that the published schema shows.

/// A field is an `Option` of the item or a `Vec` of items, so that an absent one is the empty
/// slice.
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
        #[derive(strum::Display, strum::EnumMessage, strum::IntoStaticStr, serde::Deserialize)]
        #[strum(serialize_all = "snake_case")]
        #[serde(rename_all = "snake_case")]
        pub(crate) enum $name { $($(#[$meta])+ $variant,)+ }

        impl $name {
            /// All, in the order of the schema.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// As it is written in a target file and in every report.
            pub(crate) fn name(self) -> &'static str {
                self.into()
            }
        }

        $(#[$table_meta])*
        #[derive(Clone, Debug, Default, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default, expecting = "a table")]
        pub(crate) struct $table {
            $($(#[$extra_meta])* pub(crate) $extra: $extra_type,)*
            $($(#[$meta])+ pub(crate) $field: $type,)+
        }

        impl $table {
            /// What the file says for this name; empty if nothing.
            pub(crate) fn get(&self, name: $name) -> &[$item] {
                match name { $($name::$variant => self.$field.as_slice(),)+ }
            }
        }
    };
}

pub(super) use table;
