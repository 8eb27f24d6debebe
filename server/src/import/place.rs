//! The line on which a JSON pointer's value begins.
//!
//! It refuses to judge: the text has been parsed before, and where it surprises, there is no line to tell.

/// Adds a member's name to a pointer (RFC 6901).
#[must_use]
pub fn join(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The line, counted from 1, of the value that `wanted` points to.
#[must_use]
pub fn line_of(text: &str, wanted: &str) -> Option<usize> {
    let mut scanner = Scanner {
        text,
        position: 0,
        wanted,
        found: None,
    };
    scanner.value("");
    let position = scanner.found?;
    Some(text[..position].matches('\n').count() + 1)
}

struct Scanner<'a> {
    text: &'a str,
    position: usize,
    wanted: &'a str,
    found: Option<usize>,
}

impl Scanner<'_> {
    /// Passes one value. Recursion is bounded by the parser that read the text before.
    fn value(&mut self, pointer: &str) -> Option<()> {
        self.blank();
        if pointer == self.wanted {
            self.found = Some(self.position);
        }
        match self.peek()? {
            b'{' => self.members(pointer),
            b'[' => self.items(pointer),
            b'"' => self.string().map(drop),
            _ => {
                while self
                    .peek()
                    .is_some_and(|byte| !b",]} \t\r\n".contains(&byte))
                {
                    self.position += 1;
                }
                Some(())
            }
        }
    }

    fn members(&mut self, pointer: &str) -> Option<()> {
        loop {
            // Past the brace, or past the comma.
            self.position += 1;
            self.blank();
            if self.peek()? == b'}' {
                break;
            }
            let name = self.string()?;
            self.blank();
            self.position += 1;
            self.value(&join(pointer, &name))?;
            self.blank();
            if self.peek()? != b',' {
                break;
            }
        }
        self.position += 1;
        Some(())
    }

    fn items(&mut self, pointer: &str) -> Option<()> {
        for index in 0_usize.. {
            self.position += 1;
            self.blank();
            if self.peek()? == b']' {
                break;
            }
            self.value(&format!("{pointer}/{index}"))?;
            self.blank();
            if self.peek()? != b',' {
                break;
            }
        }
        self.position += 1;
        Some(())
    }

    fn string(&mut self) -> Option<String> {
        let start = self.position;
        self.position += 1;
        while self.peek()? != b'"' {
            self.position += if self.peek()? == b'\\' { 2 } else { 1 };
        }
        self.position += 1;
        serde_json::from_str(self.text.get(start..self.position)?).ok()
    }

    fn blank(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.position += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lead_to_their_lines() {
        let text = "{\n \"a\\\"/\": [1, {},\n  {\"b\": \"é\\\\\",\n \"c\": -1.5}],\n \"d\": null}";
        let cases = [
            ("", 1),
            ("/a\"~1", 2),
            ("/a\"~1/1", 2),
            ("/a\"~1/2", 3),
            ("/a\"~1/2/b", 3),
            ("/a\"~1/2/c", 4),
            ("/d", 5),
        ];
        for (pointer, line) in cases {
            assert_eq!(line_of(text, pointer), Some(line), "{pointer}");
        }
        assert_eq!(line_of(text, "/absent"), None);
    }

    #[test]
    fn a_text_cut_off_anywhere_ends_the_search() {
        let text = "{\"a\": [1, \"b\\\"\", {\"c\": true}]}";
        for length in 0..text.len() {
            assert!(line_of(&text[..length], "/nowhere").is_none());
        }
    }
}
