package config

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/notify/channel"
)

// TestRefusals: each mistake is reported with its line, and nothing else is.
func TestRefusals(t *testing.T) {
	o := environment(map[string]string{"KEY": keyA, "URL": "https://open.feishu.cn/open-apis/bot/v2/hook/token", "PAGER": strings.Repeat("a", 32)})
	const hook = "channels:\n  hook: {type: webhook, url: https://x.example, secret: {env: KEY}}\n  chat: {type: feishu, url: {env: URL}}\n"
	const a = "rules:\n- {name: a, enter: [Failed], "
	for _, c := range []struct{ name, text, want string }{
		{"an empty file", "# nothing\n", "f:1: the file is empty"},
		{"no mapping", "- a\n", "f:1: the file must be a mapping"},
		{"a portal with a password", "portal: https://u:p@x.example\n", "f:1: portal must be"},
		{"a local zone", "time-zone: Local\n", "f:1: time-zone: there is no time zone"},
		{"a path as zone", "time-zone: ../../etc/passwd\n", "f:1: time-zone: there is no time zone"},
		{"a language", "language: fr\n", `f:1: the language "fr"`},
		{"a place of owners", "owner: [label]\n", "f:1: owner: "},
		{"a network", "network: {allow: [10.0.0.0/99]}\n", "f:1: allow: "},
		{"a host", "network: {allow-hosts: ['https://x']}\n", "f:1: allow-hosts: "},
		{"authorities", "network: {authorities: /none.pem}\n", "f:1: authorities: the file /none.pem cannot be read"},
		{"a template", "templates: {Failed: {title: '{{.Nope}}'}}\n", "f:1: the template Failed: "},
		{"a template of nothing", "templates: {Fail: {title: x}}\n", `there is no kind of message "Fail"`},
		{"quiet hours without an end", "quiet-hours: {from: 22:00}\n", "f:1: quiet-hours needs from and to"},
		{"quiet hours of nothing", "quiet-hours: {from: 08:00, to: 08:00}\n", "f:1: quiet-hours begin and end"},
		{"a time of day", "quiet-hours: {from: 8pm, to: 08:00}\n", `f:1: from is "8pm"`},
		{"a day", "quiet-hours: {from: 20:00, to: 08:00, days: [mond]}\n", `f:1: there is no day "mond"`},
		{"a digest", "digest: 10s\n", "f:1: a digest is sent every 10s"},
		{"a negative time", "digest: -1h\n", `f:1: digest is "-1h"`},

		{"a channel without a type", "channels: {x: {url: y}}\n", "f:1: channel x needs a type"},
		{"an empty channel", "channels:\n  x:\n", "f:2: channel x is empty"},
		{"a channel twice", hook + "  Hook: {type: webhook}\n", "f:4: line 2 has a channel Hook already"},
		{"the name of a type", "channels: {email: {type: feishu, url: {env: URL}}}\n", "f:1: channel email has the name of another type"},
		{"owner as a name", "channels: {owner: {type: feishu, url: {env: URL}}}\n", "f:1: a channel cannot have the name owner"},
		{"a name with a colon", "channels: {'a:b': {type: feishu, url: {env: URL}}}\n", "f:1: the name \"a:b\" of a channel"},
		{"a field of another type", "channels: {x: {type: feishu, url: {env: URL}, token: {env: KEY}}}\n", `channel x has no field "token"`},
		{"an option that New refuses", "channels: {x: {type: pagerduty, key: {env: KEY}}}\n", "f:1: channel x: the routing key must have 32"},
		{"a choice", "channels:\n  x: {type: email, server: 'smtp://x', from: a@b.example, security: tls}\n", `f:2: security is "tls"; it must be one of none, opportunistic, starttls`},
		{"Events without a cluster", "channels:\n  x: {type: event}\n", "f:2: channel x: a channel for Kubernetes Events needs a cluster"},
		{"a table of headers", "channels: {x: {type: webhook, url: https://x.example, secret: {env: KEY}, headers: [a]}}\n", "f:1: headers must be a mapping"},

		{"a person that is a channel", hook + "people: {hook: {feishu: ou_1}}\n", "f:4: hook is a person and a channel"},
		{"a person twice", hook + "people:\n  x: {feishu: ou_1}\n  x: {feishu: ou_2}\n", "f:6: there are two people with the name x"},
		{"a name of two people", hook + "people:\n  x: {feishu: ou_1, also: [z]}\n  y: {feishu: ou_2, also: [Z]}\n", "f:6: Z is a name of y and of x"},
		{"an address of nothing", hook + "people: {x: {hook: y}}\n", `f:4: person x has no field "hook"`},
		{"everybody", hook + "people: {x: {feishu: all}}\n", "f:4: feishu of x is refused"},
		{"everybody, in disguise", hook + "people: {x: {feishu: '@Everyone'}}\n", "f:4: feishu of x is refused"},
		{"an address in two lines", hook + "people: {x: {email: \"a@b.example\\nBcc: c@d.example\"}}\n", "f:4: email of x must be one word"},
		{"a preference without an address", hook + "people: {x: {prefers: chat}}\n", "f:4: x prefers chat, and has no address there"},
		{"a preference of several", hook + "  chat2: {type: feishu, url: {env: URL}}\npeople: {x: {feishu: ou_1, prefers: feishu}}\n", "f:5: x prefers feishu, and there are several channels"},
		{"several channels", hook + "  chat2: {type: feishu, url: {env: URL}}\npeople: {x: {feishu: ou_1}}\n", "f:5: x has an address for several channels"},

		{"a rule that is a word", "rules: [x]\n", "f:1: a rule must be a mapping"},
		{"a rule for nobody", a + "to: []}\n", `f:2: rule "a": the rule names no receiver`},
		{"a receiver twice", hook + a + "to: [hook, hook]}\n", `f:5: to has "hook" twice`},
		{"an address for a hook", hook + a + "to: ['hook:x']}\n", "f:5: to: channel hook has one receiver"},
		{"an unknown channel with an address", hook + a + "to: ['hok:x']}\n", `there is no channel "hok"; did you mean hook?`},
		{"a person whom nothing reaches", hook + "people: {x: {email: x@y.example}}\n" + a + "to: [x]}\n", "f:6: to: no channel reaches x"},
		{"a person without an address there", hook + "people: {x: {email: x@y.example}}\n" + a + "to: ['chat:x']}\n", "f:6: to: x has no address on channel chat"},
		{"a hostile address", hook + a + "to: ['chat:<all>']}\n", "f:5: to: the receiver \"<all>\" of channel chat is refused"},
		{"mail without an address", "channels: {m: {type: email, server: 'smtp://x.example', from: a@b.example}}\n" + a + "to: [m]}\n", "f:3: to: channel m needs a receiver"},
		{"two timers", hook + "rules:\n- {name: a, waits: 1h, runs: 1h, to: [hook]}\n", "f:5: a rule has one timer"},
		{"a usual deadline", hook + "rules:\n- {name: a, near-deadline: usual, to: [hook]}\n", `f:5: near-deadline is "usual"`},
		{"a time that is not usual", hook + "rules:\n- {name: a, waits: {longer-than: 2h}, to: [hook]}\n", `f:5: longer-than is "2h"`},
		{"a number", hook + a + "to: [hook], flap: {changes: x, within: 1h}}\n", `f:5: changes is "x"`},
		{"a type", hook + a + "to: [hook], types: [batch/v1]}\n", `f:5: "batch/v1" is not a type`},
		{"a truth", hook + a + "to: [hook], log: maybe}\n", "f:5: log must be true or false"},
		{"a condition in a block", hook + "rules:\n- name: a\n  to: [hook]\n  when: |\n    new.state == 'Failed' &&\n      new.lat\n", "f:9: when: undefined field 'lat' at column 6 of"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("f", []byte(c.text), o)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{"90s": 90 * time.Second, "1d": day, "1d12h": 36 * time.Hour, "2h30m": 150 * time.Minute, "0s": 0} {
		if got, ok := parseDuration(text); !ok || got != want {
			t.Errorf("%s: got %v (%v), want %v", text, got, ok, want)
		}
	}
	for _, bad := range []string{"", "1", "d", "-1d", "1d-1h", "1w", "99999d", "9999999h", "1d1d", "1.5d", "NaNh"} {
		if got, ok := parseDuration(bad); ok {
			t.Errorf("duration %q: got %v, want it refused", bad, got)
		}
	}
}

// FuzzParse: no file causes a panic, mistakes have lines, and an accepted file can be
// used.
func FuzzParse(f *testing.F) {
	testinput.Uncached(f)
	for _, file := range []string{"testdata/broken.yaml", exampleFile} {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("people: {<<: {a: b}, ? [x] : y}\nrules: [{name: \"\\u202e\", when: 'true'}]\n")
	f.Add("rules:\n- name: a\n  when: |\n    new.state == 'Failed\n")
	f.Add(watched)
	o := environment(map[string]string{"KEY": keyA})
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse("f", []byte(text), o)
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, "f:") || !utf8.ValidString(line) && utf8.ValidString(text) {
					t.Fatalf("%q of %q", line, text)
				}
			}
			return
		}
		for _, r := range c.Rules.Rules() {
			if problems := r.Check(); len(problems) > 0 {
				t.Fatalf("taken in spite of %v", problems)
			}
			c.Receivers(r.To, r.Fallback, Named{Owners: []string{"a"}})
		}
	})
}

// TestErrorsOfOthersHideSecrets: an error of another package may contain a secret.
func TestErrorsOfOthersHideSecrets(t *testing.T) {
	err := hide(errors.New("f:1: channel x: bad token hunter2-Sesame"), &vault{secrets: []string{"hunter2-Sesame"}})
	if strings.Contains(err.Error(), "hunter2") || !strings.HasPrefix(err.Error(), "f:1: channel x: bad token") {
		t.Errorf("got error %v, want f:1: channel x: bad token, without the token", err)
	}
}

func TestOpenHidesSecrets(t *testing.T) {
	v := &vault{secrets: []string{"hunter2-Sesame"}}
	s := &settings{reader: &reader{vault: v}, name: "x"}
	_, err := s.open(func() (_ channel.Channel, err error) { return nil, errors.New("refused: hunter2-Sesame") })()
	if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "channel x: refused") {
		t.Errorf("got error %v, want channel x: refused, without the token", err)
	}
}
