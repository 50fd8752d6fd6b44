package record_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/wait"
	"github.com/vedette-io/vedette/internal/dbtest"
)

// TestNotifyLatency: one process records and notifies, while pods change their states as
// fast as a few clients of a real API server can. It logs the time from the response of
// the API server to the receiver. The times have no limit, but all messages must arrive.
func TestNotifyLatency(t *testing.T) {
	program := build(t)
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := newStage(t, program, kind, controlplane.Options{Parts: controlplane.APIServerOnly}, "pods")
			receiver := newSink(t, temper{})
			file := filepath.Join(t.TempDir(), "notify.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, notifyFile, receiver.address, receiver.address, receiver.address), 0o600); err != nil {
				t.Fatal(err)
			}
			config := kubeconfig(t, s.plane.RESTConfig(), "")
			one := startProgram(t, "one", func() *exec.Cmd {
				cmd := exec.Command(program, "record", "--name", "one", "pods", "-A", "--db", s.url, "--notify", file)
				cmd.Env = append(os.Environ(), "KUBECONFIG="+config, "SINK_SECRET=whsec_"+base64.StdEncoding.EncodeToString(sinkSecret))
				return cmd
			})
			s.covered(t, "one")
			s.cursorBegins(t)
			began := time.Now()
			written := s.timedFlips(t, 50, 10)
			rate := float64(len(written)) / time.Since(began).Seconds()
			var all []time.Duration
			wait.Until(t, 2*time.Minute, "the messages", func() string {
				all = all[:0]
				got, _ := receiver.all()
				seen := map[string]bool{}
				for i := range got {
					key := got[i].uid + "/" + strconv.FormatInt(got[i].version, 10)
					if at, found := written[key]; found && !seen[key] && strings.HasSuffix(got[i].key, "/all/sound") {
						seen[key] = true
						all = append(all, got[i].at.Sub(at))
					}
				}
				if len(all) < len(written) {
					return fmt.Sprintf("%d of %d", len(all), len(written))
				}
				return ""
			})
			slices.Sort(all)
			t.Logf("%.0f transitions a second: median %v, 99 %% %v, last %v", rate, all[len(all)/2].Round(time.Millisecond), all[len(all)*99/100].Round(time.Millisecond), all[len(all)-1].Round(time.Millisecond))
			one.stop(t)
		})
	}
}

// timedFlips changes the phases of pods, and returns when each version was written.
func (s *stage) timedFlips(t *testing.T, pods, rounds int) map[string]time.Time {
	t.Helper()
	var mu sync.Mutex
	var work sync.WaitGroup
	written := map[string]time.Time{}
	for w := range 4 {
		work.Go(func() {
			for i := w; i < pods; i += 4 {
				pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pod-%d", i)}, Spec: corev1.PodSpec{SchedulerName: "nobody", Containers: []corev1.Container{{Name: "main", Image: "train"}}}}
				if _, err := s.load.client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
					t.Errorf("pod-%d: %v", i, err)
				}
			}
			for n := range rounds {
				for i := w; i < pods; i += 4 {
					now, err := s.load.client.CoreV1().Pods("default").Patch(t.Context(), fmt.Sprintf("pod-%d", i), types.MergePatchType, []byte(phases[n%2]), metav1.PatchOptions{}, "status")
					if err != nil {
						t.Errorf("pod-%d: %v", i, err)
						continue
					}
					mu.Lock()
					written[string(now.UID)+"/"+now.ResourceVersion] = time.Now()
					mu.Unlock()
				}
			}
		})
	}
	work.Wait()
	return written
}
