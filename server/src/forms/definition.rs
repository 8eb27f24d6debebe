//! What an operator writes of a form: its name, its kind and its fields (X15).

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::contract::value_sets::{FormFieldType, FormKind};

pub const KEY_LIMIT_CHARACTERS: usize = 64;
pub const FIELDS_LIMIT: usize = 100;
pub const OPTIONS_LIMIT: usize = 500;
/// Limits the name of a form, and the label of a field and of an option.
pub const LABEL_LIMIT_CHARACTERS: usize = 200;
pub const HELP_LIMIT_CHARACTERS: usize = 1_000;
/// How many characters a line of text has at most, and by default.
pub const TEXT_LIMIT_CHARACTERS: u32 = 255;
/// How many characters a long text has at most, and by default.
pub const LONG_TEXT_LIMIT_CHARACTERS: u32 = 10_000;

/// A form as its file has it, with the default of each limit filled in.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Definition {
    pub name: String,
    pub kind: FormKind,
    /// True if a submission waits until an operator accepts it.
    pub review: bool,
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Field {
    /// Its name in a submission.
    pub key: String,
    pub label: String,
    pub help: Option<String>,
    pub r#type: FormFieldType,
    #[serde(default)]
    pub required: bool,
    /// Of texts alone.
    pub max_length: Option<u32>,
    /// Of selections alone.
    #[serde(default)]
    pub options: Vec<Choice>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    pub value: String,
    pub label: String,
}

impl Definition {
    /// Reads a form's file. An error names every problem, one on each line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let read = serde_json::from_str::<Self>(text);
        read.map_err(|error| error.to_string())?.checked()
    }

    /// Fills in the default limits; an error names every problem, one on each line.
    pub fn checked(mut self) -> Result<Self, String> {
        for field in &mut self.fields {
            field.max_length = field.max_length.or_else(|| field.longest());
        }
        let problems = self.problems();
        if problems.is_empty() { Ok(self) } else { Err(problems.join("\n")) }
    }

    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        check_length("name", &self.name, LABEL_LIMIT_CHARACTERS, &mut problems);
        check_count("fields", self.fields.len(), FIELDS_LIMIT, &mut problems);
        let mut keys = HashSet::new();
        for (index, field) in self.fields.iter().enumerate() {
            let at = format!("fields[{index}]");
            field.check(&at, &mut problems);
            if !keys.insert(&field.key) {
                problems.push(format!("{at}.key: `{}` is used twice", field.key));
            }
        }
        problems
    }
}

impl Field {
    /// How many characters a field of this type has at most; `None` where it is no text.
    fn longest(&self) -> Option<u32> {
        match self.r#type {
            FormFieldType::Text => Some(TEXT_LIMIT_CHARACTERS),
            FormFieldType::LongText => Some(LONG_TEXT_LIMIT_CHARACTERS),
            _ => None,
        }
    }

    fn is_selection(&self) -> bool {
        matches!(self.r#type, FormFieldType::Select | FormFieldType::MultiSelect)
    }

    fn check(&self, at: &str, problems: &mut Vec<String>) {
        let key = self.key.as_bytes();
        if !key.first().is_some_and(u8::is_ascii_lowercase)
            || !key.iter().all(u8::is_ascii_alphanumeric)
            || key.len() > KEY_LIMIT_CHARACTERS
        {
            problems.push(format!(
                "{at}.key: must have 1 to {KEY_LIMIT_CHARACTERS} letters and digits of ASCII, and \
                 begin with a small letter"
            ));
        }
        check_length(&format!("{at}.label"), &self.label, LABEL_LIMIT_CHARACTERS, problems);
        if let Some(help) = &self.help {
            check_length(&format!("{at}.help"), help, HELP_LIMIT_CHARACTERS, problems);
        }
        match (self.max_length, self.longest()) {
            (Some(_), None) => problems
                .push(format!("{at}.maxLength: only a TEXT or LONG_TEXT has it; leave it out")),
            (Some(length), Some(longest)) if !(1..=longest).contains(&length) => {
                problems.push(format!("{at}.maxLength: must be from 1 to {longest}"));
            }
            _ => {}
        }
        self.check_options(&format!("{at}.options"), problems);
    }

    fn check_options(&self, at: &str, problems: &mut Vec<String>) {
        if !self.is_selection() {
            if !self.options.is_empty() {
                let message = "only a SELECT or MULTI_SELECT has them; leave them out";
                problems.push(format!("{at}: {message}"));
            }
            return;
        }
        check_count(at, self.options.len(), OPTIONS_LIMIT, problems);
        let mut values = HashSet::new();
        for (index, Choice { value, label }) in self.options.iter().enumerate() {
            let at = format!("{at}[{index}]");
            check_length(&format!("{at}.value"), value, LABEL_LIMIT_CHARACTERS, problems);
            check_length(&format!("{at}.label"), label, LABEL_LIMIT_CHARACTERS, problems);
            if !values.insert(value) {
                problems.push(format!("{at}.value: `{value}` is used twice"));
            }
        }
    }
}

fn check_length(at: &str, text: &str, limit: usize, problems: &mut Vec<String>) {
    if text.contains('\0') {
        problems.push(format!("{at}: must not contain U+0000"));
    }
    if text.trim().is_empty() || text.chars().count() > limit {
        problems.push(format!("{at}: must have 1 to {limit} characters, and not only spaces"));
    }
}

fn check_count(at: &str, count: usize, limit: usize, problems: &mut Vec<String>) {
    if !(1..=limit).contains(&count) {
        problems.push(format!("{at}: must have 1 to {limit} entries, has {count}"));
    }
}
