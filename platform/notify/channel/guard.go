package channel

import (
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Guard determines the addresses that a client may connect to, and the proxy.
//
// The URL of a channel may come from a person without access to the network of the
// program. A guard therefore refuses every address that is not public: the loopback,
// private networks, link-local addresses with the metadata services of clouds, the shared
// addresses of carriers, multicast, and the IPv6 addresses that contain such an IPv4
// address. It checks the dialed address after name resolution, so changing the address of
// a name does not bypass it.
//
// The zero Guard allows no private address.
type Guard struct {
	// Allow are networks that are allowed although they are not public. A network with
	// more than one address does not allow the metadata services in it.
	Allow []netip.Prefix
	// AllowHosts are host names whose addresses need not be public, in lower case.
	// "*.corp.example" means all names below corp.example. The metadata services stay
	// forbidden.
	AllowHosts []string
	// Deny are more forbidden networks, such as the organization's public addresses. Deny
	// takes precedence over Allow and AllowHosts.
	Deny []netip.Prefix
	// Proxy, if set, is used for all connections; a client never uses a proxy from the
	// environment. The program then resolves no names, so the guard sees only addresses in
	// URLs. The proxy must refuse forbidden names.
	Proxy *url.URL
	// Roots are the certificate authorities; nil means the system's.
	Roots *x509.CertPool
	// Resolver resolves host names; nil means the system's.
	Resolver *net.Resolver
}

// RefusedError is the error of a guard that refuses an address.
type RefusedError struct {
	Address netip.Addr
	Why     string // "a private network"
}

// Error implements error.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("the address %s is refused: it is %s; allow it in the settings of the channels if this is intended", e.Address, e.Why)
}

// Check returns nil if a client may connect to an address of a host. The host is the
// resolved name, or the address itself.
//
// Errors: a RefusedError.
func (g *Guard) Check(host string, address netip.Addr) error {
	address = address.WithZone("")
	plain := address.Unmap()
	if inner, ok := embedded(plain); ok {
		plain = inner
	}
	for _, p := range g.Deny {
		if p.Contains(plain) || p.Contains(address) {
			return &RefusedError{address, "in " + p.String() + ", which the settings deny"}
		}
	}
	why := special(plain)
	if why == "" {
		return nil
	}
	metadata := why == aMetadataService
	for _, p := range g.Allow {
		p = unmapped(p)
		if (p.Contains(plain) || p.Contains(address)) && (!metadata || p.IsSingleIP()) {
			return nil
		}
	}
	if !metadata && g.allowsHost(host) {
		return nil
	}
	return &RefusedError{address, why}
}

func (g *Guard) allowsHost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, allowed := range g.AllowHosts {
		if suffix, ok := strings.CutPrefix(allowed, "*"); ok && strings.HasPrefix(suffix, ".") && strings.HasSuffix(host, suffix) {
			return true
		}
		if host == allowed {
			return true
		}
	}
	return false
}

// unmapped returns the IPv4 network of ::ffff:a.b.c.d/n with n >= 96.
func unmapped(p netip.Prefix) netip.Prefix {
	if p.Addr().Is4In6() && p.Bits() >= 96 {
		return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
	}
	return p
}

const (
	aMetadataService = "a metadata service of a cloud"
	anOwnNetwork     = "a private network"
)

// networks are the forbidden networks with their descriptions. The first network that
// contains an address determines the description. Sources: the registry of special-purpose
// addresses (RFC 6890) and, for the metadata services, the documentation of the clouds.
var networks = func() (all []network) {
	for _, row := range []struct{ prefixes, is string }{
		{"169.254.169.254/32 169.254.170.2/32 169.254.170.23/32 169.254.169.253/32 100.100.100.200/32 192.0.0.192/32 168.63.129.16/32 fd00:ec2::254/128 fd00:ec2::23/128 fd20:ce::254/128", aMetadataService},
		{"0.0.0.0/8 ::/128", "an unspecified address"},
		{"127.0.0.0/8 ::1/128", "this machine"},
		{"10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10", anOwnNetwork},
		{"100.64.0.0/10", "the shared network of a carrier"},
		{"169.254.0.0/16 fe80::/10", "a link-local address"},
		{"224.0.0.0/4 ff00::/8", "a multicast address"},
		{"192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20", "an address for documents"},
		{"2001::/32", "a Teredo address, which may contain any IPv4 address"},
		{"2002::/16", "a 6to4 address, which may contain any IPv4 address"},
		{"64:ff9b:1::/48", "a local NAT64 address, which may contain any IPv4 address"},
		{"192.0.0.0/24 192.88.99.0/24 198.18.0.0/15 240.0.0.0/4 2001::/23 5f00::/16 100::/64", "a reserved address"},
	} {
		for p := range strings.FieldsSeq(row.prefixes) {
			all = append(all, network{netip.MustParsePrefix(p), row.is})
		}
	}
	return all
}()

type network struct {
	prefix netip.Prefix
	is     string
}

var globalIPv6 = netip.MustParsePrefix("2000::/3")

// special returns the description of an address that is not public, or "" if it is public.
// The address must not be an IPv4 address in IPv6.
func special(a netip.Addr) string {
	for _, n := range networks {
		if n.prefix.Contains(a) {
			return n.is
		}
	}
	if a.Is6() && !globalIPv6.Contains(a) {
		return "a reserved address"
	}
	if !a.IsValid() {
		return "not valid"
	}
	return ""
}

// translated is the NAT64 prefix for IPv4 addresses (RFC 6052). A cluster with only IPv6
// reaches public IPv4 addresses through it, so the embedded address decides.
var translated = netip.MustParsePrefix("64:ff9b::/96")

// embedded returns the IPv4 address that a translator would connect to.
func embedded(a netip.Addr) (netip.Addr, bool) {
	if !translated.Contains(a) {
		return netip.Addr{}, false
	}
	b := a.As16()
	return netip.AddrFrom4([4]byte(b[12:])), true
}
