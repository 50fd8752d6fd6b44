package config

import (
	"strings"

	"github.com/vedette-io/vedette/internal/glob"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/email"
)

// mailKinds are the types that send to persons.
var mailKinds = map[string]kind{
	"email": {
		fields:    []string{"server", "security", "username", "password", "from", "to", "subject", "hello", "domains"},
		addresses: mustAddress, direct: true, read: readEmail,
	},
}

// securities are the values of security.
var securities = map[string]email.Security{"": email.StartTLS, "starttls": email.StartTLS, "opportunistic": email.Opportunistic, "none": email.Plaintext}

// subjects are the values of subject.
var subjects = map[string]email.Subject{"": email.SubjectTitle, "title": email.SubjectTitle, "job": email.SubjectJob}

func readEmail(s *settings) func() (channel.Channel, error) {
	s.need("server", "from")
	o := email.Options{
		URL: s.address("server"), Username: s.text("username"), Password: s.hidden("password"), From: s.text("from"), To: s.text("to"), Hello: s.text("hello"),
		Security: choice(s, "security", securities), Subject: choice(s, "subject", subjects), Roots: s.network.guard.Roots,
	}
	if o.To != "" {
		s.channel.addresses = mayAddress // the channel has a default receiver
	}
	for _, g := range s.globs(s.fields["domains"], "domains") {
		s.channel.domains = append(s.channel.domains, glob.Pattern(strings.ToLower(string(g))))
	}
	return func() (channel.Channel, error) { return opened(email.New(o)) }
}

// choice returns a field that must have one of some values.
func choice[T any](s *settings, name string, values map[string]T) T {
	word := s.text(name)
	value, ok := values[word]
	if !ok {
		s.Complain(s.fields[name].Line, "%s is %q; it must be one of %s", name, word, list(wordsOf(values)))
	}
	return value
}
