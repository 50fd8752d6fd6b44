package retention_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/retention"
)

// keep stores a log of a pod of a job, to which text was last added at a time.
func (d *database) keep(cluster, job, pod string, at time.Time, lines []joblog.Line) {
	d.Helper()
	s := joblog.New(d.DB, joblog.Limits{}, nil)
	l := joblog.Log{ClusterUID: cluster, JobUID: job, OwnerUID: job, PodUID: pod, Pod: pod, Container: "main", Started: at, Ended: at, Complete: true}
	if err := s.Put(d.Context(), l, lines); err != nil {
		d.Fatal(err)
	}
	d.Exec(fmt.Sprintf("UPDATE kept_logs SET fetched_at = %d WHERE pod = '%s'", at.UnixMicro(), pod))
}

// TestKeptLogsOfObjects: the logs of removed objects go with them: those of the pod, of its
// owner, of the job. Logs of other objects stay, also of the same UID in another cluster.
func TestKeptLogsOfObjects(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.write(lives(4, 2, 1)) // 1-0 to 1-3, deleted at versions 2, 4, 6 and 8
		some := []joblog.Line{{Time: at(1, 0), Text: "a"}}
		for i := range 4 {
			d.keep("uid-a", fmt.Sprint("1-", i), fmt.Sprint("pod-", i), at(1, 0), some)
		}
		d.keep("uid-b", "1-0", "elsewhere", at(1, 0), some)
		d.keep("uid-a", "another", "1-1", at(1, 0), some)
		d.keep("uid-a", "another", "pod-9", at(1, 0), some)
		policy, now := retention.Policy{Keep: 10 * time.Second}, at(5, 10)
		done, err := retention.PruneAt(t.Context(), d.DB, policy, now, 10, 10)
		if err != nil || done.Objects != 2 || done.Logs.Logs != 3 || done.Logs.Bytes == 0 || !strings.HasSuffix(done.String(), ", 3 kept logs") {
			t.Errorf("got %+v and error %v, want 2 objects and 3 kept logs removed", done, err)
		}
		d.Want("SELECT pod FROM kept_logs ORDER BY pod", "elsewhere", "pod-2", "pod-3", "pod-9")
		d.Want("SELECT COUNT(*) FROM kept_log_chunks", "4")
	})
}

// TestKeptLogsByAge: logs go at their age, also if the history stays without a limit. Preview
// counts them.
func TestKeptLogsByAge(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		for i := range 5 {
			d.keep("uid-a", "job", fmt.Sprint("pod-", i), at(0, i*3600), nil)
		}
		policy, now := retention.Policy{KeepLogs: 3 * time.Hour}, at(0, 5*3600)
		for range 2 {
			preview, err := retention.PreviewAt(t.Context(), d.DB, policy, now)
			if err != nil || preview.Logs.Logs != 2 {
				t.Errorf("preview: got %+v and error %v, want 2 kept logs", preview, err)
			}
		}
		done, err := retention.PruneAt(t.Context(), d.DB, policy, now, 10, 10)
		if err != nil || done.Logs.Logs != 2 {
			t.Errorf("prune: got %+v and error %v, want 2 kept logs", done, err)
		}
		d.Want("SELECT pod FROM kept_logs ORDER BY pod", "pod-2", "pod-3", "pod-4")
		if _, err := retention.PruneAt(t.Context(), d.DB, retention.Policy{KeepLogs: -1}, now, 10, 10); err == nil {
			t.Error("a negative age was accepted")
		}
	})
}

// TestKeptLogsBySize checks that kept logs have a separate limit, and do not displace
// history.
func TestKeptLogsBySize(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.write(lives(4, 2, 1))
		r := testinput.Rand(t)
		for i := range 20 {
			text := make([]byte, 8000)
			for j := range text {
				text[j] = 'a' + byte(r.IntN(26))
			}
			lines := []joblog.Line{{Time: at(1, i), Text: string(text)}}
			d.keep("uid-a", "job", fmt.Sprint("pod-", i), at(1, i), lines)
		}
		size, err := d.Size(t.Context())
		if err != nil || size.Logs < 20*4000 || size.Logs > 20*8000+20*2000 || size.Used < size.Logs {
			t.Errorf("size: got %+v and error %v, want 80 to 200 kB of logs, as part of the total", size, err)
		}
		policy := retention.Policy{MaxBytes: size.Used - size.Logs + 50_000}
		done, err := retention.PruneAt(t.Context(), d.DB, policy, at(1_000_000, 0), 10, 10)
		if err != nil || done.Revisions != 0 || done.Excess != 0 || done.Size.Logs != size.Logs {
			t.Errorf("got %+v and error %v, want nothing removed", done, err)
		}
		policy.MaxLogBytes = 40_000
		done, err = retention.PruneAt(t.Context(), d.DB, policy, at(1_000_000, 0), 10, 10)
		if err != nil || done.Revisions != 0 || done.Excess != 0 || done.Size.Logs > 40_000+20*2000 {
			t.Errorf("got %+v and error %v, want only logs removed, down to the limit", done, err)
		}
		left := d.Rows("SELECT pod FROM kept_logs WHERE lines_kept > 0 ORDER BY id")
		if len(left) < 4 || len(left) > 10 || left[len(left)-1] != "pod-19" {
			t.Errorf("got %q left, want 4 to 10 with pod-19 as the last", left)
		}
		d.Want("SELECT COUNT(*) FROM kept_logs", "20")
	})
}
