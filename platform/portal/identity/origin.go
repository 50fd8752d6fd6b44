package identity

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// guard refuses requests that another site may have caused.
type guard struct {
	open  bool // sign-in is not required, so the host name is checked
	hosts map[string]bool
	cross *http.CrossOriginProtection
}

// newGuard returns a guard. public is the address of the portal; nil if unknown.
func newGuard(open bool, hosts []string, public *url.URL) (*guard, error) {
	g := &guard{open: open, hosts: map[string]bool{}, cross: http.NewCrossOriginProtection()}
	for _, host := range hosts {
		g.hosts[strings.ToLower(host)] = true
	}
	if public != nil {
		g.hosts[strings.ToLower(public.Hostname())] = true
		if err := g.cross.AddTrustedOrigin(public.Scheme + "://" + public.Host); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// loopback reports whether a host without port is this machine.
func loopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}

// Loopback reports whether only this machine can reach a listener: its address, with or without
// port, is a loopback address or a socket in the file system. A name other than localhost does not
// count, because its address may change.
func Loopback(listen string) bool {
	if strings.HasPrefix(listen, "unix:") {
		return true
	}
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		host = listen
	}
	return loopback(host)
}

// named returns the host of a request without its port.
func named(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}

// host reports whether a request is for the portal. Without sign-in, another site could resolve its
// name to this machine, and a proxy could forward requests of others.
func (g *guard) host(r *http.Request) bool {
	if !g.open {
		return true
	}
	name := strings.ToLower(named(r.Host))
	if g.hosts[name] {
		return true
	}
	if !loopback(name) {
		return false
	}
	for _, header := range forwarded {
		if r.Header.Get(header) != "" {
			return false
		}
	}
	return true
}

// named returns a handler that refuses requests for other hosts.
func (g *guard) named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.host(r) {
			refuse(w, errHost)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Named is [Identity.Named] for a server without an Identity that listens on an address; hosts are
// its further names. On an address other than loopback it refuses nothing.
func Named(listen string, hosts []string, next http.Handler) http.Handler {
	if !Loopback(listen) {
		return next
	}
	g := &guard{open: true, hosts: map[string]bool{}}
	for _, host := range hosts {
		g.hosts[strings.ToLower(host)] = true
	}
	return g.named(next)
}

// sameSite reports whether a request comes from a page of the portal, as far as its headers show.
// Links from other sites to pages are allowed.
func (g *guard) sameSite(r *http.Request) bool {
	if g.cross.Check(r) != nil {
		return false
	}
	cross := r.Header.Get("Sec-Fetch-Site") == "cross-site"
	return !cross || r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}
