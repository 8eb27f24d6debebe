//! Seeded random numbers (xorshift64*).

/// A sequence of numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence number `stream` of the run's seed.
    pub fn of_stream(stream: u64) -> Self {
        let mixed = super::scale::seed() ^ stream.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut random = Self(mixed | 1);
        // Adjacent seeds begin alike; a few steps separate them.
        for _ in 0..8 {
            random.next();
        }
        random
    }

    /// Draws a number from 0 to less than `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// An index of a list that is not empty.
    pub fn index(&mut self, length: usize) -> usize {
        let length = u64::try_from(length).unwrap();
        usize::try_from(self.below(length)).unwrap()
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }
}
