//! Calls, and which one is next.
//!
//! It refuses to tell a query to whoever reads an error: it may be a signature.

use std::net::SocketAddr;

/// One call, made again and again. Each must be answered with 200.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// `GET` or `POST`.
    pub(crate) method: &'static str,
    /// Path and query.
    pub(crate) path: String,
    /// The API key; a download needs none.
    pub(crate) key: Option<String>,
}

/// Which call is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// One after the other: no two connections have the same one at a time where there are more calls than connections.
    InTurn,
    /// Drawn evenly, the same ones in each run: as pgbench draws, so that two calls of one organisation meet as often.
    Drawn,
}

impl Call {
    /// The bytes that are sent.
    pub(crate) fn request(&self, address: SocketAddr) -> Vec<u8> {
        let mut request = format!(
            "{} {} HTTP/1.1\r\nhost: {address}\r\n",
            self.method, self.path
        );
        if let Some(key) = &self.key {
            request.push_str("x-api-key: ");
            request.push_str(key);
            request.push_str("\r\n");
        }
        request.push_str("\r\n");
        request.into_bytes()
    }

    /// Without the query, which may be a signature.
    pub(crate) fn bare_path(&self) -> String {
        self.path.split('?').next().unwrap_or_default().to_owned()
    }
}

impl Order {
    /// Of `count` calls the one whose turn it is.
    pub(crate) fn index(self, turn: usize, count: usize) -> usize {
        match self {
            Self::InTurn => turn % count,
            Self::Drawn => mixed(turn) % count,
        }
    }
}

/// SplitMix64: numbers in a row become numbers without any order, the same ones always.
fn mixed(turn: usize) -> usize {
    let turn = u64::try_from(turn).expect("64 bits");
    let mut bits = turn.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    // The upper half is a number on every system.
    ((bits ^ (bits >> 31)) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_carries_host_and_key() {
        let call = Call {
            method: "GET",
            path: "/a?b=c".to_owned(),
            key: Some("secret".to_owned()),
        };
        let address = SocketAddr::from(([127, 0, 0, 1], 8080));
        let expected = "GET /a?b=c HTTP/1.1\r\nhost: 127.0.0.1:8080\r\nx-api-key: secret\r\n\r\n";
        assert_eq!(call.request(address), expected.as_bytes());
    }

    #[test]
    fn drawn_calls_are_spread_evenly_and_have_no_order() {
        let mut counts = [0_u32; 100];
        let drawn: Vec<usize> = (0..100_000)
            .map(|turn| Order::Drawn.index(turn, 100))
            .collect();
        for index in &drawn {
            counts[*index] += 1;
        }
        // A thousand each; four standard deviations of chance to either side.
        assert!(
            counts.iter().all(|count| (870..1_130).contains(count)),
            "{counts:?}"
        );
        let repeated = drawn.windows(2).filter(|pair| pair[0] == pair[1]).count();
        assert!((870..1_130).contains(&repeated), "{repeated}");
        assert_eq!(Order::InTurn.index(101, 100), 1);
    }
}
