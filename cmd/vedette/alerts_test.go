package main

import (
	"os"
	"regexp"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.yaml.in/yaml/v3"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/metrics/notifymetrics"
	"github.com/vedette-io/vedette/platform/metrics/recordmetrics"
	"github.com/vedette-io/vedette/platform/metrics/streammetrics"
)

var (
	metricName  = regexp.MustCompile(`\bvedette_[a-z_]+`)
	describedAs = regexp.MustCompile(`fqName: "([^"]+)"`)
	ofHistogram = regexp.MustCompile(`_(bucket|sum|count)$`)
)

// TestAlerts checks that the alerts in deploy use existing metrics.
func TestAlerts(t *testing.T) {
	testinput.Uncached(t)
	text, err := os.ReadFile("../../deploy/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr         string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	described := make(chan *prometheus.Desc)
	go func() {
		recordmetrics.New(nil).Describe(described)
		recordmetrics.NewLogs(nil).Describe(described)
		recordmetrics.NewTraces(nil).Describe(described)
		recordmetrics.NewShards(nil).Describe(described)
		streammetrics.New(nil, nil).Describe(described)
		notifymetrics.New(notifymetrics.Source{}).Describe(described)
		close(described)
	}()
	for d := range described {
		there[describedAs.FindStringSubmatch(d.String())[1]] = true
	}
	seen := map[string]bool{}
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			names := metricName.FindAllString(r.Expr, -1)
			if r.Alert == "" || seen[r.Alert] || len(names) == 0 || r.Labels["severity"] == "" || r.Annotations["summary"] == "" {
				t.Errorf("%q has no name of its own, no metric, no severity or no summary: %+v", r.Alert, r)
			}
			seen[r.Alert] = true
			for _, name := range names {
				if !there[name] && !there[ofHistogram.ReplaceAllString(name, "")] {
					t.Errorf("%s uses %s, which is not a metric", r.Alert, name)
				}
			}
		}
	}
	if len(seen) == 0 {
		t.Error("the file has no alerts")
	}
}
