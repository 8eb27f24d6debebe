//! The logo: a PNG, bounded, decoded once, and blended with white. A soft mask would make viewers
//! draw fringes around letters, and the paper is white.

use std::{io::Cursor, sync::Arc};

use png::{ColorType, Decoder, Limits, Transformations};

use super::deflate::deflate;

pub(crate) const LOGO_FILE_BYTES_LIMIT: usize = 1_048_576;
/// It is printed at most 150 points wide: at this limit with almost 1,000 dots an inch.
pub(crate) const LOGO_SIDE_PIXELS_LIMIT: u32 = 2_048;
/// Most memory of the decoder, without the picture itself.
const DECODER_BYTES_LIMIT: usize = 32 * 1_048_576;

/// A decoded logo: RGB of 8 bits on white. Clones share the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logo {
    pub(super) width_pixels: u32,
    pub(super) height_pixels: u32,
    /// Rows of RGB, deflated once for `FlateDecode`.
    pub(super) deflated_rgb: Arc<[u8]>,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogoError {
    #[error(
        "The logo has {0} bytes, and at most {LOGO_FILE_BYTES_LIMIT} are allowed. Save it with \
         fewer pixels or colours."
    )]
    TooManyBytes(usize),
    #[error(
        "The logo has {0} by {1} pixels, and each side may have 1 to {LOGO_SIDE_PIXELS_LIMIT}. \
         Scale it down."
    )]
    BadSize(u32, u32),
    #[error("The logo cannot be read as PNG ({0}). Export it again as PNG.")]
    Unreadable(String),
}

impl Logo {
    /// Decodes a PNG of any colour type.
    pub fn from_png(bytes: &[u8]) -> Result<Self, LogoError> {
        if bytes.len() > LOGO_FILE_BYTES_LIMIT {
            return Err(LogoError::TooManyBytes(bytes.len()));
        }
        let limits = Limits { bytes: DECODER_BYTES_LIMIT };
        let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), limits);
        decoder.set_transformations(Transformations::normalize_to_color8());
        let header = decoder.read_header_info().map_err(unreadable)?;
        let (width, height) = (header.width, header.height);
        // Before decoding: a small file may claim a gigantic picture.
        let sides = 1..=LOGO_SIDE_PIXELS_LIMIT;
        if !sides.contains(&width) || !sides.contains(&height) {
            return Err(LogoError::BadSize(width, height));
        }
        let mut reader = decoder.read_info().map_err(unreadable)?;
        let size = reader.output_buffer_size().ok_or(LogoError::BadSize(width, height))?;
        let mut pixels = vec![0; size];
        let info = reader.next_frame(&mut pixels).map_err(unreadable)?;
        reader.finish().map_err(unreadable)?;
        let rgb = on_white(&pixels[..info.buffer_size()], info.color_type);
        Ok(Self { width_pixels: width, height_pixels: height, deflated_rgb: deflate(&rgb).into() })
    }
}

fn unreadable(error: png::DecodingError) -> LogoError {
    LogoError::Unreadable(error.to_string())
}

fn on_white(pixels: &[u8], colours: ColorType) -> Vec<u8> {
    let blend = |colour: u8, alpha: u8| {
        let (colour, alpha) = (u32::from(colour), u32::from(alpha));
        let blended = (colour * alpha + 255 * (255 - alpha) + 127) / 255;
        u8::try_from(blended).expect("a mean of two bytes is a byte")
    };
    match colours {
        ColorType::Grayscale => pixels.iter().flat_map(|grey| [*grey; 3]).collect(),
        ColorType::GrayscaleAlpha => {
            pixels.chunks_exact(2).flat_map(|pixel| [blend(pixel[0], pixel[1]); 3]).collect()
        }
        ColorType::Rgba => pixels
            .chunks_exact(4)
            .flat_map(|pixel| [0, 1, 2].map(|part| blend(pixel[part], pixel[3])))
            .collect(),
        // The decoder resolves palettes.
        ColorType::Rgb | ColorType::Indexed => pixels.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32, colours: ColorType, pixels: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(colours);
        if colours == ColorType::Indexed {
            encoder.set_palette(vec![255, 0, 0, 0, 0, 255]);
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(pixels).unwrap();
        drop(writer);
        bytes
    }

    fn rgb(logo: &Logo) -> Vec<u8> {
        miniz_oxide::inflate::decompress_to_vec_zlib(&logo.deflated_rgb).unwrap()
    }

    #[test]
    fn every_colour_type_becomes_rgb_on_white() {
        let cases: [(ColorType, &[u8], [u8; 6]); 5] = [
            (ColorType::Rgb, &[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]),
            (ColorType::Grayscale, &[7, 8], [7, 7, 7, 8, 8, 8]),
            (ColorType::Indexed, &[0, 1], [255, 0, 0, 0, 0, 255]),
            // Nothing of a wholly transparent black pixel may be seen.
            (ColorType::Rgba, &[0, 0, 0, 0, 0, 0, 0, 255], [255, 255, 255, 0, 0, 0]),
            (ColorType::GrayscaleAlpha, &[0, 128, 0, 255], [127, 127, 127, 0, 0, 0]),
        ];
        for (colours, pixels, expected) in cases {
            let logo = Logo::from_png(&png(2, 1, colours, pixels)).unwrap();
            assert_eq!(rgb(&logo), expected, "{colours:?}");
            assert_eq!((logo.width_pixels, logo.height_pixels), (2, 1));
        }
    }

    #[test]
    fn a_logo_at_the_limits_is_taken_and_one_above_them_is_rejected() {
        let limit = LOGO_SIDE_PIXELS_LIMIT;
        let row = |pixels: u32| vec![9; pixels as usize];
        assert!(Logo::from_png(&png(limit, 1, ColorType::Grayscale, &row(limit))).is_ok());
        assert!(Logo::from_png(&png(1, limit, ColorType::Grayscale, &row(limit))).is_ok());
        assert_eq!(
            Logo::from_png(&png(limit + 1, 1, ColorType::Grayscale, &row(limit + 1))),
            Err(LogoError::BadSize(limit + 1, 1))
        );
        assert_eq!(
            Logo::from_png(&vec![0; LOGO_FILE_BYTES_LIMIT + 1]),
            Err(LogoError::TooManyBytes(LOGO_FILE_BYTES_LIMIT + 1))
        );
    }

    #[test]
    fn a_broken_or_cut_file_is_rejected_and_none_panics() {
        let whole = png(40, 30, ColorType::Rgb, &[128; 40 * 30 * 3]);
        for length in 0..whole.len() {
            let result = Logo::from_png(&whole[..length]);
            assert!(matches!(result, Err(LogoError::Unreadable(_))), "{length} of {}", whole.len());
        }
        assert!(matches!(Logo::from_png(b"GIF89a"), Err(LogoError::Unreadable(_))));
    }
}
