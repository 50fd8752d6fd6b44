package submit_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/patience"
)

// testRecorded: the recorder reads the submitter of a job from the metadata that submit
// writes.
func testRecorded(t *testing.T, s *stage) {
	config := s.kubeconfig(t, "")
	db := "sqlite:" + t.TempDir() + "/history.db"
	recorder := exec.CommandContext(t.Context(), s.program, "record", "jobs", "-A", "--db", db)
	recorder.Env = append(os.Environ(), "KUBECONFIG="+config)
	var log bytes.Buffer
	recorder.Stdout, recorder.Stderr = &log, &log
	if err := recorder.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = recorder.Process.Signal(os.Interrupt)
		if err := recorder.Wait(); err != nil {
			t.Errorf("%v\n%s", err, log.String())
		}
	}()
	if code, _, errs := s.run(t, config, jobText, "submit", "-f", "-"); code != 0 {
		t.Fatal(errs)
	}
	patience.Until(t, "the job in the history", func() string {
		code, out, errs := s.run(t, config, "", "history", "job/train-7", "-n", s.namespace, "--db", db, "-o", "json")
		if code != 0 || !strings.Contains(out, `"submitter": "admin"`) {
			return out + errs
		}
		return ""
	})
}
