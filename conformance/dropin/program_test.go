package dropin_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/internal/patience"
)

// usage is the resource usage that a program reports.
type usage struct {
	Event       string `json:"event"`
	Wall        int64  `json:"wall_ms"`
	CPU         int64  `json:"cpu_ms"`
	Heap        uint64 `json:"heap_bytes"`
	RSS         uint64 `json:"rss_bytes"`
	Peak        uint64 `json:"peak_bytes"`
	Goroutines  int    `json:"goroutines"`
	Collections uint32 `json:"collections"`
	// Informers counts informers by the reason why they are not accelerated; "" if they
	// are.
	Informers map[string]int `json:"informers"`
	// Decodes counts the objects that our informers decoded, by type.
	Decodes map[string]uint64 `json:"decodes"`
}

// decoded returns the number of objects that our informers decoded.
func (u *usage) decoded() (n uint64) {
	for _, of := range u.Decodes {
		n += of
	}
	return n
}

// build builds the programs, and returns the path.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubernetes")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-C", "../kubernetes", "-buildvcs=false", "-o", path, ".")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build conformance/kubernetes: %v\n%s", err, out)
	}
	return path
}

// program is a running scheduler or controller manager.
type program struct {
	name    string
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan usage // closed when the program has ended
	ended   bool
}

// flags returns the flags of a program: the same as controlplane's own, without an HTTP
// server.
func flags(name string, c *controlplane.Cluster) []string {
	common := []string{"--kubeconfig=" + c.Kubeconfig(), "--leader-elect=false", "--kube-api-qps=500", "--kube-api-burst=1000", "--secure-port=0"}
	if name == scheduler {
		return common
	}
	return append(common, "--service-account-private-key-file="+filepath.Join(c.Dir(), "sa.key"),
		"--root-ca-file="+filepath.Join(c.Dir(), "apiserver.crt"), "--use-service-account-credentials")
}

// start starts a program, and returns when its informers have synced, with its usage so
// far. The program ends with the test.
func start(t *testing.T, path, factory, name string, c *controlplane.Cluster) (*program, usage) {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(c.Dir(), name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	p := &program{name: name, answers: make(chan usage, 1)}
	p.cmd = exec.Command(path, append([]string{"--factory=" + factory, name}, flags(name, c)...)...)
	p.cmd.Stderr = log
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.read(out)
	t.Cleanup(p.kill)
	ready := p.await(t)
	if ready.Event != "ready" {
		t.Fatalf("%s printed %+v before it was ready", name, ready)
	}
	return p, ready
}

// read passes on the answers of the program, until it ends.
func (p *program) read(out io.Reader) {
	defer close(p.answers)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var u usage
		if json.Unmarshal(lines.Bytes(), &u) == nil { // a library may print other lines
			p.answers <- u
		}
	}
}

func (p *program) await(t *testing.T) usage {
	t.Helper()
	return patience.Receive(t, "an answer of "+p.name, p.answers)
}

// usage requests the current usage from the program.
func (p *program) usage(t *testing.T) usage {
	t.Helper()
	if _, err := io.WriteString(p.in, "usage\n"); err != nil {
		t.Fatalf("request the usage of %s: %v", p.name, err)
	}
	return p.await(t)
}

// end stops the program with an interrupt, and fails the test if it does not stop.
func (p *program) end(t *testing.T) {
	t.Helper()
	p.in.Close()
	patience.Closed(t, "the end of "+p.name, p.answers)
	p.ended = true
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("%s ended with %v", p.name, err)
	}
}

// kill ends the program if the test did not.
func (p *program) kill() {
	if p.ended {
		return
	}
	_ = p.cmd.Process.Kill()
	for range p.answers {
	}
	_ = p.cmd.Wait() // it was killed
}
