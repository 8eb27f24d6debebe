//! The client's address: the peer's or, behind a trusted proxy, the one that proxy saw (R14).
//! Nobody else's `x-forwarded-for` is read.

use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;
use poem::{Request, http::HeaderMap, web::RemoteAddr};

/// Reads a network such as 10.0.0.0/8, or one address.
pub fn network(text: &str) -> Result<IpNet, String> {
    let address = || text.parse::<IpAddr>().map(IpNet::from);
    text.parse::<IpNet>().or_else(|_| address()).map_err(|_| {
        format!(
            "`{text}` is no network; \
             write an address such as 10.0.0.7, or a network such as 10.0.0.0/8"
        )
    })
}

pub(super) fn is_trusted(address: IpAddr, trusted_proxies: &[IpNet]) -> bool {
    let mut networks = trusted_proxies.iter();
    networks.any(|network| network.contains(&address.to_canonical()))
}

pub(super) fn of(request: &Request, trusted_proxies: &[IpNet]) -> Option<IpAddr> {
    let RemoteAddr(peer) = request.remote_addr();
    let peer = peer.as_socket_addr()?.ip();
    Some(behind_proxies(peer, request.headers(), trusted_proxies))
}

/// Proxies append, so the list is read from its end: the last address that is no trusted proxy.
fn behind_proxies(peer: IpAddr, headers: &HeaderMap, trusted_proxies: &[IpNet]) -> IpAddr {
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
    use crate::outcomes::outcomes;

    #[test]
    fn forwarded_address_may_have_a_port() {
        let trusted = [network("10.0.0.0/8").unwrap()];
        insta::assert_snapshot!(outcomes(include_str!("client_address/forwarded.txt"), |value| {
            let headers = [("x-forwarded-for".parse().unwrap(), value.parse().unwrap())];
            let peer = "10.0.0.1".parse().unwrap();
            behind_proxies(peer, &headers.into_iter().collect(), &trusted).to_string()
        }));
    }

    #[test]
    fn malformed_networks_are_rejected() {
        for wrong in ["", "10.0.0.0/33", "10.0.0/8", "::/129", "host"] {
            assert!(network(wrong).is_err(), "{wrong:?}");
        }
        assert!(is_trusted("203.0.113.9".parse().unwrap(), &[network("0.0.0.0/0").unwrap()]));
    }
}
