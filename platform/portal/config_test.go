package portal_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/portal"
)

// TestSessionsOutliveNoAudit: replicas read ended sessions from the audit, so a session must not last
// longer than the rows are kept.
func TestSessionsOutliveNoAudit(t *testing.T) {
	w := newWorld(t)
	for age, want := range map[time.Duration]bool{0: true, 24 * time.Hour: false, 48 * time.Hour: true, -1: true} {
		cfg := portal.Config{DB: w.db, AuditAge: age}
		cfg.Identity.InsecureLoopback, cfg.Identity.Lifetime = true, 48*time.Hour
		_, err := portal.New(cfg)
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), "a session lasts 48h0m0s") {
			t.Errorf("an audit of %v: got %v, want it accepted: %v", age, err, want)
		}
	}
}
