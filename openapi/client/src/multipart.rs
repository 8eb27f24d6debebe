//! Bodies of `multipart/form-data` (RFC 7578), and the files that they carry.

use bytes::Bytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::Value;

/// A file of a form. Bytes alone make one that is sent with the name of its part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: Option<String>,
    /// Its media type, in place of the one that the document has.
    pub content_type: Option<String>,
    /// Its content.
    pub bytes: Bytes,
}

impl File {
    /// A file with a name.
    pub fn new(name: impl Into<String>, bytes: impl Into<Bytes>) -> Self {
        Self { name: Some(name.into()), content_type: None, bytes: bytes.into() }
    }

    /// Sets the media type.
    #[must_use]
    pub fn content_type(self, media_type: impl Into<String>) -> Self {
        Self { content_type: Some(media_type.into()), ..self }
    }
}

impl<B: Into<Bytes>> From<B> for File {
    fn from(bytes: B) -> Self {
        Self { bytes: bytes.into(), ..Self::default() }
    }
}

/// A file inside of a body that is still JSON: each byte is the character with its number.
#[derive(Serialize, Deserialize)]
struct Written {
    name: Option<String>,
    content_type: Option<String>,
    bytes: String,
}

impl Serialize for File {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { name, content_type, bytes } = self.clone();
        let bytes = bytes.iter().map(|byte| char::from(*byte)).collect();
        Written { name, content_type, bytes }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for File {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Written { name, content_type, bytes } = Written::deserialize(deserializer)?;
        let bytes: Result<Vec<u8>, _> = bytes.chars().map(u8::try_from).collect();
        let bytes = bytes.map_err(|_| D::Error::custom("a file has bytes alone"))?;
        Ok(Self { name, content_type, bytes: bytes.into() })
    }
}

/// How a member of a body is written, if it is not written like one of a form.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// A file, or several: with this media type if they have none.
    File(&'static str),
    /// JSON.
    Json,
}

/// The parts of a body, and the boundary between them.
#[derive(Default)]
pub(crate) struct Parts(Vec<(String, Vec<u8>)>);

impl Parts {
    pub(crate) fn text(&mut self, name: &str, text: String) {
        self.add(name, String::new(), text.into_bytes());
    }

    /// Adds a value that is not null: each item of a list of files by itself.
    pub(crate) fn add_as(
        &mut self,
        part: Part,
        name: &str,
        value: Value,
    ) -> Result<(), serde_json::Error> {
        match (part, value) {
            (Part::File(_), Value::Array(files)) => {
                files.into_iter().try_for_each(|file| self.add_as(part, name, file))?;
            }
            (Part::File(media_type), file) => {
                let file: File = serde_json::from_value(file)?;
                let file_name = quoted(file.name.as_deref().unwrap_or(name));
                let media_type = file.content_type.as_deref().unwrap_or(media_type);
                let media_type = media_type.replace(['\r', '\n'], " ");
                let rest = format!("; filename=\"{file_name}\"\r\ncontent-type: {media_type}");
                self.add(name, rest, file.bytes.into());
            }
            (Part::Json, value) => {
                let rest = "\r\ncontent-type: application/json".to_owned();
                self.add(name, rest, value.to_string().into_bytes());
            }
        }
        Ok(())
    }

    /// `rest` is what follows the name in the headers of the part.
    fn add(&mut self, name: &str, rest: String, bytes: Vec<u8>) {
        let head =
            format!("content-disposition: form-data; name=\"{}\"{rest}\r\n\r\n", quoted(name));
        self.0.push((head, bytes));
    }

    /// The media type with the boundary, and the body.
    pub(crate) fn written(self) -> (String, Vec<u8>) {
        let is_in = |boundary: &str| {
            let mut parts = self.0.iter();
            parts.any(|(_, it)| it.windows(boundary.len()).any(|at| at == boundary.as_bytes()))
        };
        let mut boundaries = (0..).map(|number| format!("part-of-the-form-{number}"));
        let boundary = boundaries.find(|it| !is_in(it)).expect("there are more than parts");
        let mut body = Vec::new();
        for (head, bytes) in &self.0 {
            body.extend_from_slice(format!("--{boundary}\r\n{head}").as_bytes());
            body.extend_from_slice(bytes);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        (format!("multipart/form-data; boundary={boundary}"), body)
    }
}

/// Escapes a name for quotes as browsers do, which parsers of forms expect.
fn quoted(name: &str) -> String {
    name.replace('\r', "%0D").replace('\n', "%0A").replace('"', "%22")
}
