package config

import (
	"crypto/x509"
	"fmt"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vedette-io/vedette/platform/notify/channel"
)

// network has the addresses that channels may connect to.
type network struct {
	guard channel.Guard
	read  []string // all values that were read, for fingerprints
}

// readNetwork reads the field network.
func (r *reader) readNetwork(n *yaml.Node) *network {
	net := &network{}
	if isNull(n) {
		return net
	}
	f := r.Fields(n, "network", "allow", "allow-hosts", "deny", "proxy", "authorities")
	net.guard.Allow = r.prefixes(f["allow"], "allow", net)
	net.guard.Deny = r.prefixes(f["deny"], "deny", net)
	for _, item := range r.items(f["allow-hosts"], "allow-hosts") {
		if strings.ContainsAny(item.Value, "/: ") || strings.Contains(strings.TrimPrefix(item.Value, "*."), "*") {
			r.Complain(item.Line, "allow-hosts: %q is not the name of a host, such as hooks.example.com or *.example.com", item.Value)
		}
		net.guard.AllowHosts = append(net.guard.AllowHosts, strings.ToLower(item.Value))
		net.read = append(net.read, "host "+item.Value)
	}
	net.guard.Proxy = r.proxy(f["proxy"], net)
	if name := r.Word(f["authorities"], "authorities"); name != "" {
		net.guard.Roots = r.authorities(f["authorities"], name, net)
	}
	return net
}

func (r *reader) prefixes(n *yaml.Node, what string, net *network) (all []netip.Prefix) {
	for _, item := range r.items(n, what) {
		prefix, err := netip.ParsePrefix(item.Value)
		if err != nil {
			address, failed := netip.ParseAddr(item.Value)
			if failed != nil {
				r.Complain(item.Line, "%s: %q is not a network such as 10.1.0.0/16, and not an address", what, item.Value)
				continue
			}
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
		all = append(all, prefix)
		net.read = append(net.read, what+" "+prefix.String())
	}
	return all
}

// proxy reads the URL of a proxy: a text, or a secret if it has a password.
func (r *reader) proxy(n *yaml.Node, net *network) *url.URL {
	if isNull(n) {
		return nil
	}
	text := n.Value
	if n.Kind != yaml.ScalarNode {
		text = r.secret(n, "proxy").Reveal()
	}
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "socks5":
		r.Complain(n.Line, "proxy must be a URL such as http://proxy.example.com:3128")
		return nil
	case u.User != nil && n.Kind == yaml.ScalarNode:
		r.Complain(n.Line, "proxy has a user, and a secret does not belong into this file: write {env: NAME} or {file: PATH} with the whole URL")
		return nil
	}
	net.read = append(net.read, "proxy "+text)
	return u
}

// authorities reads a file of certificates.
func (r *reader) authorities(n *yaml.Node, name string, net *network) *x509.CertPool {
	if r.vault.sealed {
		return nil // nothing is sent, and the file may be on another machine
	}
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.vault.dir, path)
	}
	content, err := r.vault.read(path, maxFile)
	if err != nil {
		r.Complain(n.Line, "authorities: the file %s cannot be read: %v", path, reason(err))
		return nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(content) {
		r.Complain(n.Line, "authorities: the file %s has no certificate in PEM", path)
	}
	net.read = append(net.read, fmt.Sprintf("authorities %x", fingerprint(content, nil)))
	return pool
}
