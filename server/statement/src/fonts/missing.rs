//! Logs each script that no font has, once.

use std::collections::HashSet;

use parking_lot::Mutex;
use unicode_script::{Script, UnicodeScript as _};

/// Reports beyond it are left out.
const REPORTS_LIMIT: usize = 256;
/// Characters of no script, such as emoji, are reported by blocks of so many.
const BLOCK: u32 = 256;

/// The scripts that were reported, or blocks of characters of no script.
#[derive(Debug, Default)]
pub(super) struct MissingScripts(Mutex<HashSet<(Script, u32)>>);

impl MissingScripts {
    /// Logs the script of a character that no font has, at its first one.
    pub(super) fn report(&self, character: char) {
        if self.is_new(character) {
            let code = format!("U+{:04X}", u32::from(character));
            tracing::warn!(
                script = character.script().full_name(),
                character = code,
                "no font has this script: it is printed as boxes with codes until a font with it \
                 is installed, such as fonts-noto-core or fonts-noto-cjk, or named with \
                 --font-folder, and the server is started again"
            );
        }
    }

    fn is_new(&self, character: char) -> bool {
        let script = character.script();
        let block = match script {
            Script::Common | Script::Inherited | Script::Unknown => u32::from(character) / BLOCK,
            _ => 0,
        };
        let mut reported = self.0.lock();
        reported.len() < REPORTS_LIMIT && reported.insert((script, block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_is_reported_once_and_characters_of_none_by_blocks() {
        let missing = MissingScripts::default();
        let reported: String =
            "ᎠᎡक᎐ख🎉🎊🦀Ꭲ".chars().filter(|character| missing.is_new(*character)).collect();
        assert_eq!(reported, "Ꭰक᎐🎉🦀");
    }

    #[test]
    fn reports_are_limited() {
        let missing = MissingScripts::default();
        let private = ('\u{f0000}'..'\u{ffff0}').chain('\u{100000}'..='\u{10fffd}');
        assert_eq!(private.filter(|character| missing.is_new(*character)).count(), REPORTS_LIMIT);
    }
}
