//! Objects of responses keep the members that this version of the client does not know, so that an
//! object of a newer server survives reading and writing.

/// The members of an object that this version of the client does not know: the field
/// `unknown_fields` of each object of a response.
pub type UnknownFields = serde_json::Map<String, serde_json::Value>;
