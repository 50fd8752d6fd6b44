package insight_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/insight"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// ended is the status of a pod whose container ended some seconds after the instant of a scene.
func ended(s *scene, code, reason string, after int) string {
	at := s.now.Add(time.Duration(after) * time.Second).Format(time.RFC3339)
	return "phase: Failed, containerStatuses: [" + strings.Replace(terminated(code, reason), "NOW", at, 1) + "]"
}

// TestOtherPods: the sentence has the time when the other pods of the last attempt
// stopped.
func TestOtherPods(t *testing.T) {
	for _, c := range []struct {
		after    []int // delays of the other pods, in seconds
		en, zhEn string
	}{
		{nil, "", ""},
		{[]int{0}, "1 other pod stopped at the same time.", "另有 1 个 Pod 同时停止。"},
		{[]int{2}, "1 other pod stopped 2s later.", "另有 1 个 Pod 在 2s后停止。"},
		{[]int{0, 0}, "2 other pods stopped at the same time.", "另有 2 个 Pod 同时停止。"},
		{[]int{2, 2, 2}, "3 other pods stopped 2s later.", "另有 3 个 Pod 在 2s后停止。"},
		{[]int{1, 2, 4}, "3 other pods stopped within 4s.", "另有 3 个 Pod 在 4s内停止。"},
	} {
		s := newScene(t, dbtest.Empty(t, "sqlite"))
		s.now = s.now.Add(-time.Minute)
		job := failedJob("BackoffLimitExceeded", "limit")
		s.create(strings.Replace(job, "NOW", s.now.Add(30*time.Second).Format(time.RFC3339), 1))
		s.create(failedPod("a", ended(s, "137", "OOMKilled", 0)))
		for i, after := range c.after {
			s.create(failedPod(string(rune('b'+i)), ended(s, "143", "Error", after)))
		}
		s.record("jobs.batch", "pods")
		want := "Pod a-2 used all of its 480 GiB of memory on gpu-h100-17 and was killed. " + c.en
		f := why(t, s, "en")
		if got := strings.TrimSpace(strings.TrimSuffix(f.Sentence, "No retries were left.")); got != strings.TrimSpace(want) {
			t.Errorf("%v: %s\nwant %s", c.after, got, want)
		}
		if zh := why(t, s, "zh"); !strings.Contains(zh.Sentence, c.zhEn) {
			t.Errorf("%v: got %s, want %s in it", c.after, zh.Sentence, c.zhEn)
		}
		if want := (api.MemoryRepair{Container: "main", Limit: "480Gi", Proposed: "720Gi"}); f.Memory == nil || *f.Memory != want {
			t.Errorf("repair %+v, want %+v", f.Memory, want)
		}
	}
}

// TestMemoryRepair: a proposal is 1.5 times the limit, in round units; without a valid limit there
// is none.
func TestMemoryRepair(t *testing.T) {
	for limit, want := range map[string]string{
		"480Gi": "720Gi", "1Gi": "1536Mi", "2Gi": "3Gi", "100Mi": "150Mi", "64M": "92Mi", "10G": "14Gi", "7Gi": "11Gi", "1073741824": "1536Mi",
		"": "", "-1Gi": "", "0": "", "much": "", "9E": "",
	} {
		if got := insight.Roomier(limit); got != want {
			t.Errorf("%q: %q, want %q", limit, got, want)
		}
	}
}
