package config

import (
	"net/mail"
	"strings"

	"github.com/vedette-io/vedette/internal/glob"
)

// domainOf returns the domain of an e-mail address in lower case, or "" for other texts, such as
// the name of a person whom a cluster has named.
func domainOf(address string) string {
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Address != address {
		return ""
	}
	return strings.ToLower(address[strings.LastIndexByte(address, '@')+1:])
}

// confirms reports whether a person may have a code sent to an address on a channel. Without
// domains of the channel, the domain must be one of the people of the file, or of the name with
// which the person signed in: the channel must not send to strangers for anybody.
func (c *Config) confirms(ch *Channel, person, address string) bool {
	if ch.Kind != "email" {
		return true // its receivers are members of one organization
	}
	domain := domainOf(address)
	if domain == "" {
		return false
	}
	if len(ch.domains) > 0 {
		return glob.MatchesAny(ch.domains, domain)
	}
	if domainOf(person) == domain {
		return true
	}
	for _, p := range c.People {
		for _, name := range p.names() {
			if domainOf(name) == domain {
				return true
			}
		}
	}
	return false
}
