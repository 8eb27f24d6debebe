//! Which references in a body lead to a resource: the generated structs implement it.

/// The references in the body of an operation, each found or not.
pub trait References {
    /// Returns the references that lead nowhere: the pointer of each, and the resource it names.
    fn unknown(&self) -> Vec<(&'static str, &'static str)>;
}

/// Defines the references of a body: `references! { CreateLoan { book_id = "/bookId" "book", } }`
#[macro_export]
macro_rules! references {
    (
        $(#[$documentation:meta])*
        $name:ident { $($field:ident = $pointer:literal $resource:literal,)+ }
    ) => {
        $(#[$documentation])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the names are the documentation")]
        pub struct $name {
            $(pub $field: bool,)+
        }

        impl $crate::References for $name {
            fn unknown(&self) -> Vec<(&'static str, &'static str)> {
                let all = [$((self.$field, ($pointer, $resource))),+];
                all.into_iter().filter(|(is_found, _)| !is_found).map(|(_, it)| it).collect()
            }
        }
    };
}
