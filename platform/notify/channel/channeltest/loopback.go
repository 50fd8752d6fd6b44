package channeltest

import (
	"net/netip"

	"github.com/vedette-io/vedette/platform/notify/channel"
)

// Loopback returns a guard that allows the servers of this package.
func Loopback() channel.Guard {
	return channel.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}}
}
