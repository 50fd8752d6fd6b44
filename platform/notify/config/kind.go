package config

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/vedette-io/vedette/platform/notify/channel"
)

// kind is a type of channel.
type kind struct {
	// fields are the fields that only this type has.
	fields []string
	// addresses is whether people have addresses there.
	addresses addressing
	// direct is set if only the receiver sees a message to an address.
	direct bool
	// read reads the fields. The returned function opens the channel, and may be called
	// several times.
	read func(*settings) func() (channel.Channel, error)
}

// commonFields are the fields of all channels.
var commonFields = []string{"type", "private", "language", "time-zone", "digest", "named-by-jobs"}

// settings are the fields of one channel. They record all values that were read, so that a
// changed secret changes the fingerprint.
type settings struct {
	*reader
	name    string
	line    int
	fields  map[string]*yaml.Node
	network *network
	options *Options
	zone    *time.Location // of the file
	read    []string
	// channel is the channel to fill in. A kind may change its addressing.
	channel *Channel
}

func (s *settings) note(what, value string) string {
	s.read = append(s.read, what, value)
	return value
}

// text returns a field that is not secret.
func (s *settings) text(name string) string {
	return s.note(name, s.Word(s.fields[name], name))
}

// hidden returns a field that is secret.
func (s *settings) hidden(name string) string {
	return s.note(name, s.secret(s.fields[name], name).Reveal())
}

// allHidden returns a field that is a secret or a list of secrets.
func (s *settings) allHidden(name string) (all []string) {
	n := s.fields[name]
	if n == nil || n.Kind != yaml.SequenceNode {
		if n != nil {
			all = append(all, s.hidden(name))
		}
		return all
	}
	for _, item := range n.Content {
		all = append(all, s.note(name, s.secret(item, "each of "+name).Reveal()))
	}
	return all
}

// truth returns a field that is true or false.
func (s *settings) truth(name string) bool {
	yes := s.Truth(s.fields[name], name)
	s.note(name, fmt.Sprint(yes))
	return yes
}

// need reports missing fields as mistakes.
func (s *settings) need(names ...string) {
	for _, name := range names {
		if isNull(s.fields[name]) {
			s.Complain(s.line, "channel %s needs %s", s.name, name)
		}
	}
}

// client returns a client for the addresses that the file allows. Each channel has its own
// client.
func (s *settings) client() *channel.Client { return channel.NewClient(s.network.guard) }

// fingerprint returns a hash of all values that were read.
func (s *settings) fingerprint() [32]byte {
	h := sha256.New()
	for _, text := range append(slices.Clone(s.read), s.network.read...) {
		fmt.Fprintf(h, "%d:%s", len(text), text)
	}
	return [32]byte(h.Sum(nil))
}

// open returns a function that opens the channel and hides its secrets in errors.
func (s *settings) open(read func() (channel.Channel, error)) func() (channel.Channel, error) {
	secrets, name := slices.Clone(s.vault.secrets), s.name
	return func() (channel.Channel, error) {
		opened, err := read()
		if err != nil {
			return nil, fmt.Errorf("channel %s: %s", name, channel.Hide(err.Error(), secrets...))
		}
		return opened, nil
	}
}

// list joins names for a message.
func list(names []string) string { return strings.Join(names, ", ") }

// address returns a field with the URL of an endpoint: a text, or a secret. A text must
// not contain a password or a query, because tokens are often there.
func (s *settings) address(name string) string {
	n := s.fields[name]
	if n == nil || n.Kind != yaml.ScalarNode || isNull(n) {
		return s.hidden(name)
	}
	if u, err := url.Parse(n.Value); err != nil || u.User != nil || u.RawQuery != "" {
		s.Complain(n.Line, "%s has a user, a query or a mistake in it, and may be a secret: write {env: NAME} or {file: PATH} with the whole URL", name)
		return ""
	}
	return s.text(name)
}

// headers returns a table of secrets.
func (s *settings) headers(name string) map[string]string {
	all := map[string]string{}
	for _, e := range s.entries(s.fields[name], name) {
		if all[e.name] != "" {
			s.Complain(e.key.Line, "%s has one of its names twice", name)
		}
		all[e.name] = s.secret(e.value, "each of "+name).Reveal()
		s.note(e.name, all[e.name])
	}
	return all
}

// wordsOf returns the values of a choice that are not empty, sorted.
func wordsOf[T any](values map[string]T) (words []string) {
	for word := range values {
		if word != "" {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return words
}
