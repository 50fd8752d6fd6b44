package manager

import (
	"net"
	"net/netip"
)

// isLoopback reports whether an address HOST:PORT is on the loopback interface. The name localhost
// counts: it never leaves the machine.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}
