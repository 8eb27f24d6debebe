//! The client's address: the peer's or, behind a trusted proxy, the one that proxy saw (R14).
//! Nobody else's `x-forwarded-for` is read.

use std::{
    net::{IpAddr, SocketAddr},
    str::FromStr,
};

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
                let mask = u32::MAX.checked_shl(u32::from(32 - self.prefix));
                let mask = mask.unwrap_or(0);
                network.to_bits() & mask == address.to_bits() & mask
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let mask = u128::MAX.checked_shl(u32::from(128 - self.prefix));
                let mask = mask.unwrap_or(0);
                network.to_bits() & mask == address.to_bits() & mask
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = match text.split_once('/') {
            Some((address, prefix)) => address.parse().ok().zip(prefix.parse().ok()),
            None => text.parse().ok().map(|address| (address, bits(address))),
        };
        let parsed = parsed.filter(|(address, prefix)| *prefix <= bits(*address));
        let (address, prefix) = parsed.ok_or_else(|| {
            format!(
                "`{text}` is no network; \
                 write an address such as 10.0.0.7, or a network such as 10.0.0.0/8"
            )
        })?;
        Ok(Self { address, prefix })
    }
}

fn bits(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// Returns true if the address belongs to one of these proxies.
pub(super) fn is_trusted(address: IpAddr, trusted_proxies: &[Network]) -> bool {
    let mut networks = trusted_proxies.iter();
    networks.any(|network| network.contains(address))
}

pub(super) fn of(request: &Request, trusted_proxies: &[Network]) -> Option<IpAddr> {
    let RemoteAddr(peer) = request.remote_addr();
    let peer = peer.as_socket_addr()?.ip();
    Some(behind_proxies(peer, request.headers(), trusted_proxies))
}

/// Proxies append, so the list is read from its end: the last address that is no trusted proxy.
fn behind_proxies(peer: IpAddr, headers: &HeaderMap, trusted_proxies: &[Network]) -> IpAddr {
    let values = headers.get_all("x-forwarded-for").iter();
    let values = values.filter_map(|value| value.to_str().ok());
    let forwarded: Vec<&str> = values.flat_map(|value| value.split(',')).collect();
    let mut client = peer;
    for text in forwarded.iter().rev() {
        if !is_trusted(client, trusted_proxies) {
            break;
        }
        let Some(address) = forwarded_address(text.trim()) else {
            break;
        };
        client = address;
    }
    client
}

/// Some proxies add the client's port, and then put an IPv6 address in brackets.
fn forwarded_address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse().ok().map(|address: SocketAddr| address.ip());
    let in_brackets = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    text.parse().ok().or_else(with_port).or_else(in_brackets)
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
        assert_eq!(client("203.0.113.9", "198.51.100.1", &["10.0.0.0/8"]), "203.0.113.9");
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
    fn forwarded_address_may_have_a_port() {
        for (forwarded, expected) in [
            ("1.2.3.4:5678", "1.2.3.4"),
            ("[::1]:80", "::1"),
            ("[2001:db8::5]", "2001:db8::5"),
            ("203.0.113.1, 1.2.3.4:5678, 10.0.0.2:443", "1.2.3.4"),
            ("1.2.3.4:", "10.0.0.1"),
            ("[1.2.3.4", "10.0.0.1"),
        ] {
            let seen = client("10.0.0.1", forwarded, &["10.0.0.0/8"]);
            assert_eq!(seen, expected, "{forwarded}");
        }
    }

    #[test]
    fn malformed_networks_are_rejected() {
        for wrong in ["", "10.0.0.0/33", "10.0.0/8", "::/129", "host"] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong:?}");
        }
        assert!("0.0.0.0/0".parse::<Network>().unwrap().contains("203.0.113.9".parse().unwrap()));
    }
}
