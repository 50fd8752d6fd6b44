package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRetry: the file configures the retries of failed messages.
func TestRetry(t *testing.T) {
	c, err := Parse("notify.yaml", []byte("retry: {waits: [200ms, 1s, 2h], pause-after: 9, pause: 1s, longest-pause: 1m}\n"), environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	want := Retry{Waits: []time.Duration{200 * time.Millisecond, time.Second, 2 * time.Hour}, PauseAfter: 9, Pause: time.Second, LongestPause: time.Minute}
	if diff := cmp.Diff(want, c.Retry); diff != "" {
		t.Errorf("got a difference (-want +got):\n%s", diff)
	}
	_, err = Parse("notify.yaml", []byte("retry:\n  waits: [soon]\n  pause: 2m\n  longest-pause: 1m\n  pauses: 1\n"), environment(nil))
	for _, part := range []string{":2: each of waits", ":3: pause is longer", ":5: retry has no field"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the mistakes lack %q: %v", part, err)
		}
	}
}
