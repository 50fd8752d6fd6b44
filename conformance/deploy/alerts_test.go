package deploy_test

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// TestAlerts: Prometheus accepts the alerts, and they fire when they must and only then.
func TestAlerts(t *testing.T) {
	for _, args := range [][]string{{"check", "rules", "alerts.yaml"}, {"test", "rules", "alerts_test.yaml"}} {
		cmd := exec.CommandContext(t.Context(), "promtool", args...)
		cmd.Dir = filepath.Join("..", "..", "deploy")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}
