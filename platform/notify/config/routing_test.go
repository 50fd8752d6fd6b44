package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vedette-io/vedette/platform/notify/rule"
)

// told formats receivers as channel, address, person, role, language and zone.
func told(all []Receiver) (lines []string) {
	for _, r := range all {
		line := strings.Join([]string{r.Channel, r.Address, r.Person, r.Role, r.Language, r.Location.String()}, " ")
		if r.Private {
			line += " private"
		}
		lines = append(lines, line)
	}
	return lines
}

func TestReceivers(t *testing.T) {
	c := loadExample(t)
	person := func(name string) rule.Target { return rule.Target{Kind: rule.Person, Person: name} }
	channel := func(name string) rule.Target { return rule.Target{Kind: rule.Channel, Channel: name} }
	owner, mail := []rule.Target{{Kind: rule.Owner}}, []rule.Target{channel("mail")}
	const (
		liwei = "feishu-team ou_84aad35d084aa403a838cf73ee18467 liwei owner zh Asia/Shanghai private"
		anna  = "mail anna@example.com anna owner en Europe/Berlin private"
	)
	for _, c2 := range []struct {
		name         string
		to, fallback []rule.Target
		owners       []string
		want         []string
		unknown      []string
	}{
		{"nobody", nil, nil, nil, nil, nil},
		{"a channel", []rule.Target{channel("slack-team")}, nil, nil, []string{"slack-team   slack-team en Europe/Berlin"}, nil},
		{"a private channel", []rule.Target{channel("feishu-team")}, nil, nil, []string{"feishu-team   feishu-team zh Asia/Shanghai private"}, nil},
		{"a person", []rule.Target{person("anna")}, nil, nil, []string{"mail anna@example.com anna anna en Europe/Berlin private"}, nil},
		{"a person on another channel", []rule.Target{{Kind: rule.Channel, Channel: "teams-team", Person: "anna"}}, nil, nil, []string{"teams-team anna@example.com anna anna en Europe/Berlin"}, nil},
		{"an address", []rule.Target{{Kind: rule.Channel, Channel: "mail", Address: "x@example.com"}}, nil, nil, []string{"mail x@example.com  mail zh Asia/Shanghai private"}, nil},
		{"the same twice", []rule.Target{person("anna"), {Kind: rule.Channel, Channel: "mail", Address: "anna@example.com"}}, nil, nil, []string{"mail anna@example.com anna anna en Europe/Berlin private"}, nil},
		{"a channel that there is not", []rule.Target{channel("x"), person("x")}, nil, nil, nil, nil},
		{"the owner", owner, mail, []string{"liwei"}, []string{liwei}, nil},
		{"by another name", owner, mail, []string{"Wei.Li"}, []string{liwei}, nil},
		{"by an e-mail address", owner, mail, []string{"Anna@Example.com"}, []string{anna}, nil},
		{"two owners", owner, mail, []string{"anna", "liwei", "li-wei"}, []string{anna, liwei}, nil},
		{"an owner that nobody knows", owner, mail, []string{"bob"}, []string{"mail   mail zh Asia/Shanghai"}, []string{"bob"}},
		{"no owner", owner, mail, nil, []string{"mail   mail zh Asia/Shanghai"}, nil},
		{"one known owner suffices", owner, mail, []string{"bob", "anna"}, []string{anna}, []string{"bob"}},
		{"a channel as owner", owner, nil, []string{"slack-team"}, []string{"slack-team   owner en Europe/Berlin"}, nil},
		{"a person on a channel as owner", owner, nil, []string{"slack-team:liwei"}, []string{"slack-team U012AB3CD liwei owner zh Asia/Shanghai private"}, nil},
		{"a channel that jobs may not name", owner, nil, []string{"wecom-team", "on-call", "ops-hook", "mail"}, nil, []string{"wecom-team", "on-call", "ops-hook", "mail"}},
		{"an address that nobody has verified", owner, nil, []string{"mail:x@example.com", "x@example.com", "slack-team:U1", "slack-team:all"}, nil, []string{"mail:x@example.com", "x@example.com", "slack-team:U1", "slack-team:all"}},
		{"a person without an address there", owner, nil, []string{"teams-team:liwei"}, nil, []string{"teams-team:liwei"}},
		{"hostile names", owner, nil, []string{"owner", ":", "", "feishu-team:", "\x00", "@all"}, nil, []string{"owner", ":", "", "feishu-team:", "\x00", "@all"}},
	} {
		all, unknown := c.Receivers(c2.to, c2.fallback, Named{Cluster: "gpu-east", Namespace: "ml-vision", Owners: c2.owners})
		if diff := cmp.Diff(c2.want, told(all)); diff != "" {
			t.Errorf("%s: receivers (-want +got):\n%s", c2.name, diff)
		}
		if diff := cmp.Diff(c2.unknown, unknown); diff != "" {
			t.Errorf("%s: unknown receivers (-want +got):\n%s", c2.name, diff)
		}
	}
	if got := []string{c.Mention("feishu-team", []string{"bob", "anna", "liwei"}), c.Mention("ops-hook", []string{"liwei"}), c.Mention("none", nil)}; !cmp.Equal(got, []string{"ou_84aad35d084aa403a838cf73ee18467", "", ""}) {
		t.Errorf("got mentions %q, want only that of liwei in feishu-team", got)
	}
}

