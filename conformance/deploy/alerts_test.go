package deploy_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
)

// TestAlerts: Prometheus accepts the alerts, and they fire when they must and only then.
func TestAlerts(t *testing.T) {
	testinput.Uncached(t)
	for _, args := range [][]string{{"check", "rules", "alerts.yaml"}, {"test", "rules", "alerts_test.yaml"}} {
		cmd := exec.CommandContext(t.Context(), "promtool", args...)
		cmd.Dir = filepath.Join("..", "..", "deploy")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}

// TestAlertmanager: Prometheus loads the alerts and reads the metrics of a recorder that cannot write, and
// the alert reaches a receiver of Alertmanager with its texts.
func TestAlertmanager(t *testing.T) {
	metrics := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "vedette_record_failing_seconds{cluster=\"prod\",type=\"pods\",namespace=\"\",selector=\"\"} 90\nvedette_record_ready{cluster=\"prod\",type=\"pods\",namespace=\"\",selector=\"\"} 1\n")
	})
	arrived := make(chan []byte, 100)
	receiver := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		if text, err := io.ReadAll(r.Body); err == nil {
			select {
			case arrived <- text:
			default:
			}
		}
	})
	dir := t.TempDir()
	rules, err := filepath.Abs(filepath.Join("..", "..", "deploy", "alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	manager, prometheus := network.FreeAddress(t), network.FreeAddress(t)
	run(t, dir, manager, managerConfig(receiver), "alertmanager.yaml", []string{"prometheus-alertmanager", "alertmanager"},
		"--config.file=alertmanager.yaml", "--web.listen-address="+manager, "--cluster.listen-address=", "--storage.path=alertmanager")
	run(t, dir, prometheus, prometheusConfig(rules, metrics, manager), "prometheus.yaml", []string{"prometheus"},
		"--config.file=prometheus.yaml", "--web.listen-address="+prometheus, "--storage.tsdb.path=prometheus")
	said := "nothing arrived"
	patience.Until(t, "the alert arrives", func() string {
		select {
		case text := <-arrived:
			said = string(text)
		default:
		}
		for _, want := range []string{"VedetteNotWritten", "cannot write pods of prod", "has not accepted a batch for 1m 30s"} {
			if !strings.Contains(said, want) {
				return said
			}
		}
		return ""
	})
}

func managerConfig(receiver string) string {
	return fmt.Sprintf("route: {receiver: hook, group_by: [alertname], group_wait: 0s, group_interval: 1s, repeat_interval: 1h}\nreceivers:\n- name: hook\n  webhook_configs:\n  - url: http://%s\n", receiver)
}

func prometheusConfig(rules, metrics, manager string) string {
	return fmt.Sprintf("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [%q]\nalerting:\n  alertmanagers:\n  - static_configs:\n    - targets: [%q]\n"+
		"scrape_configs:\n- job_name: vedette\n  static_configs:\n  - targets: [%q]\n", rules, manager, metrics)
}

// serve starts a server, and returns its address. It ends with the test.
func serve(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// run starts the first of several programs that is installed, with a file of settings, and
// waits until it answers at an address. It ends with the test.
func run(t *testing.T, dir, address, settings, file string, names []string, args ...string) {
	t.Helper()
	testinput.Uncached(t)
	if err := os.WriteFile(filepath.Join(dir, file), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	path := ""
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			path = found
		}
	}
	if path == "" {
		t.Fatalf("%v is not installed; tools/setup.sh prometheus installs it", names)
	}
	var said bytes.Buffer
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // the error is that it was killed
		if t.Failed() {
			t.Logf("%s said\n%s", path, &said)
		}
	})
	patience.Until(t, names[0]+" answers", func() string {
		resp, err := http.Get("http://" + address + "/-/ready")
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return resp.Status
		}
		return ""
	})
}
