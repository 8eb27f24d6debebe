//! Secrets: API keys and signatures of links. Outputs show `$VARIABLE` instead: where they come
//! from.

use std::fmt;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

/// An API key, and the environment variable it came from.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret {
    variable: String,
    text: String,
}

impl Secret {
    pub(crate) fn new(variable: impl Into<String>, text: impl Into<String>) -> Self {
        Self { variable: variable.into(), text: text.into() }
    }

    /// The secret itself, for sending.
    pub(crate) fn expose(&self) -> &str {
        &self.text
    }

    /// Another text derived from this one, still secret: `$VARIABLE_ALTERED`.
    pub(crate) fn altered(&self, change: impl FnOnce(&str) -> String) -> Self {
        Self::new(format!("{}_ALTERED", self.variable), change(&self.text))
    }

    /// What is shown instead: `$VARIABLE`.
    pub(crate) fn placeholder(&self) -> String {
        format!("${}", self.variable)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.placeholder())
    }
}

#[derive(Clone)]
pub(crate) struct Redaction {
    secrets: Vec<Secret>,
    /// Finds all of them in one pass, as every text of every exchange comes here more than once.
    finder: AhoCorasick,
}

impl Redaction {
    pub(crate) fn of(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let is_secret = |secret: &Secret| !secret.text.is_empty();
        let secrets: Vec<Secret> = secrets.into_iter().filter(is_secret).collect();
        let finder = finder(&secrets);
        Self { secrets, finder }
    }

    /// Adds one that was found during the run, such as a link's signature.
    pub(crate) fn add(&mut self, secret: Secret) {
        if !secret.text.is_empty() && !self.secrets.contains(&secret) {
            self.secrets.push(secret);
            self.finder = finder(&self.secrets);
        }
    }

    pub(crate) fn apply(&self, text: &str) -> String {
        self.put(text, Secret::placeholder)
    }

    pub(crate) fn replace(&self, text: &str, word: &str) -> String {
        self.put(text, |_| word.to_owned())
    }

    /// The parts of the text in order: what may be shown, and the secrets between.
    pub(crate) fn pieces<'a>(&'a self, text: &'a str) -> Vec<Piece<'a>> {
        let mut pieces = Vec::new();
        let mut shown = 0;
        for found in self.finder.find_iter(text) {
            pieces.push(Piece::Shown(&text[shown..found.start()]));
            pieces.push(Piece::Secret(&self.secrets[found.pattern().as_usize()]));
            shown = found.end();
        }
        pieces.push(Piece::Shown(&text[shown..]));
        pieces.retain(|piece| !matches!(piece, Piece::Shown("")));
        pieces
    }

    fn put(&self, text: &str, instead: impl Fn(&Secret) -> String) -> String {
        let mut shown = String::with_capacity(text.len());
        self.finder.replace_all_with(text, &mut shown, |found, _, shown| {
            shown.push_str(&instead(&self.secrets[found.pattern()]));
            true
        });
        shown
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    Shown(&'a str),
    Secret(&'a Secret),
}

impl Default for Redaction {
    fn default() -> Self {
        Self::of([])
    }
}

fn finder(secrets: &[Secret]) -> AhoCorasick {
    AhoCorasick::builder()
        // One that contains another is removed whole.
        .match_kind(MatchKind::LeftmostLongest)
        // The one that is built fastest: most are used for one case only.
        .kind(Some(AhoCorasickKind::NoncontiguousNFA))
        .build(secrets.iter().map(Secret::expose))
        .expect("secrets are far shorter together than the 2 GiB that an automaton may hold")
}

/// Without the automaton, which contains the secrets.
impl fmt::Debug for Redaction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(&self.secrets).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_shown_as_the_variable_it_came_from() {
        let secret = Secret::new("KEY_ALL", "pcp_test_abc");
        assert_eq!(format!("{secret:?}"), "$KEY_ALL");
        let redaction = Redaction::of([secret, Secret::new("EMPTY", "")]);
        assert_eq!(format!("{redaction:?}"), "[$KEY_ALL]");
        assert_eq!(
            redaction.apply("x-api-key: pcp_test_abc, twice pcp_test_abc"),
            "x-api-key: $KEY_ALL, twice $KEY_ALL"
        );
        assert_eq!(redaction.replace("?key=pcp_test_abc", "[key]"), "?key=[key]");
    }

    #[test]
    fn longer_secret_goes_before_one_that_it_holds() {
        let redaction = Redaction::of([Secret::new("SHORT", "abc"), Secret::new("LONG", "abcdef")]);
        assert_eq!(redaction.apply("abcdef abc"), "$LONG $SHORT");
        let redaction = Redaction::of([Secret::new("SHORT", "def"), Secret::new("LONG", "abcdef")]);
        assert_eq!(redaction.apply("abcdef def"), "$LONG $SHORT");
    }

    #[test]
    fn added_secret_is_removed_from_then_on() {
        let mut redaction = Redaction::of([Secret::new("KEY", "abc")]);
        assert_eq!(redaction.apply("abc uvw"), "$KEY uvw");
        redaction.add(Secret::new("LINK_QUERY", "uvw"));
        assert_eq!(redaction.apply("abc uvw"), "$KEY $LINK_QUERY");
    }
}
