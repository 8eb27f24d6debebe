//! The values of an import file: local names, instants, amounts, currencies.
//!
//! It refuses what a table would refuse, so that nothing sound here fails there.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A text of the file with a pattern of its own.
macro_rules! patterned {
    ($(#[$documentation:meta])* $name:ident, $pattern:literal, $description:literal) => {
        $(#[$documentation])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": $pattern, "description": $description })
            }
        }
    };
}

patterned!(
    /// The name by which entries of one organisation refer to each other; it never leaves the file.
    LocalName,
    "^[a-z0-9][a-z0-9_-]{0,63}$",
    "A local name: the entries of one organisation refer to each other by it."
);
patterned!(
    /// An instant in UTC with milliseconds (V2).
    Instant,
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$",
    "An instant in UTC with milliseconds, such as 2026-05-20T09:30:00.000Z."
);
patterned!(
    /// An exact amount with two fraction digits (V3).
    Amount,
    r"^-?(0|[1-9][0-9]{0,17})\.[0-9]{2}$",
    "An exact amount with two fraction digits, such as -12.50; up to 18 digits before the point."
);
patterned!(
    /// An ISO 4217 code (V4).
    Currency,
    "^[A-Z]{3}$",
    "An ISO 4217 currency code."
);

patterned!(
    /// Bytes in base64, with the standard alphabet and its padding.
    Base64,
    "^[A-Za-z0-9+/]+={0,2}$",
    "Bytes in base64, with the standard alphabet and its padding."
);

impl Base64 {
    /// The bytes, where they are written as base64 is.
    #[must_use]
    pub fn decode(&self) -> Option<Vec<u8>> {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD
            .decode(&self.0)
            .ok()
    }
}

impl Instant {
    /// The instant, where there is such a day and time.
    #[must_use]
    pub fn parse(&self) -> Option<DateTime<Utc>> {
        self.0.parse().ok()
    }
}

impl Amount {
    /// The exact value.
    #[must_use]
    pub fn parse(&self) -> Option<Decimal> {
        Decimal::from_str_exact(&self.0).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_exact() {
        let amount = Amount("90071992547409.93".to_owned()).parse().unwrap();
        assert_eq!(amount.to_string(), "90071992547409.93");
    }

    #[test]
    fn an_instant_that_never_was_is_none() {
        assert!(
            Instant("2026-02-30T00:00:00.000Z".to_owned())
                .parse()
                .is_none()
        );
        assert!(
            Instant("2024-02-29T23:59:59.999Z".to_owned())
                .parse()
                .is_some()
        );
    }
}
