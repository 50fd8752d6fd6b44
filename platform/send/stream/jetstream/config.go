package jetstream

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/send/stream"
)

// Config configures a Sink. Servers is required.
type Config struct {
	// Servers are URLs such as nats://host:4222, or tls://host:4222 for TLS. They have no
	// user: Connection.Credentials has the login.
	Servers []string
	// Stream is the name of the JetStream stream. Default: "VEDETTE".
	Stream string
	// Prefix is the first token of subjects. Default: "vedette".
	Prefix string
	// Mode is the way in which events are put into messages. Default: stream.Binary.
	Mode stream.Mode
	// Connection has the files for the login and for TLS. Credentials is a file of one of
	// these forms: user:password, a token, an NKey seed, or the file of credentials that
	// NATS tools write.
	Connection stream.Connection

	// The following fields apply if the sink creates the stream. A stream that exists stays
	// as it is.

	// Replicas is the number of servers that store an event. Default: 1. With 3, the stream
	// survives the loss of a server.
	Replicas int
	// MaxAge is the time for which the stream keeps an event. Default: 7 days.
	MaxAge time.Duration
	// MaxBytes is the size at which the stream removes the oldest events. Default: 10 GiB.
	MaxBytes int64
}

// Defaults and limits.
const (
	DefaultStream   = "VEDETTE"
	DefaultPrefix   = "vedette"
	defaultMaxAge   = 7 * 24 * time.Hour
	defaultMaxBytes = 10 << 30
	// duplicates is the time for which the server recognizes a repeated event. A replica
	// that takes over repeats at most what its predecessor sent last.
	duplicates = 10 * time.Minute
)

// Parse returns the configuration of a URL: nats://host:4222,host:4222/STREAM, or tls:// for
// TLS, with the parameters prefix, replicas, max-age and max-bytes.
//
// Errors: an invalid URL or parameter. The error does not contain a user.
func Parse(text string) (Config, error) {
	a, err := stream.ParseAddress(text, "4222")
	if err != nil {
		return Config{}, err
	}
	if a.Scheme != "nats" && a.Scheme != "tls" {
		return Config{}, fmt.Errorf("the destination begins with %s://: want nats:// or tls://", a.Scheme)
	}
	c := Config{
		Stream: a.Path, Prefix: a.Text("prefix", ""), Replicas: int(a.Int("replicas", 0, 1, 5)),
		MaxAge: a.Duration("max-age", 0), MaxBytes: a.Int("max-bytes", 0, 1<<20, 1<<50),
	}
	for _, host := range a.Hosts {
		c.Servers = append(c.Servers, a.Scheme+"://"+host)
	}
	if err := a.End("prefix", "replicas", "max-age", "max-bytes"); err != nil {
		return Config{}, err
	}
	_, err = c.withDefaults()
	return c, err
}

// withDefaults returns a configuration with its defaults.
//
// Errors: an invalid field.
func (c Config) withDefaults() (Config, error) {
	if c.Stream == "" {
		c.Stream = DefaultStream
	}
	if c.Prefix == "" {
		c.Prefix = DefaultPrefix
	}
	if c.Replicas == 0 {
		c.Replicas = 1
	}
	if c.MaxAge == 0 {
		c.MaxAge = defaultMaxAge
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = defaultMaxBytes
	}
	switch {
	case len(c.Servers) == 0:
		return c, errors.New("jetstream: Config.Servers is empty")
	case token(c.Stream) != c.Stream || strings.ContainsAny(c.Stream, `/\`) || len(c.Stream) > 255:
		return c, fmt.Errorf("the name of the stream is %q: want letters, digits, - and _", c.Stream)
	case token(c.Prefix) != c.Prefix:
		return c, fmt.Errorf("the prefix of subjects is %q: want letters, digits, - and _", c.Prefix)
	case c.Replicas < 1 || c.MaxAge < 0 || c.MaxBytes < 0:
		return c, errors.New("jetstream: Config.Replicas, MaxAge or MaxBytes is negative")
	}
	for _, s := range c.Servers {
		if strings.Contains(s, "@") {
			return c, errors.New("jetstream: a server has a user: put it into the file of credentials")
		}
	}
	return c, nil
}
