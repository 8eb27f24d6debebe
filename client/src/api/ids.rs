//! Ids: opaque strings that become a segment of a URL's path. (R5, V1)

use percent_encoding::{AsciiSet, CONTROLS, PercentEncode, utf8_percent_encode};

use crate::types::{PartnerId, PartnerReference};

/// Characters that a segment of a path cannot hold. URL parsers read a backslash as `/`.
const NO_SEGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'/')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'\\')
    .add(b'`')
    .add(b'{')
    .add(b'}');

/// An id as one segment of a path.
pub(crate) fn encode_path(id: &str) -> PercentEncode<'_> {
    utf8_percent_encode(id, NO_SEGMENT)
}

/// A service id names a partner.
impl From<PartnerId> for PartnerReference {
    fn from(id: PartnerId) -> Self {
        Self::from(id.as_str())
    }
}

/// A service id names a partner.
impl From<&PartnerId> for PartnerReference {
    fn from(id: &PartnerId) -> Self {
        Self::from(id.as_str())
    }
}
