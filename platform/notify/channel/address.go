package channel

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// ParseURL returns the URL of an endpoint. It requires https, because such URLs contain
// secrets; http is allowed only to this machine.
//
// Errors: the mistake in the URL, without the URL.
func ParseURL(raw string) (*url.URL, error) {
	if raw == "" {
		return nil, errors.New("the URL is missing")
	}
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		var e *url.Error
		if errors.As(err, &e) && !strings.Contains(e.Err.Error(), `"`) {
			return nil, fmt.Errorf("the URL is invalid: %w", e.Err)
		}
		return nil, errors.New("the URL is invalid")
	}
	switch {
	case u.Hostname() == "":
		return nil, errors.New("the URL has no host")
	case u.Fragment != "":
		return nil, errors.New("the URL has a fragment")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return u, nil
	}
	return nil, errors.New("the URL must begin with https://")
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
