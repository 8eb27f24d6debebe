//! The embedded faces: Noto Sans and Noto Sans Arabic, regular and bold. Their licence is in
//! `files/OFL.txt`.

use rustybuzz::Face;

use super::{catalogue::Weight, metrics::Metrics};

pub(super) const COUNT: usize = 4;

/// The order is that of preference. `FaceId::text` requires regular and bold of Noto Sans first.
const FILES: [(Weight, &[u8]); COUNT] = [
    (Weight::Regular, include_bytes!("files/NotoSans-Regular.ttf")),
    (Weight::Bold, include_bytes!("files/NotoSans-Bold.ttf")),
    (Weight::Regular, include_bytes!("files/NotoSansArabic-Regular.ttf")),
    (Weight::Bold, include_bytes!("files/NotoSansArabic-Bold.ttf")),
];

pub(super) struct Embedded {
    pub(super) weight: Weight,
    pub(super) bytes: &'static [u8],
    pub(super) face: Face<'static>,
    pub(super) metrics: Metrics,
}

pub(super) fn load() -> [Embedded; COUNT] {
    FILES.map(|(weight, bytes)| {
        let face = Face::from_slice(bytes, 0).expect("the embedded fonts are whole");
        Embedded { weight, bytes, metrics: Metrics::of(&face), face }
    })
}
