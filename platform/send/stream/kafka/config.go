package kafka

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/platform/send/stream"
)

// Login is the SASL mechanism of a login.
type Login int

// Mechanisms. Plain sends the password, so use it with TLS only.
const (
	SCRAM512 Login = iota
	SCRAM256
	Plain
)

// logins are the names of mechanisms in URLs.
var logins = map[string]Login{"scram-sha-512": SCRAM512, "scram-sha-256": SCRAM256, "plain": Plain}

// Config configures a Sink. Brokers is required.
type Config struct {
	// Brokers are some brokers of the cluster, as host:port.
	Brokers []string
	// Topic is the name of the topic. Default: "vedette.transitions".
	Topic string
	// Mode is the way in which events are put into messages. Default: stream.Binary.
	Mode stream.Mode
	// TLS makes connections use TLS. It is implied by the files of Connection.
	TLS bool
	// Connection has the files for the login and for TLS. Credentials is a file with
	// user:password.
	Connection stream.Connection
	// Login is the mechanism for Connection.Credentials. Default: SCRAM512.
	Login Login
	// Transactions is the transactional ID. If it is set, each round of events is a
	// transaction, so consumers that read committed messages see no event of a failed
	// attempt. Only one process may use it. Default: no transactions.
	Transactions string

	// Partitions and Replicas apply if the sink creates the topic. Default: those of the
	// cluster.
	Partitions, Replicas int
}

// DefaultTopic is the default topic.
const DefaultTopic = "vedette.transitions"

// Parse returns the configuration of a URL: kafka://host:9092,host:9092/TOPIC, or
// kafka+tls:// for TLS, with the parameters partitions, replicas, sasl (scram-sha-512, scram-sha-256
// or plain) and transactions.
//
// Errors: an invalid URL or parameter. The error does not contain a user.
func Parse(text string) (Config, error) {
	a, err := stream.ParseAddress(text, "9092")
	if err != nil {
		return Config{}, err
	}
	if a.Scheme != "kafka" && a.Scheme != "kafka+tls" {
		return Config{}, fmt.Errorf("the destination begins with %s://: want kafka:// or kafka+tls://", a.Scheme)
	}
	c := Config{
		Brokers: a.Hosts, Topic: a.Path, TLS: a.Scheme == "kafka+tls", Transactions: a.Text("transactions", ""),
		Partitions: int(a.Int("partitions", 0, 1, 10_000)), Replicas: int(a.Int("replicas", 0, 1, 15)),
	}
	sasl := a.Text("sasl", "scram-sha-512")
	if err := a.End("partitions", "replicas", "sasl", "transactions"); err != nil {
		return Config{}, err
	}
	var ok bool
	if c.Login, ok = logins[sasl]; !ok {
		return Config{}, fmt.Errorf("the destination: sasl is %q: want scram-sha-512, scram-sha-256 or plain", sasl)
	}
	_, err = c.withDefaults()
	return c, err
}

// withDefaults returns a configuration with its defaults.
//
// Errors: an invalid field.
func (c Config) withDefaults() (Config, error) {
	if c.Topic == "" {
		c.Topic = DefaultTopic
	}
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	switch {
	case len(c.Brokers) == 0:
		return c, errors.New("kafka: Config.Brokers is empty")
	case strings.Trim(c.Topic, letters) != "" || len(c.Topic) > 249 || c.Topic == "." || c.Topic == "..":
		return c, fmt.Errorf("the name of the topic is %q: want letters, digits, full stops, - and _", c.Topic)
	case c.Partitions < 0 || c.Replicas < 0:
		return c, errors.New("kafka: Config.Partitions or Config.Replicas is negative")
	}
	return c, nil
}
