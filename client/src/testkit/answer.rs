//! One answer of the server: a documented one, or one of a server that is newer or in trouble.

use std::time::Duration;

use bytes::Bytes;
use reqwest::{
    StatusCode,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION},
};
use serde_json::{Value, json};

use super::documented::{self, Body, Places, Response};
use crate::{ErrorCode, Operation};

/// A field and a value that no version of the document has.
const UNKNOWN: (&str, &str) = ("fieldOfANewerServer", "VALUE_OF_A_NEWER_SERVER");
const PROXY_PAGE: &str = "<html><head><title>502 Bad Gateway</title></head><body>…</body></html>";
/// A page without content.
const PDF: &str = "%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj
xref
0 4
0000000000 65535 f\x20
0000000009 00000 n\x20
0000000052 00000 n\x20
0000000101 00000 n\x20
trailer<</Size 4/Root 1 0 R>>
startxref
164
%%EOF
";

/// The response of the [`Server`](super::Server) to one request.
///
/// ```
/// use payout_client::{ErrorCode, Operation, testkit::Answer};
///
/// let missing = Answer::error(Operation::GetPayout, 404, ErrorCode::NotFound);
/// let slow = Answer::success(Operation::GetPayout).after(std::time::Duration::from_secs(1));
/// # let _ = slow;
/// assert_eq!(missing.status(), 404);
/// ```
#[derive(Clone, Debug)]
pub struct Answer {
    pub(super) status: StatusCode,
    code: Option<&'static str>,
    example: Option<&'static str>,
    pub(super) headers: HeaderMap,
    optional_headers: Vec<HeaderName>,
    pub(super) content: Content,
    pub(super) places: Places,
    pub(super) delay: Duration,
    pub(super) cut: Option<Cut>,
    pub(super) is_observed: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    Json(Value),
    Bytes(Bytes),
}

