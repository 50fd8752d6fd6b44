package config

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

const exampleFile = "../../../examples/record/notify.yaml"

// loadExample returns the example, with secrets.
func loadExample(t testing.TB) *Config {
	t.Helper()
	dir := t.TempDir()
	testinput.Uncached(t)
	text, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "notify.yaml"), string(text))
	write(t, filepath.Join(dir, "mail-password"), "secret-of-mail\n")
	write(t, filepath.Join(dir, "ca.pem"), certificate)
	cluster, err := kube.Connect(kube.Config{REST: &rest.Config{Host: "https://127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	o := environment(map[string]string{
		"FEISHU_URL": "https://open.feishu.cn/open-apis/bot/v2/hook/6a1d2f5e-secret", "FEISHU_SECRET": "secret-of-feishu",
		"FEISHU_APP_SECRET": "secret-of-the-app",
		"DINGTALK_URL":      "https://oapi.dingtalk.com/robot/send?access_token=1f2e3d4c5b6a", "DINGTALK_SECRET": "SECsecret-of-dingtalk",
		"WECOM_URL": "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=0a1b2c3d-4e5f-secret", "SLACK_TOKEN": "xoxb-1234-secret",
		"TEAMS_URL": "https://prod-1.westeurope.logic.azure.com/workflows/secret/triggers/manual/paths/invoke", "PAGERDUTY_KEY": "0123456789abcdef0123456789abcdef",
		"OPSGENIE_KEY": "secret-of-opsgenie", "HOOK_SECRET": keyA, "HOOK_SECRET_BEFORE": keyB, "HOOK_TEAM": "ml", "NTFY_URL": "ntfy://ntfy.sh/secret-topic",
	})
	o.Clusters, o.Stdout = map[string]*kube.Cluster{"gpu-west": cluster}, io.Discard
	c, err := Load(filepath.Join(dir, "notify.yaml"), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// keysOf adds all keys of a document to a set.
func keysOf(n *yaml.Node, keys map[string]bool) {
	for i, below := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			keys[below.Value] = true
		}
		keysOf(below, keys)
	}
}

// TestExampleHasEverything: the example has every field and every type of channels.
func TestExampleHasEverything(t *testing.T) {
	c := loadExample(t)
	text, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	keysOf(&root, keys)
	want := slices.Concat(fileFields, ruleFields, commonFields)
	for _, timer := range timerFields {
		want = append(want, timer.fields...)
	}
	used := map[string]bool{"lark": true} // has the fields of feishu
	for _, channel := range c.Channels {
		used[channel.Kind] = true
	}
	for name, k := range kinds {
		want = append(want, k.fields...)
		if !used[name] {
			t.Errorf("no channel has the type %s", name)
		}
	}
	for _, key := range want {
		if !keys[key] {
			t.Errorf("%s is missing", key)
		}
	}
}

