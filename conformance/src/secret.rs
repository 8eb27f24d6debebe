//! Secrets: API keys and the signatures of links, which no output may hold.
//!
//! It refuses to show one: in their place stands where they come from, as `$VARIABLE`.

use std::fmt;

/// An API key, and the environment variable it came from.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    variable: String,
    text: String,
}

impl Secret {
    /// A secret that was read from this environment variable.
    #[must_use]
    pub fn new(variable: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            variable: variable.into(),
            text: text.into(),
        }
    }

    /// The secret itself, to be sent.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// Another text made from this one, still secret: `$VARIABLE_ALTERED`.
    #[must_use]
    pub fn altered(&self, change: impl FnOnce(&str) -> String) -> Self {
        Self::new(format!("{}_ALTERED", self.variable), change(&self.text))
    }

    /// What stands in its place: `$VARIABLE`.
    #[must_use]
    pub fn placeholder(&self) -> String {
        format!("${}", self.variable)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.placeholder())
    }
}

/// Takes secrets out of whatever is about to be shown.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    secrets: Vec<Secret>,
}

impl Redaction {
    /// Of these secrets.
    #[must_use]
    pub fn of(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let mut secrets: Vec<Secret> = secrets
            .into_iter()
            .filter(|secret| !secret.text.is_empty())
            .collect();
        // One that holds another is taken out first.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.text.len()));
        Self { secrets }
    }

    /// Another one, found on the way, such as a link's signature.
    pub fn add(&mut self, secret: Secret) {
        if !secret.text.is_empty() && !self.secrets.contains(&secret) {
            self.secrets.push(secret);
            self.secrets
                .sort_by_key(|secret| std::cmp::Reverse(secret.text.len()));
        }
    }

    /// The text with each secret's placeholder in its place.
    #[must_use]
    pub fn apply(&self, text: &str) -> String {
        self.put(text, Secret::placeholder)
    }

    /// The text with one word in place of each secret, wherever it came from.
    #[must_use]
    pub fn replace(&self, text: &str, word: &str) -> String {
        self.put(text, |_| word.to_owned())
    }

    fn put(&self, text: &str, instead: impl Fn(&Secret) -> String) -> String {
        let mut shown = text.to_owned();
        for secret in &self.secrets {
            if shown.contains(&secret.text) {
                shown = shown.replace(&secret.text, &instead(secret));
            }
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_shown_as_the_variable_it_came_from() {
        let secret = Secret::new("KEY_ALL", "pcp_test_abc");
        assert_eq!(format!("{secret:?}"), "$KEY_ALL");
        let redaction = Redaction::of([secret]);
        assert_eq!(
            redaction.apply("x-api-key: pcp_test_abc, twice pcp_test_abc"),
            "x-api-key: $KEY_ALL, twice $KEY_ALL"
        );
        assert_eq!(
            redaction.replace("?key=pcp_test_abc", "[key]"),
            "?key=[key]"
        );
    }

    #[test]
    fn longer_secret_goes_before_one_that_it_holds() {
        let redaction = Redaction::of([Secret::new("SHORT", "abc"), Secret::new("LONG", "abcdef")]);
        assert_eq!(redaction.apply("abcdef abc"), "$LONG $SHORT");
    }

    #[test]
    fn empty_secret_takes_nothing_out() {
        let mut redaction = Redaction::of([Secret::new("EMPTY", "")]);
        redaction.add(Secret::new("EMPTY", ""));
        assert_eq!(redaction.apply("text"), "text");
    }
}
