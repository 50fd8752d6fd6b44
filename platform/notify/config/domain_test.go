package config

import (
	"strings"
	"testing"
)

// TestDomains: a channel sends codes to the domains of the operator only, so nobody can use it to
// write to strangers.
func TestDomains(t *testing.T) {
	const mail = "type: email, server: smtp://mail.example.com, from: v@gpu.example.com"
	for _, c := range []struct {
		setting, person, address string
		allowed                  bool
	}{
		{"", "bob", "bob@example.com", true},
		{"", "bob", "bob@Example.COM", true},
		{"", "bob", "bob@corp.example", true}, // anna's further name
		{"", "bob", "bob@victim.example", false},
		{"", "bob", "bob@evil-example.com", false},
		{"", "bob", "bob@sub.example.com", false},
		{"", "bob", "robert", false},
		{"", "bob", "bob@example.com,x@victim.example", false},
		{"", "bob@uni.example", "bob.smith@uni.example", true},
		{"", "cluster:bad:bob@victim.example", "x@victim.example", false},
		{", domains: [\"*.Partner.example\", lab.example]", "bob", "x@a.partner.example", true},
		{", domains: [\"*.partner.example\", lab.example]", "bob", "x@lab.example", true},
		{", domains: [\"*.partner.example\", lab.example]", "bob", "x@example.com", false},
		{", domains: \"*\"", "bob", "x@victim.example", true},
		{", domains: lab.example", "anna", "anna@example.com", true}, // the file has the address
	} {
		f, err := Parse("notify.yaml", []byte("people:\n  anna: {email: anna@example.com, also: [a@corp.example]}\nchannels:\n  mail: {"+mail+c.setting+"}\n"), Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = FindAddress(f, f.Channels["mail"], "prod", "ml", c.person, c.address)
		if (err == nil) != c.allowed || err != nil && !strings.Contains(err.Error(), "add its domain to domains of the channel in notify.yaml") {
			t.Errorf("%q: %s subscribes %s: got %v, want it allowed: %v", c.setting, c.person, c.address, err, c.allowed)
		}
	}
}
