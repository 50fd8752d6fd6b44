package notified_test

import (
	"encoding/base64"
	"flag"
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
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/conformance/record/stage"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

var latency = flag.Bool("latency", false, "measure the time from a transition to its message")

// TestNotifyLatency: one process records and notifies, while pods change their states as
// fast as a few clients of a real API server can. It logs the time from the response of
// the API server to the receiver. The times have no limit, but all messages must arrive.
func TestNotifyLatency(t *testing.T) {
	if !*latency {
		return
	}
	program := gobuild.Program(t, gobuild.Vedette)
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := stage.New(t, program, kind, controlplane.Options{Parts: controlplane.APIServerOnly}, "pods")
			receiver := stage.NewSink(t, stage.Temper{})
			file := filepath.Join(t.TempDir(), "notify.yaml")
			if err := os.WriteFile(file, fmt.Appendf(nil, stage.NotifyFile, receiver.Address, receiver.Address, receiver.Address), 0o600); err != nil {
				t.Fatal(err)
			}
			config := stage.Kubeconfig(t, s.Plane.RESTConfig(), "")
			one := stage.Start(t, "one", func() *exec.Cmd {
				cmd := exec.Command(program, "record", "--name", "one", "pods", "-A", "--db", s.URL, "--notify", file)
				cmd.Env = append(os.Environ(), "KUBECONFIG="+config, "SINK_SECRET=whsec_"+base64.StdEncoding.EncodeToString(stage.SinkSecret))
				return cmd
			})
			s.Covered(t, "one")
			s.CursorBegins(t)
			began := time.Now()
			written := timedFlips(t, s, 50, 10)
			rate := float64(len(written)) / time.Since(began).Seconds()
			var all []time.Duration
			patience.Until(t, "the messages", func() string {
				all = all[:0]
				got, _ := receiver.All()
				seen := map[string]bool{}
				for i := range got {
					key := got[i].UID + "/" + strconv.FormatInt(got[i].Version, 10)
					if at, found := written[key]; found && !seen[key] && strings.HasSuffix(got[i].Key, "/all/sound") {
						seen[key] = true
						all = append(all, got[i].At.Sub(at))
					}
				}
				if len(all) < len(written) {
					return fmt.Sprintf("%d of %d", len(all), len(written))
				}
				return ""
			})
			slices.Sort(all)
			t.Logf("%.0f transitions a second: median %v, 99 %% %v, last %v", rate, all[len(all)/2].Round(time.Millisecond), all[len(all)*99/100].Round(time.Millisecond), all[len(all)-1].Round(time.Millisecond))
			one.Stop(t)
		})
	}
}

// timedFlips changes the phases of pods, and returns when each version was written.
func timedFlips(t *testing.T, s *stage.Stage, pods, rounds int) map[string]time.Time {
	t.Helper()
	var mu sync.Mutex
	var work sync.WaitGroup
	written := map[string]time.Time{}
	for w := range 4 {
		work.Go(func() {
			for i := w; i < pods; i += 4 {
				pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pod-%d", i)}, Spec: corev1.PodSpec{SchedulerName: "nobody", Containers: []corev1.Container{{Name: "main", Image: "train"}}}}
				if _, err := s.Load.Client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
					t.Errorf("pod-%d: %v", i, err)
				}
			}
			for n := range rounds {
				for i := w; i < pods; i += 4 {
					now, err := s.Load.Client.CoreV1().Pods("default").Patch(t.Context(), fmt.Sprintf("pod-%d", i), types.MergePatchType, []byte(stage.Phases[n%2]), metav1.PatchOptions{}, "status")
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
