//! From the document's names to Rust's. `read` reports those that are the same in Rust.

use heck::{ToShoutySnakeCase, ToSnakeCase, ToUpperCamelCase};
use proc_macro2::{Ident, Span};

/// Names that generated code uses for something else.
const RESERVED: [&str; 57] = [
    "Api",
    "Arguments",
    "BTreeMap",
    "Body",
    "Box",
    "Data",
    "Default",
    "Err",
    "ErrorCode",
    "Fields",
    "Found",
    "FromJson",
    "Future",
    "Handlers",
    "Idempotency",
    "Into",
    "IntoResponse",
    "Invalid",
    "Iterator",
    "Json",
    "List",
    "Map",
    "MaybeUndefined",
    "Method",
    "None",
    "Nullable",
    "Object",
    "Ok",
    "OpenApi",
    "Operation",
    "OperationInfo",
    "OperationResponse",
    "Operations",
    "Option",
    "Path",
    "Problem",
    "Query",
    "QueryList",
    "Reader",
    "RequestForm",
    "Response",
    "Result",
    "Routes",
    "Scope",
    "Self",
    "Send",
    "Serialize",
    "Some",
    "StatusCode",
    "String",
    "Sync",
    "Text",
    "TextMap",
    "ToString",
    "Value",
    "Vec",
    "Violations",
];

/// Names that generated functions use for something else than a parameter.
const RESERVED_VALUES: [&str; 6] = ["body", "caller", "query", "reader", "request", "result"];

/// The name in Rust of a parameter.
pub(super) fn parameter(name: &str) -> Ident {
    if RESERVED_VALUES.contains(&field(name).as_str()) {
        return value_name(&format!("{name}-parameter"));
    }
    value_name(name)
}

/// Returns true if the generated code uses the name for something else.
pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// A type, a variant.
pub(super) fn type_name(name: &str) -> Ident {
    let name = words(name).to_upper_camel_case();
    let starts_with_digit = name.starts_with(|first: char| first.is_ascii_digit());
    identifier(&if starts_with_digit { format!("Value{name}") } else { name })
}

/// A field, a method, an argument.
pub(super) fn value_name(name: &str) -> Ident {
    let name = words(name).to_snake_case();
    let starts_with_digit = name.starts_with(|first: char| first.is_ascii_digit());
    identifier(&if starts_with_digit { format!("value_{name}") } else { name })
}

/// A leading sign as a word: `+1` and `-1` are different names. A text without letters and digits
/// is named by its characters, such as `u3e` for `>`.
fn words(name: &str) -> String {
    if name.is_empty() {
        return "empty".to_owned();
    }
    if !name.chars().any(char::is_alphanumeric) {
        let codes = name.chars().map(|character| format!("u{:x}", u32::from(character)));
        return codes.collect::<Vec<_>>().join("-");
    }
    match name.split_at_checked(1) {
        Some(("+", rest)) => format!("plus-{rest}"),
        Some(("-", rest)) => format!("minus-{rest}"),
        _ => name.to_owned(),
    }
}

/// The name in Rust of a field.
pub(super) fn field(name: &str) -> String {
    words(name).to_snake_case()
}

/// The name in Rust of a variant: the generator and the linter must agree on it.
pub fn variant(name: &str) -> String {
    words(name).to_upper_camel_case()
}

/// A constant, a static.
pub(super) fn constant_name(name: &str) -> Ident {
    let name = name.to_shouty_snake_case();
    let starts_with_digit = name.starts_with(|first: char| first.is_ascii_digit());
    identifier(&if starts_with_digit { format!("VALUE_{name}") } else { name })
}

/// The variant of a status, such as `NotFound`.
pub(super) fn status_name(status: u16) -> Ident {
    match name_of(status) {
        Some(name) => identifier(name),
        None => identifier(&format!("Status{status}")),
    }
}

/// Returns true if the crate `http` names the status.
pub(super) fn has_status_name(status: u16) -> bool {
    name_of(status).is_some()
}

/// The error code of a status, in a document without codes. (`NOT_FOUND`)
pub(super) fn status_code(status: u16) -> String {
    match status {
        415 => "UNSUPPORTED_MEDIA_TYPE".to_owned(),
        500 => "INTERNAL_ERROR".to_owned(),
        status => status_name(status).to_string().to_shouty_snake_case(),
    }
}

fn name_of(status: u16) -> Option<&'static str> {
    Some(match status {
        200 => "Ok",
        201 => "Created",
        202 => "Accepted",
        203 => "NonAuthoritativeInformation",
        204 => "NoContent",
        205 => "ResetContent",
        206 => "PartialContent",
        207 => "MultiStatus",
        208 => "AlreadyReported",
        226 => "ImUsed",
        300 => "MultipleChoices",
        301 => "MovedPermanently",
        302 => "Found",
        303 => "SeeOther",
        304 => "NotModified",
        307 => "TemporaryRedirect",
        308 => "PermanentRedirect",
        400 => "BadRequest",
        401 => "Unauthorized",
        402 => "PaymentRequired",
        403 => "Forbidden",
        404 => "NotFound",
        405 => "MethodNotAllowed",
        406 => "NotAcceptable",
        408 => "RequestTimeout",
        409 => "Conflict",
        410 => "Gone",
        411 => "LengthRequired",
        412 => "PreconditionFailed",
        413 => "PayloadTooLarge",
        414 => "UriTooLong",
        415 => "UnsupportedMediaType",
        416 => "RangeNotSatisfiable",
        417 => "ExpectationFailed",
        421 => "MisdirectedRequest",
        422 => "UnprocessableEntity",
        423 => "Locked",
        424 => "FailedDependency",
        426 => "UpgradeRequired",
        428 => "PreconditionRequired",
        429 => "TooManyRequests",
        431 => "RequestHeaderFieldsTooLarge",
        451 => "UnavailableForLegalReasons",
        500 => "InternalServerError",
        501 => "NotImplemented",
        502 => "BadGateway",
        503 => "ServiceUnavailable",
        504 => "GatewayTimeout",
        418 => "ImATeapot",
        505 => "HttpVersionNotSupported",
        506 => "VariantAlsoNegotiates",
        507 => "InsufficientStorage",
        508 => "LoopDetected",
        510 => "NotExtended",
        511 => "NetworkAuthenticationRequired",
        _ => return None,
    })
}

fn identifier(name: &str) -> Ident {
    // `self`, `super`, `crate` and `Self` cannot be raw identifiers.
    if matches!(name, "self" | "super" | "crate" | "Self") {
        return Ident::new(&format!("{name}_"), Span::call_site());
    }
    if syn::parse_str::<Ident>(name).is_ok() {
        Ident::new(name, Span::call_site())
    } else {
        Ident::new_raw(name, Span::call_site())
    }
}
