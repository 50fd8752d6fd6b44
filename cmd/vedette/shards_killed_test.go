package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
)

// joined is a recorder that shares, in a process of its own.
type joined struct {
	t   *testing.T
	cmd *exec.Cmd
	err *output
}

func joinAs(t *testing.T, args ...string) *joined {
	t.Helper()
	j := &joined{t: t, cmd: exec.CommandContext(t.Context(), os.Args[0], args...), err: newOutput()}
	j.cmd.Env, j.cmd.Stderr = append(os.Environ(), asProgram+"=1"), j.err
	if err := j.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.kill)
	return j
}

func (j *joined) kill() {
	_ = j.cmd.Process.Kill()
	_ = j.cmd.Wait()
}

// joinArgs returns the arguments of a recorder that shares.
func (r *archive) joinArgs(name, lease string) []string {
	return []string{"record", "pods", "-A", "--kubeconfig", r.srv.kubeconfig, "--db", r.db, "--join", "--replicas-per-shard", "1", "--join-lease", lease, "--name", name, "--listen", "127.0.0.1:0"}
}

// TestKilledMember: after a recorder that shares was killed, `vedette shards` says that nobody
// records its shards.
func TestKilledMember(t *testing.T) {
	t.Parallel()
	r := &archive{t: t, srv: recordable(t, apitest.Config{}), db: "sqlite:" + t.TempDir() + "/history.db"}
	said := func(want string, args ...string) {
		t.Helper()
		patience.Until(t, want, func() string {
			out, errs, code := runOnce(t, append([]string{"shards", "--db", r.db}, args...)...)
			if code == 0 && strings.Contains(out+errs, want) {
				return ""
			}
			return fmt.Sprintf("exit code %d, printed\n%s%s", code, out, errs)
		})
	}
	a := joinAs(t, r.joinArgs("a", "2s")...)
	r.srv.create(newPod("ml", "train"))
	r.until("train", 1)
	said("a records 1 of 1 shard")
	if _, errs, _ := runOnce(t, "shards", "--db", r.db); strings.Contains(errs, "nobody records") {
		t.Errorf("while a recorder lives, the command says %s", errs)
	}
	a.kill()
	said("nobody records pods of 127.0.0.1")
	said("a is silent and held 1 of 1 shard")
	said(`,"recorders":"","catchingUp":"","silent":"a",`, "-o", "ndjson")
}
