//! How clients reach a server.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The URL at which clients on this machine reach who listens here. On all addresses, that is the loopback address: no
/// client can connect to `0.0.0.0`.
pub(crate) fn url(address: SocketAddr) -> String {
    let host = match address.ip() {
        IpAddr::V4(host) if host.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(host) if host.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        host @ (IpAddr::V4(_) | IpAddr::V6(_)) => host,
    };
    format!("http://{}", SocketAddr::new(host, address.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_addresses_are_reached_by_the_loopback() {
        let of = |address: &str| url(address.parse().expect("an address"));
        assert_eq!(of("127.0.0.1:80"), "http://127.0.0.1:80");
        assert_eq!(of("0.0.0.0:80"), "http://127.0.0.1:80");
        assert_eq!(of("[::]:80"), "http://[::1]:80");
        assert_eq!(of("192.0.2.7:80"), "http://192.0.2.7:80");
    }
}
