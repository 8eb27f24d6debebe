//! The framework's `Type` for the types of the contract: each is one named schema of the emitted document.
//!
//! It refuses inline schemas: a type without a name could not be compared with the hand-written document.

/// Implements `poem_openapi::types::Type` as the named schema that `$schema` builds.
macro_rules! named_schema {
    ($name:ident, $schema:expr) => {
        impl ::poem_openapi::types::Type for $name {
            const IS_REQUIRED: bool = true;

            type RawValueType = Self;

            type RawElementValueType = Self;

            fn name() -> ::std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_ref() -> ::poem_openapi::registry::MetaSchemaRef {
                ::poem_openapi::registry::MetaSchemaRef::Reference(stringify!($name).to_owned())
            }

            fn register(registry: &mut ::poem_openapi::registry::Registry) {
                registry.create_schema::<Self, _>(stringify!($name).to_owned(), |_| $schema);
            }

            fn as_raw_value(&self) -> Option<&Self> {
                Some(self)
            }

            fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
                Box::new(::std::iter::once(self))
            }
        }
    };
}

pub(crate) use named_schema;
