package identity

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// maxGroups is the maximum number of groups of a person. A person with more groups is refused:
// leaving groups out would make rights depend on their order.
const maxGroups = 500

// proxies has the addresses of the trusted proxies, and reads their headers.
type proxies struct {
	cidrs        []netip.Prefix
	name, groups string
	cfg          Proxy
}

// forwarded are the headers that proxies add.
var forwarded = []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Forwarded"}

func newProxies(cfg *Proxy) (*proxies, error) {
	if cfg == nil {
		return &proxies{}, nil
	}
	p := &proxies{cfg: *cfg, name: cmp.Or(cfg.NameHeader, "X-Remote-User"), groups: cmp.Or(cfg.GroupsHeader, "X-Remote-Group")}
	if len(cfg.CIDRs) == 0 {
		return nil, errors.New("a trusted proxy needs its addresses, such as 10.1.2.3/32: from other addresses its headers are dropped")
	}
	for _, text := range cfg.CIDRs {
		cidr, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%q is not an address range such as 10.1.2.0/24", text)
		}
		if cidr.Bits() == 0 {
			return nil, fmt.Errorf("%s covers all addresses, so anybody could claim to be the proxy; use the proxy's own range", text)
		}
		p.cidrs = append(p.cidrs, cidr.Masked())
	}
	return p, nil
}

// trusts reports whether an address is a trusted proxy's.
func (p *proxies) trusts(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	for _, cidr := range p.cidrs {
		if cidr.Contains(ip) {
			return true
		}
	}
	return false
}

// remote returns the address that a connection comes from.
func remote(r *http.Request) (netip.Addr, string) {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Addr{}, "unknown"
	}
	return ip, ip.Unmap().WithZone("").String()
}

// origin returns the address of the client, and whether the request came through a trusted proxy.
func (p *proxies) origin(r *http.Request) (address string, trusted bool) {
	ip, text := remote(r)
	if !ip.IsValid() || !p.trusts(ip) {
		return text, false
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for n := len(hops) - 1; n >= 0; n-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[n]))
		if err != nil {
			break
		}
		if text = hop.Unmap().WithZone("").String(); !p.trusts(hop) {
			break
		}
	}
	return text, true
}

// strip removes the headers that only trusted proxies may send.
func (p *proxies) strip(h http.Header) {
	for _, name := range forwarded {
		h.Del(name)
	}
	if p.name != "" {
		h.Del(p.name)
		h.Del(p.groups)
	}
}

// person returns the person in the headers of a trusted proxy; false if there is none.
//
// Errors: *api.Problem for names that cannot be used.
func (p *proxies) person(h http.Header) (Person, bool, error) {
	if p.name == "" {
		return Person{}, false, nil
	}
	names := h.Values(p.name)
	if len(names) == 0 || len(names) == 1 && names[0] == "" {
		return Person{}, false, nil
	}
	name := p.cfg.NamePrefix + names[0]
	if len(names) > 1 || !usable(names[0]) || reserved(name) {
		return Person{}, false, errProxyNames
	}
	person := Person{Name: name, Names: distinct(name, names[0]), SignIn: api.SignInProxy}
	for _, line := range h.Values(p.groups) {
		for group := range strings.SplitSeq(line, ",") {
			if group = strings.TrimSpace(group); group == "" {
				continue
			}
			if group = p.cfg.GroupsPrefix + group; usable(group) && !reserved(group) {
				person.Groups = append(person.Groups, group)
			}
		}
	}
	if len(person.Groups) > maxGroups {
		return Person{}, false, errProxyNames
	}
	return person, true, nil
}

// distinct returns the names without duplicates and empty names.
func distinct(names ...string) (all []string) {
	seen := map[string]bool{"": true}
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			all = append(all, name)
		}
	}
	return all
}
