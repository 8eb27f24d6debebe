//! Deflates streams, always at one level and with a library whose back end no other crate switches:
//! the same statement has the same bytes in every build.

use miniz_oxide::deflate::compress_to_vec_zlib;

/// Above it, documents shrink by less than a fiftieth.
const LEVEL: u8 = 4;

/// Deflates into zlib's format, for `FlateDecode`.
pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec_zlib(bytes, LEVEL)
}
