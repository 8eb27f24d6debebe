//! The keys of a responses object (§ 4.7.16): a code, a range such as `4XX`, or `default`.
//!
//! It refuses any other key.

use std::{fmt, str::FromStr};

/// Which answers a documented response describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// One status code, 100 to 599.
    Code(u16),
    /// All codes of a hundred: `Range(4)` is `4XX`.
    Range(u16),
    /// Whatever no other response describes.
    Default,
}

impl Status {
    /// Whether an answer with this code falls under this key.
    #[must_use]
    pub fn matches(self, code: u16) -> bool {
        match self {
            Self::Code(own) => own == code,
            Self::Range(hundred) => code / 100 == hundred,
            Self::Default => true,
        }
    }

    /// Whether it describes success (2XX) and nothing else.
    #[must_use]
    pub fn is_success(self) -> bool {
        matches!(self, Self::Code(200..=299) | Self::Range(2))
    }

    /// Whether it describes errors (4XX, 5XX) and nothing else.
    #[must_use]
    pub fn is_error(self) -> bool {
        matches!(self, Self::Code(400..=599) | Self::Range(4 | 5))
    }
}

/// A key of a responses object that is none of the three.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no status: a code such as 404, a range such as 4XX, or default")]
pub struct StatusError(String);

impl FromStr for Status {
    type Err = StatusError;

    fn from_str(text: &str) -> Result<Self, StatusError> {
        if text == "default" {
            return Ok(Self::Default);
        }
        let refused = || StatusError(text.to_owned());
        if let Some(hundred) = text.strip_suffix("XX").or_else(|| text.strip_suffix("xx")) {
            let hundred = hundred.parse().map_err(|_| refused())?;
            return (1..=5)
                .contains(&hundred)
                .then_some(Self::Range(hundred))
                .ok_or_else(refused);
        }
        let code = text.parse().map_err(|_| refused())?;
        (100..=599)
            .contains(&code)
            .then_some(Self::Code(code))
            .ok_or_else(refused)
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
