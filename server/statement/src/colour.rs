//! A colour as templates write it: `#rrggbb`. Names and short forms are rejected, so that equal
//! colours are equal texts.

use std::{fmt, str::FromStr};

/// Red, green and blue, each 0 to 255.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Colour {
    pub(crate) red: u8,
    pub(crate) green: u8,
    pub(crate) blue: u8,
}

impl Colour {
    pub(crate) const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self { red, green, blue }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("A colour is written as # and six hexadecimal digits, such as #1f4e79.")]
pub struct ColourError;

impl FromStr for Colour {
    type Err = ColourError;

    fn from_str(text: &str) -> Result<Self, ColourError> {
        let digits = text.strip_prefix('#').ok_or(ColourError)?;
        // `from_str_radix` would accept a sign.
        if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(ColourError);
        }
        let part =
            |from: usize| u8::from_str_radix(&digits[from..from + 2], 16).map_err(|_| ColourError);
        Ok(Self::new(part(0)?, part(2)?, part(4)?))
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { red, green, blue } = self;
        write!(formatter, "#{red:02x}{green:02x}{blue:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_read_and_printed_in_lower_case() {
        assert_eq!("#1F4e79".parse(), Ok(Colour::new(0x1f, 0x4e, 0x79)));
        assert_eq!(Colour::new(0x1f, 0x4e, 0x79).to_string(), "#1f4e79");
        assert_eq!(Colour::new(0, 0, 0).to_string(), "#000000");
    }

    #[test]
    fn every_other_way_to_write_a_colour_is_rejected() {
        for text in [
            "", "#", "1f4e79", "#1f4e7", "#1f4e790", "#+f4e79", "#1g4e79", "red", "#fff", "#ééé",
            " #1f4e79",
        ] {
            assert_eq!(text.parse::<Colour>(), Err(ColourError), "{text:?}");
        }
    }
}