// TestExample: the program reads the values of the file.
func TestExample(t *testing.T) {
	c := loadExample(t)
	shanghai, berlin := c.Location, c.People["anna"].Location
	if shanghai.String() != "Asia/Shanghai" || berlin.String() != "Europe/Berlin" || c.Portal != "https://vedette.example.com" || c.Language != "zh" {
		t.Errorf("got %v, %v, portal %s, language %s; want Asia/Shanghai, Europe/Berlin, https://vedette.example.com and zh", shanghai, berlin, c.Portal, c.Language)
	}
	if len(c.Warnings) > 0 {
		t.Errorf("got warnings %q, want none", c.Warnings)
	}
	rules := map[string]*rule.Rule{}
	for _, r := range c.Rules.Rules() {
		rules[r.ID()] = r
		if got := len(r.Check()); got > 0 {
			t.Errorf("%s has %d problems, want none", r.Name, got)
		}
	}
	team := rules["failures-of-the-team"]
	got := []any{team.Flap, team.Escalate.After, team.Urgent, team.Now, team.Quiet, team.Labels.String(), len(team.To), team.To[2].String(), team.When.String()}
	want := []any{
		&rule.Flap{Changes: 3, Within: 30 * time.Minute}, 15 * time.Minute, true, true, (*rule.Quiet)(nil), "!experimental,team in (llm,ml)", 4, "mail:anna",
		`old.duration > duration("10m") && new.labels.?stage.orValue("dev") == "production"`,
	}
	want[7] = "mail:anna@example.com"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("got a difference (-want +got):\n%s", diff)
	}
	timers := map[string]rule.Timer{}
	for id, r := range rules {
		if r.Timer != nil {
			timers[id] = *r.Timer
		}
	}
	if diff := cmp.Diff(map[string]rule.Timer{
		"waits-too-long": {Kind: rule.WaitsLongerThanUsual, After: 30 * time.Minute},
		"runs-too-long":  {Kind: rule.Runs, After: 24 * time.Hour},
		"deadline":       {Kind: rule.NearDeadline, After: 30 * time.Minute},
		"hangs":          {Kind: rule.NoProgress, After: 30 * time.Minute, Signals: []rule.Signal{{Kind: rule.Log}, {Kind: rule.Annotation, Name: "example.com/step"}, {Kind: rule.Status, Name: "progress.step"}}},
	}, timers); diff != "" {
		t.Errorf("got other timers (-want +got):\n%s", diff)
	}
	quiet := rules["my-failures"].Quiet
	if quiet == nil || quiet.From != 22*time.Hour || quiet.To != 8*time.Hour || len(quiet.Days) != 5 || quiet.Location != shanghai {
		t.Errorf("quiet hours of the file: %+v", quiet)
	}
	if days := rules["waits-too-long"].Quiet.Days; len(days) != 7 {
		t.Errorf("days of the rule: %v", days)
	}
	if d := c.Channels["dingtalk-team"].Digest; d.Every != 24*time.Hour || d.At != 9*time.Hour || d.Location != shanghai {
		t.Errorf("digest of a channel: %+v", d)
	}
	if d := rules["progress-of-my-jobs"].Digest; d.Every != 2*time.Hour {
		t.Errorf("digest of a rule: %+v", d)
	}
	if rules["hangs"].Templates == nil || rules["deadline"].Templates == nil {
		t.Error("templates are lost")
	}
	for name, channel := range c.Channels {
		opened, err := channel.Open()
		if err != nil {
			t.Errorf("channel %s does not open: %v", name, err)
			continue
		}
		if kind := opened.Traits().Kind; kind != channel.Kind {
			t.Errorf("%s is of type %s, and opens %s", name, channel.Kind, kind)
		}
		if err := opened.Close(); err != nil {
			t.Errorf("channel %s does not close: %v", name, err)
		}
	}
}

// certificate is an untrusted certificate.
const certificate = `-----BEGIN CERTIFICATE-----
MIIBfDCCASGgAwIBAgIURIl4yavvcqlIuw9Q97T9SZPD7kgwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHZXhhbXBsZTAgFw0yNjExMjIxMTM2MjhaGA8yMTI2MTAyOTEx
MzYyOFowEjEQMA4GA1UEAwwHZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABJK1UKlfRI7EAdfEiazsKT2Qk8oZh8ezWLgV4jRdDH80sEEbkQXW4Z7FbFOv
+p8x5rtEKIMqfX5AA1YLted+Tk+jUzBRMB0GA1UdDgQWBBQ+xA0H8hVBb8kFhZcO
6e2oVcVRJjAfBgNVHSMEGDAWgBQ+xA0H8hVBb8kFhZcO6e2oVcVRJjAPBgNVHRMB
Af8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDZxKolmUGV9R5RgSYyuSiMs4vi
qbTvk0iNAq76+LqB7AIhAKPYGMxiYuyMQVdF2oL8eVlrWURYYQMSivycfG5jUW3c
-----END CERTIFICATE-----
`

// TestEverythingIsDocumented: the documentation has every field and every type.
func TestEverythingIsDocumented(t *testing.T) {
	testinput.Uncached(t)
	text, err := os.ReadFile("../../../docs/notifications.md")
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Concat(fileFields, ruleFields, commonFields, addressKinds())
	for name, k := range kinds {
		want = append(append(want, name), k.fields...)
	}
	for _, field := range want {
		if !strings.Contains(string(text), "`"+field+"`") {
			t.Errorf("%s is missing", field)
		}
	}
}
