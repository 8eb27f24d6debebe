//! Seeded random numbers (SplitMix64).

/// A generator of random numbers.
pub struct Random(u64);

impl Random {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The generator of one number of a series, which can be repeated without those before it.
    pub fn of_one(seed: u64, number: usize) -> Self {
        let mut series = Self(seed ^ (number as u64).wrapping_mul(0xD134_2543_DE82_EF95));
        Self(series.draw())
    }

    /// A number below `bound`.
    pub fn next(&mut self, bound: usize) -> usize {
        usize::try_from(self.draw() % bound as u64).unwrap()
    }

    /// One of several.
    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.next(from.len())]
    }

    /// True once in this many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.next(times) == 0
    }

    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}
