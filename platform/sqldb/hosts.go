package sqldb

import (
	"cmp"
	"net"
	"net/url"
	"strings"
)

// parseHosts parses a URL with one host or several: scheme://user@host:port,host:port/path.
// Package url accepts one, so the others are put back after it. The Host of the result has all
// of them, with commas between.
func parseHosts(text string) (*url.URL, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return url.Parse(text)
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	user := strings.LastIndex(rest[:end], "@") + 1
	hosts := strings.Split(rest[user:end], ",")
	var u *url.URL
	for _, host := range hosts {
		one, err := url.Parse(scheme + "://" + rest[:user] + host + rest[end:])
		if err != nil {
			return nil, err
		}
		u = one
	}
	u.Host = strings.Join(hosts, ",")
	return u, nil
}

// hostsOf returns the hosts of a URL with their ports.
func hostsOf(u *url.URL, port string) (all []string) {
	for host := range strings.SplitSeq(u.Host, ",") {
		one := url.URL{Host: host}
		all = append(all, net.JoinHostPort(one.Hostname(), cmp.Or(one.Port(), port)))
	}
	return all
}
