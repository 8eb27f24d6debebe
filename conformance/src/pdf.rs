//! The text of a PDF, as a reader would copy it, and a PDF with one text replaced by another. Line
//! breaks and columns are the renderer's choice.

use chrono::NaiveDate;
use lopdf::{Document, Error};

/// The text that a reader would copy from a PDF, in its order.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// Its letters and digits, [`normalized`].
    pub(crate) letters: String,
    /// Negative amounts as the API writes them.
    pub(crate) words: Vec<String>,
}

impl Text {
    pub(crate) fn of(pdf: &[u8]) -> Option<Self> {
        let document = Document::load_mem(pdf).ok()?;
        let pages: Vec<u32> = document.get_pages().into_keys().collect();
        let text = document.extract_text(&pages).ok()?;
        let letters = normalized(&text);
        let words = text.split_whitespace().map(signed).collect();
        (!letters.is_empty()).then_some(Self { letters, words })
    }

    /// The words that are days, such as `2026-05-28`.
    pub(crate) fn days(&self) -> impl Iterator<Item = &str> {
        let words = self.words.iter().map(String::as_str);
        words.filter(|word| NaiveDate::parse_from_str(word, "%Y-%m-%d").is_ok())
    }

    /// Counts the words with the digits of this amount, and those of them that are negative.
    pub(crate) fn signs(&self, amount: &str) -> (usize, usize) {
        let (mut all, mut negative) = (0, 0);
        let wanted = digits(amount);
        for (index, word) in self.words.iter().enumerate() {
            if digits(word) == wanted {
                let is_after_sign = index > 0 && self.words[index - 1] == "-";
                all += 1;
                negative += usize::from(is_after_sign || word.contains(['-', '(']));
            }
        }
        (all, negative)
    }

    /// Counts how often these words follow each other. Amounts are as the API writes them.
    pub(crate) fn times(&self, words: &[&str]) -> usize {
        let places = self.words.windows(words.len());
        places.filter(|place| *place == words).count()
    }
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// A negative amount with a hyphen before it, however it is printed: `−1.00`, `1.00-`, `(1.00)`.
fn signed(word: &str) -> String {
    let word = word.replace('\u{2212}', "-");
    let in_brackets = word.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let below_zero = in_brackets.or_else(|| word.strip_suffix('-'));
    match below_zero {
        Some(amount) if amount.starts_with(|first: char| first.is_ascii_digit()) => {
            format!("-{amount}")
        }
        _ => word,
    }
}

/// The letters and digits of a text, in lower case.
pub(crate) fn normalized(text: &str) -> String {
    let kept = text.chars().filter(|letter| letter.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// Returns true if every extraction returns the letters of this text unchanged: no ligatures, no
/// other direction.
pub(crate) fn is_plain(text: &str) -> bool {
    text.is_ascii()
}

/// Replaces a text that is printed in one piece by another one, as far as its font has the letters.
pub(crate) fn reprint(pdf: &[u8], text: &str, other: &str) -> Result<Vec<u8>, Error> {
    let mut document = Document::load_mem(pdf)?;
    for page in document.get_pages().into_keys() {
        document.replace_text(page, text, other, None)?;
    }
    let mut changed = Vec::new();
    document.save_to(&mut changed)?;
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_amounts_are_recognised_in_any_notation() {
        for word in ["-1.50", "\u{2212}1.50", "1.50-", "(1.50)"] {
            assert_eq!(signed(word), "-1.50", "{word}");
        }
        for word in ["1.50", "(net)", "order-", "-"] {
            assert_eq!(signed(word), word);
        }
    }

    #[test]
    fn days_are_distinguished_from_other_words() {
        let text = Text {
            letters: String::new(),
            words: ["2026-05-28", "2026-13-01", "2026-05", "28.05.2026", "order-2026-05-28"]
                .map(str::to_owned)
                .to_vec(),
        };
        assert_eq!(text.days().collect::<Vec<_>>(), ["2026-05-28"]);
    }

    #[test]
    fn signs_are_counted_in_any_notation() {
        let words = ["-25.25", "25.25", "25,25-", "-", "25.25", "EUR-25.25", "125.25", "25."];
        let words = words.map(str::to_owned).to_vec();
        let text = Text { letters: String::new(), words };
        assert_eq!(text.signs("-25.25"), (5, 4));
    }

    #[test]
    fn amount_within_another_is_none() {
        let text = Text {
            letters: String::new(),
            words: ["10.01", "110.01", "-10.01", "10.01"].map(str::to_owned).to_vec(),
        };
        assert_eq!(text.times(&["10.01"]), 2);
        assert_eq!(text.times(&["-10.01"]), 1);
        assert_eq!(text.times(&["0.01"]), 0);
        assert_eq!(text.times(&["110.01", "-10.01"]), 1);
        assert_eq!(text.times(&["-10.01", "110.01"]), 0);
    }
}
