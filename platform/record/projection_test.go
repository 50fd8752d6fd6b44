package record_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/wire"
)

func upsert(body string) delta.Delta {
	return delta.Delta{Kind: delta.Upsert, Record: wire.Record{Key: wire.Key{Name: "a"}, UID: "u", Version: 7, Encoding: wire.JSON, Body: []byte(body)}}
}

// TestSameContent checks that a revision has the same body from a watch, from a list, and
// from a server that formats its output. A new version alone does not change the body.
func TestSameContent(t *testing.T) {
	pods := kube.Resource{Version: "v1", Name: "pods", Kind: "Pod"}
	want := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"app":"b"}},"status":{"phase":"Running"}}`
	for way, body := range map[string]string{
		"watch":          `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7","labels":{"app":"b"}},"status":{"phase":"Running"}}`,
		"list":           `{"metadata":{"name":"a","resourceVersion":"7","labels":{"app":"b"}},"status":{"phase":"Running"}}`,
		"custom":         `{"apiVersion":"v1","kind":"Pod","metadata":{"resourceVersion":"7","name":"a","labels":{"app":"b"}},"status":{"phase":"Running"}}`,
		"another":        `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"8","labels":{"app":"b"}},"status":{"phase":"Running"}}`,
		"managed fields": `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","labels":{"app":"b"},"managedFields":[{"manager":"m"}]},"status":{"phase":"Running"}}`,
		"for people":     "{\n  \"kind\": \"Pod\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {\n    \"name\": \"a\",\n    \"resourceVersion\": \"7\",\n    \"labels\": {\n      \"app\": \"b\"\n    }\n  },\n  \"status\": {\n    \"phase\": \"Running\"\n  }\n}",
	} {
		body, status, labels, err := record.Observe(pods, nil, nil, upsert(body))
		if err != nil || body != want {
			t.Errorf("%s: got body %s and error %v, want %s", way, body, err, want)
		}
		if status.State != "Running" || labels["app"] != "b" {
			t.Errorf("%s: got status %+v and labels %v, want Running and app=b", way, status, labels)
		}
	}
}

// TestNotKept checks that no body contains the data of Secrets or a redacted field. This
// includes Secrets in lists, which do not name their type, and deeply nested objects.
func TestNotKept(t *testing.T) {
	secrets := kube.Resource{Version: "v1", Name: "secrets", Kind: "Secret"}
	jobs := kube.Resource{Group: "batch", Version: "v1", Name: "jobs", Kind: "Job"}
	deep := `,"deep":` + strings.Repeat(`{"a":[`, 60) + `1` + strings.Repeat(`]}`, 60)
	for _, c := range []struct {
		name, body string
		resource   kube.Resource
		redact     []string
	}{
		{"secret in a watch", `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"},"data":{"a":"hidden"},"stringData":{"a":"hidden"}}`, secrets, nil},
		{"secret in a list", `{"metadata":{"name":"a","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"hidden","b":"seen"}},"data":{"a":"hidden"}}`, secrets, nil},
		{"secret that hides", `{"metadata":{"name":"a"},"\u0064ata":{"a":"hidden"}}`, secrets, nil},
		{"deep secret", `{"metadata":{"name":"a"},"data":{"a":"hidden"}` + deep + `}`, secrets, nil},
		{"redacted", `{"metadata":{"name":"a"},"spec":{"template":{"containers":[{"env":[{"name":"hidden"}],"name":"seen"}]}}}`, jobs, []string{"spec.template.containers.env"}},
		{"redacted, deep", `{"metadata":{"name":"a"},"spec":{"template":{"containers":[{"env":[{"name":"hidden"}],"name":"seen"}]}}` + deep + `}`, jobs, []string{"spec.template.containers.env"}},
		{"message", `{"metadata":{"name":"a"},"status":{"conditions":[{"type":"Failed","status":"True","message":"hidden"}]}}`, jobs, []string{"status.conditions.message"}},
		{"label", `{"metadata":{"name":"a","labels":{"user":"hidden"}}}`, jobs, []string{"metadata.labels.user"}},
	} {
		body, status, labels, err := record.Observe(c.resource, nil, c.redact, upsert(c.body))
		if all := body + fmt.Sprint(status, labels); err != nil || strings.Contains(all, "hidden") {
			t.Errorf("%s: got %s and error %v, want nothing hidden in it", c.name, all, err)
		}
		if !strings.HasPrefix(body, `{"apiVersion":`) || !strings.Contains(body, c.resource.Kind) {
			t.Errorf("%s: %s lacks its type or name", c.name, body)
		}
	}
}
