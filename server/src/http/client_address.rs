//! Whose request it is: the peer's address or, behind a trusted proxy, the one that proxy saw (R14).
//!
//! It refuses to believe `x-forwarded-for` of anybody else.

use std::{net::IpAddr, str::FromStr};

use poem::{Request, http::HeaderMap, web::RemoteAddr};

/// A network in the form `address/prefix`, or one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

impl Network {
    fn contains(self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let mask = u32::MAX
                    .checked_shl(u32::from(32 - self.prefix))
                    .unwrap_or(0);
                network.to_bits() & mask == address.to_bits() & mask
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let mask = u128::MAX
                    .checked_shl(u32::from(128 - self.prefix))
                    .unwrap_or(0);
                network.to_bits() & mask == address.to_bits() & mask
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let malformed = || {
            format!(
                "`{text}` is no network; write an address such as 10.0.0.7, or a network such as 10.0.0.0/8"
            )
        };
        let (address, prefix) = text
            .split_once('/')
            .map_or((text, None), |(address, prefix)| (address, Some(prefix)));
        let address: IpAddr = address.parse().map_err(|_| malformed())?;
        let bits = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix
            .map_or(Ok(bits), str::parse)
            .map_err(|_| malformed())?;
        if prefix > bits {
            return Err(malformed());
        }
        Ok(Self { address, prefix })
    }
}

/// Whether the address is one of these proxies'.
#[must_use]
pub fn is_trusted(address: IpAddr, trusted_proxies: &[Network]) -> bool {
    let mut networks = trusted_proxies.iter();
    networks.any(|network| network.contains(address))
}

/// The client's address.
#[must_use]
pub fn of(request: &Request, trusted_proxies: &[Network]) -> Option<IpAddr> {
    let RemoteAddr(peer) = request.remote_addr();
    let peer = peer.as_socket_addr()?.ip();
    Some(behind_proxies(peer, request.headers(), trusted_proxies))
}

/// Proxies append, so the list is read from its end: the last address that is no trusted proxy.
fn behind_proxies(peer: IpAddr, headers: &HeaderMap, trusted_proxies: &[Network]) -> IpAddr {
    let values = headers
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|value| value.to_str().ok());
    let forwarded: Vec<&str> = values.flat_map(|value| value.split(',')).collect();
    let mut client = peer;
    for address in forwarded.iter().rev() {
        if !is_trusted(client, trusted_proxies) {
            break;
        }
        let Ok(address) = address.trim().parse() else {
            break;
        };
        client = address;
    }
    client
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(peer: &str, forwarded: &str, trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", forwarded.parse().unwrap());
        let trusted: Vec<Network> = trusted.iter().map(|text| text.parse().unwrap()).collect();
        behind_proxies(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn a_stranger_cannot_choose_its_address() {
        assert_eq!(
            client("203.0.113.9", "198.51.100.1", &["10.0.0.0/8"]),
            "203.0.113.9"
        );
    }

    #[test]
    fn behind_trusted_proxies_the_last_untrusted_address_counts() {
        let trusted = &["10.0.0.0/8"][..];
        assert_eq!(
            client("10.0.0.1", "198.51.100.66, 198.51.100.1, 10.0.0.2", trusted),
            "198.51.100.1"
        );
        assert_eq!(client("10.0.0.1", "junk", trusted), "10.0.0.1");
        assert_eq!(client("::1", "2001:db8::5", &["::1"]), "2001:db8::5");
    }

    #[test]
    fn networks_are_refused_with_the_form_that_is_wanted() {
        for wrong in ["", "10.0.0.0/33", "10.0.0/8", "::/129", "host"] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong:?}");
        }
        assert!(
            "0.0.0.0/0"
                .parse::<Network>()
                .unwrap()
                .contains("203.0.113.9".parse().unwrap())
        );
    }
}
