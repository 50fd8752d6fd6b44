package stream

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/internal/nearest"
)

// Address is the parsed URL of a destination: scheme://host,host/path?parameters.
type Address struct {
	Scheme string
	Hosts  []string // host:port
	Path   string   // without the leading slash
	query  url.Values
	err    error // first invalid parameter
}

// ParseAddress parses the URL of a destination. port is the port of hosts without one.
//
// Errors: the text is not such a URL, or has a user. The error does not contain a user.
func ParseAddress(text, port string) (*Address, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || scheme == "" {
		return nil, fmt.Errorf("the destination is not a URL: want %s", examples)
	}
	rest, query, _ := strings.Cut(rest, "?")
	hosts, path, _ := strings.Cut(rest, "/")
	if strings.Contains(hosts, "@") {
		return nil, fmt.Errorf("the destination has a user: put user:password into the file of credentials")
	}
	a := &Address{Scheme: scheme, Path: path}
	for host := range strings.SplitSeq(hosts, ",") {
		if u, err := url.Parse("x://" + host); err != nil || u.Host != host || u.Hostname() == "" {
			return nil, fmt.Errorf("the destination has the host %q: want host:port, and commas between several", host)
		} else if u.Port() == "" {
			host += ":" + port
		}
		a.Hosts = append(a.Hosts, host)
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, fmt.Errorf("the parameters of the destination are invalid: want name=value&name=value")
	}
	a.query = values
	return a, nil
}

const examples = "nats://HOST:4222/STREAM or kafka://HOST:9092/TOPIC"

// Text returns a parameter and removes it, or a default value.
func (a *Address) Text(name, or string) string {
	value, ok := a.query[name]
	delete(a.query, name)
	if !ok || len(value) == 0 {
		return or
	}
	return value[len(value)-1]
}

// Int returns a parameter between two numbers and removes it, or a default value.
func (a *Address) Int(name string, or, least, most int64) int64 {
	text := a.Text(name, "")
	if text == "" {
		return or
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		a.fail("%s is %q: want a number from %d to %d", name, text, least, most)
		return or
	}
	return n
}

// Duration returns a positive parameter and removes it, or a default value.
func (a *Address) Duration(name string, or time.Duration) time.Duration {
	text := a.Text(name, "")
	if text == "" {
		return or
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		a.fail("%s is %q: want a duration such as 168h", name, text)
		return or
	}
	return d
}

func (a *Address) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("the destination: "+format, args...)
	}
}

// End returns the first error of the parameters.
//
// Errors: an invalid parameter; a parameter that nobody has read. known are the names of the
// parameters.
func (a *Address) End(known ...string) error {
	for _, name := range slices.Sorted(maps.Keys(a.query)) {
		hint := ""
		if near := nearest.Of(name, known); near != "" {
			hint = fmt.Sprintf(": did you mean %s?", near)
		}
		a.fail("the parameter %q is unknown%s", name, hint)
	}
	return a.err
}