// TestNaming: a channel is for the jobs of the namespaces that the file names, and by default for
// none, so a job cannot write to the chat of another team.
func TestNaming(t *testing.T) {
	for _, c := range []struct {
		setting                  string
		allowed, other, anywhere bool
		shown                    string
	}{
		{"", false, false, false, "no"},
		{"named-by-jobs: false", false, false, false, "no"},
		{"named-by-jobs: true", true, true, true, "yes"},
		{"named-by-jobs: {namespaces: [ml-*, team]}", true, false, false, "namespaces ml-*, team"},
		{"named-by-jobs: {clusters: prod, namespaces: ml-*}", true, false, false, "clusters prod; namespaces ml-*"},
		{"named-by-jobs: {clusters: test, namespaces: ml-*}", false, false, false, "clusters test; namespaces ml-*"},
	} {
		f, err := Parse("f", []byte("channels:\n  chat:\n    type: slack\n    url: {env: URL}\n    "+c.setting+"\n"), Options{WithoutSecrets: true})
		if err != nil {
			t.Fatal(c.setting, err)
		}
		ch := f.Channels["chat"]
		for _, jobs := range []struct {
			cluster, namespace string
			want               bool
		}{{"prod", "ml-vision", c.allowed}, {"prod", "web", c.other}, {"", "", c.anywhere}} {
			all, unknown := f.Receivers([]rule.Target{{Kind: rule.Owner}}, nil, Named{Cluster: jobs.cluster, Namespace: jobs.namespace, Owners: []string{"chat"}})
			if (len(all) == 1) != jobs.want || (len(unknown) == 0) != jobs.want {
				t.Errorf("%q: a job of %s/%s names the channel: got %v, unknown %q; want it allowed: %v", c.setting, jobs.cluster, jobs.namespace, told(all), unknown, jobs.want)
			}
			_, err := FindAddress(f, ch, jobs.cluster, jobs.namespace, "anna", "")
			if (err == nil) != jobs.want {
				t.Errorf("%q: a subscription to %s/%s: got %v; want it allowed: %v", c.setting, jobs.cluster, jobs.namespace, err, jobs.want)
			}
		}
		if got := ch.NamedByJobs.String(); got != c.shown {
			t.Errorf("%q: got %q, want %q", c.setting, got, c.shown)
		}
	}
	for _, bad := range []string{"{}", "ml-*", "{queues: [a]}"} {
		if _, err := Parse("f", []byte("channels:\n  chat: {type: slack, url: {env: URL}, named-by-jobs: "+bad+"}\n"), Options{WithoutSecrets: true}); err == nil {
			t.Errorf("named-by-jobs: %s is accepted", bad)
		}
	}
}

// TestPersonOf: a user is a person by a name of the file, and not by a name that only jobs may use,
// such as a channel with a person.
func TestPersonOf(t *testing.T) {
	c := loadExample(t)
	for name, want := range map[string]string{"liwei": "liwei", "LiWei": "", "wei.li": "liwei", "Wei.Li": "", "Anna@example.com": "", "anna@example.com": "anna", "slack-team:liwei": "", "slack-team": "", "cluster:prod:liwei": "", "": ""} {
		if got := c.PersonOf(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestOwners(t *testing.T) {
	c := loadExample(t)
	none := func() map[string]string { return nil }
	many := strings.Repeat("a,", 5) + "b,c,d,e,f,g,h,i,j,k,l"
	for _, c2 := range []struct {
		name        string
		labels      map[string]string
		annotations map[string]string
		submitter   string
		want        []string
	}{
		{"nothing", nil, nil, "", nil},
		{"the submitter", nil, nil, "liwei", []string{"liwei"}},
		{"a label", map[string]string{"vedette.io/notify": "anna"}, nil, "liwei", []string{"anna"}},
		{"an annotation", map[string]string{"vedette.io/notify": "anna"}, map[string]string{"vedette.io/notify": " bob , slack-team:liwei,, "}, "liwei", []string{"bob", "slack-team:liwei"}},
		{"an empty annotation", nil, map[string]string{"vedette.io/notify": " , "}, "liwei", []string{"liwei"}},
		{"too many, and repeats", nil, map[string]string{"vedette.io/notify": many}, "", []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}},
	} {
		got := c.Owners(c2.labels, func() map[string]string { return c2.annotations }, c2.submitter)
		if diff := cmp.Diff(c2.want, got); diff != "" {
			t.Errorf("%s: owners (-want +got):\n%s", c2.name, diff)
		}
	}
	if !c.NeedsAnnotations() {
		t.Error("an annotation may name the owner")
	}
	without, err := Parse("f", []byte("owner: [label a, submitter]\nchannels: {}\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if without.NeedsAnnotations() || len(without.Owners(nil, none, "x")) != 1 {
		t.Error("no annotation names the owner")
	}
}
