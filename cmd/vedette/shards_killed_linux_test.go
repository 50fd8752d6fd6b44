package main

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/vedette-io/vedette/apitest"
)

// TestRestartedMember: a recorder that was killed continues at once when it starts again, whatever
// the lease. A recorder with another name is not ready, and not a standby, until the lease has
// ended.
func TestRestartedMember(t *testing.T) {
	t.Parallel()
	r := &archive{t: t, srv: recordable(t, apitest.Config{}), db: "sqlite:" + t.TempDir() + "/history.db"}
	records := func(pod string) *joined {
		t.Helper()
		a := joinAs(t, r.joinArgs("a", "1h")...)
		r.srv.create(newPod("ml", pod))
		r.until(pod, 1)
		return a
	}
	records("first").kill()
	records("at-once").kill()
	records("once-more").kill()
	b := joinAs(t, r.joinArgs("b", "1h")...)
	b.err.holds(t, "http://")
	address := regexp.MustCompile(`http://[^/\s]+`).FindString(b.err.String())
	awaited(t, address+"/readyz", http.StatusServiceUnavailable, regexp.MustCompile(`^pods of \S+: no recorder with a sign of life records it; it waits for one\n$`))
	_, metrics := get(t, address+"/metrics")
	for _, want := range []string{`vedette_record_ready{[^}]*} 0\n`, `vedette_record_standby{[^}]*} 0\n`, `vedette_record_fault{[^}]*fault="not-started"[^}]*} 1\n`, `vedette_shards_known 1\n`, `vedette_shards_held 0\n`, `vedette_shards_unheld 1\n`} {
		if !regexp.MustCompile(want).MatchString(metrics) {
			t.Errorf("the metrics lack %s:\n%s", want, regexp.MustCompile(`(?m)^vedette_(shards|record_(ready|standby|fault)).*$`).FindAllString(metrics, -1))
		}
	}
}
