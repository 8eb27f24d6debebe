//! Which suggested filenames are safe to use.
//!
//! A name is never changed: the file has either the suggested name or one that the caller chose.
//! The server promises safe names (S10); one that does not keep the promise must not choose where a
//! file goes.

use openapi_client::is_invisible;

/// The longest name that every file system accepts.
const NAME_LIMIT_BYTES: usize = 255;
/// Each of these separates folders or drives, or is forbidden, on some system.
const FORBIDDEN: [char; 9] = ['/', '\\', ':', '<', '>', '"', '|', '?', '*'];
/// Names that are devices on Windows, whatever the extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Returns true if every system takes `name` for one visible `.pdf` file in a folder.
pub(super) fn is_safe(name: &str) -> bool {
    let lower = name.to_lowercase();
    let Some(stem) = lower.strip_suffix(".pdf") else {
        return false;
    };
    // Windows takes the name up to the first point, without trailing spaces, as the device.
    let device = stem.split('.').next().unwrap_or_default().trim_end();
    name.len() <= NAME_LIMIT_BYTES
        && !stem.is_empty()
        && !stem.starts_with(['.', ' '])
        && !name.contains(FORBIDDEN)
        && !name.contains(|character: char| character.is_control() || is_invisible(character))
        && !DEVICES.contains(&device)
        && !is_numbered_port(device)
}

/// `com0` to `lpt9`, including the superscripts that Windows reads as digits.
fn is_numbered_port(device: &str) -> bool {
    let number = device.strip_prefix("com").or_else(|| device.strip_prefix("lpt"));
    number.is_some_and(|number| {
        let mut characters = number.chars();
        let digit =
            characters.next().is_some_and(|digit| digit.is_ascii_digit() || "¹²³".contains(digit));
        digit && characters.next().is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::{NAME_LIMIT_BYTES, is_safe};

    #[test]
    fn plain_names_in_any_script_are_safe() {
        for name in [
            "statement-Nordwind-Handels-GmbH-2026-05.pdf",
            "statement-ООО «Ромашка»-2026-05.pdf",
            "statement-شركة-2026-05.PDF",
            "v1.2..pdf",
            "console.pdf",
            "com10.pdf",
        ] {
            assert!(is_safe(name), "{name}");
        }
    }

    #[test]
    fn names_that_lead_elsewhere_or_hide_something_are_not() {
        for name in [
            "",
            ".",
            "..",
            ".pdf",
            ".hidden.pdf",
            " .pdf",
            "../statement.pdf",
            "/etc/statement.pdf",
            r"..\statement.pdf",
            "C:statement.pdf",
            "statement.pdf/",
            "statement.pdf:stream.pdf",
            "statement\n.pdf",
            "statement\0.pdf",
            "statement\u{202e}fdp.exe.pdf",
            "statement.exe",
            "statement.pdf.exe",
            "authorized_keys",
            "NUL.pdf",
            "con .x.pdf",
            "LPT1.pdf",
            "com².pdf",
        ] {
            assert!(!is_safe(name), "{name:?}");
        }
    }

    #[test]
    fn longest_name_is_safe_and_one_byte_more_is_not() {
        let name = |length: usize| format!("{}.pdf", "n".repeat(length - 4));
        assert!(is_safe(&name(NAME_LIMIT_BYTES)));
        assert!(!is_safe(&name(NAME_LIMIT_BYTES + 1)));
    }
}