impl Content {
    pub(super) fn bytes(self) -> Bytes {
        match self {
            Self::Json(body) => body.to_string().into(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// The part of the answer in which the connection ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cut {
    Head,
    Body,
}

impl Answer {
    /// Every documented answer of an operation, ascending by status: all examples of its successes
    /// and errors, and each error code.
    pub fn documented(operation: Operation) -> impl Iterator<Item = Self> {
        documented::responses(operation).flat_map(|(status, response)| {
            response.bodies.iter().map(move |body| Self::of(status, response, body))
        })
    }

    /// The first documented success of an operation.
    #[must_use]
    pub fn success(operation: Operation) -> Self {
        Self::find(operation, "success", |answer| answer.status.is_success())
    }

    /// The documented answer with this status and this example's name, such as
    /// `(201, "CreatedPayout")`.
    ///
    /// # Panics
    /// The document has no such example; the message lists those it has.
    #[must_use]
    #[track_caller]
    pub fn example(operation: Operation, status: u16, name: &str) -> Self {
        Self::find(operation, &format!("{status} {name}"), |answer| {
            answer.status == status && answer.example == Some(name)
        })
    }

    /// The documented error with this status and code.
    ///
    /// # Panics
    /// The document has no such error for the operation; the message lists those it has.
    #[must_use]
    #[track_caller]
    pub fn error(operation: Operation, status: u16, code: impl Into<ErrorCode>) -> Self {
        let code = code.into();
        Self::find(operation, &format!("{status} {code}"), |answer| {
            answer.status == status && answer.code == Some(code.as_str())
        })
    }

    #[track_caller]
    fn find(operation: Operation, wanted: &str, is_it: impl Fn(&Self) -> bool) -> Self {
        let mut answers = Self::documented(operation);
        answers.find(is_it).unwrap_or_else(|| {
            let known: Vec<String> =
                Self::documented(operation).map(|answer| answer.name()).collect();
            panic!("{} has no documented {wanted}; it has {}", operation.id(), known.join(", "))
        })
    }

    pub(super) fn of(status: u16, response: &'static Response, body: &'static Body) -> Self {
        let mut answer = Self::new(status, Content::Json(body.body.clone()));
        answer.code = body.code.as_deref();
        answer.example = body.example.as_deref();
        answer.places = body.places.clone();
        match &response.media_type {
            Some(media_type) => answer = answer.header(CONTENT_TYPE.as_str(), media_type),
            None => answer.content = Content::Bytes(Bytes::new()),
        }
        for (name, value) in response.headers.iter().chain(&response.optional_headers) {
            answer = answer.header(name, value);
        }
        let optional = response.optional_headers.keys();
        answer.optional_headers = optional.filter_map(|name| name.parse().ok()).collect();
        answer
    }

    fn new(status: u16, content: Content) -> Self {
        Self {
            status: StatusCode::from_u16(status).expect("the document has statuses alone"),
            code: None,
            example: None,
            headers: HeaderMap::new(),
            optional_headers: Vec::new(),
            content,
            places: Places::default(),
            delay: Duration::ZERO,
            cut: None,
            is_observed: false,
        }
    }

    pub(super) fn empty(status: u16) -> Self {
        Self::new(status, Content::Bytes(Bytes::new()))
    }

    /// A proxy's 502 with a page of HTML.
    #[must_use]
    pub fn bad_gateway() -> Self {
        let page = Content::Bytes(Bytes::from_static(PROXY_PAGE.as_bytes()));
        Self::new(502, page).header(CONTENT_TYPE.as_str(), "text/html")
    }

    /// A 307 to another address. A client that follows it sends its key there.
    #[must_use]
    pub fn redirect(to: &str) -> Self {
        Self::empty(307).header(LOCATION.as_str(), to)
    }

    /// A small PDF: what a link leads to, unless it has another script.
    #[must_use]
    pub fn pdf() -> Self {
        let pdf = Content::Bytes(Bytes::from_static(PDF.as_bytes()));
        Self::new(200, pdf).header(CONTENT_TYPE.as_str(), "application/pdf")
    }

    /// The 403 of an expired link, as [`DownloadUrl`](crate::DownloadUrl) documents it.
    #[must_use]
    pub fn link_expired() -> Self {
        const CODE: &str = "LINK_EXPIRED";
        let error = json!({ "error": { "code": CODE, "message": "This link has expired." } });
        let mut answer = Self::new(403, Content::Json(error));
        answer.code = Some(CODE);
        answer.header(CONTENT_TYPE.as_str(), "application/json")
    }

    /// The status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The code of an error.
    #[must_use]
    pub fn code(&self) -> Option<ErrorCode> {
        self.code.map(ErrorCode::from)
    }

    /// Its status, with its code and the name of its example.
    pub(super) fn name(&self) -> String {
        let status = self.status.as_u16();
        match (self.code, self.example) {
            (None, None) => status.to_string(),
            (Some(code), Some(example)) if code != example => {
                format!("{status} {code} ({example})")
            }
            (Some(name), _) | (_, Some(name)) => format!("{status} {name}"),
        }
    }

    /// Sets a header.
    ///
    /// # Panics
    /// A header cannot have this name or value.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let name: HeaderName = name.parse().expect("the name of a header");
        self.headers.insert(name, HeaderValue::from_str(value).expect("the value of a header"));
        self
    }

    /// Replaces the body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.content = Content::Bytes(body.into());
        self
    }

    /// Sets the value at a JSON pointer, such as `/data/stage`.
    ///
    /// # Panics
    /// The body has no such place.
    #[must_use]
    pub fn with_value(mut self, pointer: &str, value: impl Into<Value>) -> Self {
        let Content::Json(body) = &mut self.content else { panic!("the body is not JSON") };
        *body.pointer_mut(pointer).expect("a place of the body") = value.into();
        self
    }

    /// Delays the answer. Use it to test timeouts, not to order events.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// The connection ends before the answer begins.
    #[must_use]
    pub fn cut_in_head(mut self) -> Self {
        self.cut = Some(Cut::Head);
        self
    }

    /// The connection ends in the middle of the body.
    #[must_use]
    pub fn cut_in_body(mut self) -> Self {
        self.cut = Some(Cut::Body);
        self
    }

    /// Adds an unknown field to every object.
    #[must_use]
    pub fn with_unknown_fields(mut self) -> Self {
        let (name, value) = UNKNOWN;
        self.edit(
            |places| &places.objects,
            |object| {
                if let Value::Object(members) = object {
                    members.insert(name.to_owned(), value.into());
                }
            },
        );
        self
    }

    /// Replaces the values of every set, open or closed, with a new one.
    #[must_use]
    pub fn with_new_values(mut self) -> Self {
        self.edit(|places| &places.sets, |text| *text = UNKNOWN.1.into());
        self
    }

    /// Removes the headers that the document does not require.
    #[must_use]
    pub fn without_optional_headers(mut self) -> Self {
        for name in &self.optional_headers {
            self.headers.remove(name);
        }
        self
    }

    pub(super) fn has_optional_headers(&self) -> bool {
        !self.optional_headers.is_empty()
    }

    /// Changes the values at some places of a JSON body.
    pub(super) fn edit(
        &mut self,
        places: impl Fn(&Places) -> &Vec<String>,
        change: impl Fn(&mut Value),
    ) {
        if let Content::Json(body) = &mut self.content {
            for at in places(&self.places) {
                body.pointer_mut(at).into_iter().for_each(&change);
            }
        }
    }
}
