//! The keys of a responses object (§ 4.7.16): a code, a range such as `4XX`, or `default`.

use std::{fmt, ops::RangeInclusive, str::FromStr};

/// The statuses that a response describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// One status code, 100 to 599.
    Code(u16),
    /// All codes of a class: `Range(4)` is `4XX`.
    Range(u16),
    /// Every status that no other response describes.
    Default,
}

impl Status {
    /// Returns true if it describes this code.
    pub fn matches(self, code: u16) -> bool {
        match self {
            Self::Code(own) => own == code,
            Self::Range(hundred) => code / 100 == hundred,
            Self::Default => true,
        }
    }

    /// Returns true if it describes only successes (2XX).
    pub fn is_success(self) -> bool {
        matches!(self, Self::Code(200..=299) | Self::Range(2))
    }

    /// Returns true if it describes only errors (4XX, 5XX).
    pub fn is_error(self) -> bool {
        matches!(self, Self::Code(400..=599) | Self::Range(4 | 5))
    }
}

/// Another key of a responses object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a status; write a code such as 404, a range such as 4XX, or default")]
pub struct StatusError(String);

impl FromStr for Status {
    type Err = StatusError;

    fn from_str(text: &str) -> Result<Self, StatusError> {
        if text == "default" {
            return Ok(Self::Default);
        }
        let parse = |digits: &str, valid: RangeInclusive<u16>| {
            let number = digits.parse().ok().filter(|number| valid.contains(number));
            number.ok_or_else(|| StatusError(text.to_owned()))
        };
        match text.strip_suffix("XX").or_else(|| text.strip_suffix("xx")) {
            Some(class) => parse(class, 1..=5).map(Self::Range),
            None => parse(text, 100..=599).map(Self::Code),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(formatter, "{code}"),
            Self::Range(hundred) => write!(formatter, "{hundred}XX"),
            Self::Default => formatter.write_str("default"),
        }
    }
}
