//! Deflates streams, always at one level and with a library whose back end no other crate switches:
//! the same statement has the same bytes in every build.

use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress, create_comp_flags_from_zip_params,
};

/// Above it, documents shrink by less than a fiftieth.
const LEVEL: i32 = 4;
/// Any positive number requests zlib's header.
const ZLIB_WINDOW: i32 = 15;
const DEFAULT_STRATEGY: i32 = 0;

/// Deflates streams one after another. Its tables are large, so a document has one.
pub(crate) struct Deflater(Box<CompressorOxide>);

impl Deflater {
    pub(crate) fn new() -> Self {
        let flags = create_comp_flags_from_zip_params(LEVEL, ZLIB_WINDOW, DEFAULT_STRATEGY);
        Self(Box::new(CompressorOxide::new(flags)))
    }

    /// Deflates into zlib's format, for `FlateDecode`.
    pub(crate) fn deflate(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.0.reset();
        let mut deflated = vec![0; bytes.len() / 2 + 64];
        let (mut read, mut written) = (0, 0);
        loop {
            let rest = &bytes[read..];
            let free = &mut deflated[written..];
            let (status, taken, given) = compress(&mut self.0, rest, free, TDEFLFlush::Finish);
            read += taken;
            written += given;
            match status {
                TDEFLStatus::Done => break,
                TDEFLStatus::Okay => deflated.resize(deflated.len() * 2, 0),
                TDEFLStatus::BadParam | TDEFLStatus::PutBufFailed => {
                    unreachable!("there are parameters, and no function that takes the output")
                }
            }
        }
        deflated.truncate(written);
        deflated
    }
}

#[cfg(test)]
mod tests {
    use miniz_oxide::inflate::decompress_to_vec_zlib;

    use super::*;

    #[test]
    fn streams_come_back_whole_and_do_not_touch_each_other() {
        let mut deflater = Deflater::new();
        let noise: Vec<u8> = (0..100_000_u32)
            .map(|index| index.wrapping_mul(2_654_435_761).to_be_bytes()[0])
            .collect();
        let streams: [&[u8]; 4] = [b"", &[7; 70_000], &noise, b"0 0 m"];
        for stream in streams {
            let deflated = deflater.deflate(stream);
            let inflated = decompress_to_vec_zlib(&deflated).unwrap();
            assert!(inflated == stream, "{} bytes", stream.len());
            assert_eq!(deflated, Deflater::new().deflate(stream));
        }
    }
}
