//! The three things an update can do to a nullable value: keep, clear or set it. An absent field
//! and a null one differ: `Keep` is never written.

use std::collections::HashMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A change of a nullable value: an update keeps, sets or clears it.
///
/// A string converts into `Set`: `.note("Thank you")` sets the note, and `.note(Change::Clear)`
/// clears it, as `None` does. A map of strings converts too.
///
/// ```
/// use openapi_client::Change;
///
/// #[derive(serde::Serialize)]
/// struct Update {
///     #[serde(skip_serializing_if = "Change::is_keep")]
///     note: Change<String>,
/// }
///
/// # fn main() -> Result<(), serde_json::Error> {
/// let written = |note| serde_json::to_string(&Update { note });
/// assert_eq!(written(Change::Keep)?, "{}");
/// assert_eq!(written(Change::Clear)?, r#"{"note":null}"#);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Change<T> {
    /// Keeps the value: the field is absent.
    #[default]
    Keep,
    /// Clears the value: the field is null.
    Clear,
    /// Sets the value.
    Set(T),
}

impl<T> Change<T> {
    /// Returns true if the update leaves the value as it is.
    pub const fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }
}

/// A value that the type is made from sets it.
macro_rules! set_from {
    ($([$($text:lifetime)?] $value:ty,)*) => {
        $(impl<$($text,)? T: TryFrom<$value>> TryFrom<$value> for Change<T> {
            type Error = T::Error;

            fn try_from(value: $value) -> Result<Self, Self::Error> {
                T::try_from(value).map(Self::Set)
            }
        })*
    };
}
set_from! { ['text] &'text str, ['text] &'text String, [] String, [] HashMap<String, String>, }

/// `None` clears, as null in a response means that there is no value.
impl<T, V: TryInto<T>> TryFrom<Option<V>> for Change<T> {
    type Error = V::Error;

    fn try_from(value: Option<V>) -> Result<Self, Self::Error> {
        value.map_or(Ok(Self::Clear), |value| value.try_into().map(Self::Set))
    }
}

impl<T: Serialize> Serialize for Change<T> {
    /// The field's `skip_serializing_if` leaves `Keep` out, so only null and values are written.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Keep | Self::Clear => serializer.serialize_none(),
            Self::Set(value) => serializer.serialize_some(value),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Option::deserialize(deserializer)?;
        Ok(value.map_or(Self::Clear, Self::Set))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::Change;

    #[test]
    fn map_of_strings_sets_the_value() {
        type Texts = HashMap<String, String>;
        let texts = HashMap::from([("note".to_owned(), "Thank you".to_owned())]);
        let set = Change::<Texts>::try_from(texts.clone()).unwrap();
        assert_eq!(set, Change::Set(texts));
        assert_eq!(serde_json::to_string(&set).unwrap(), r#"{"note":"Thank you"}"#);
    }
}
