package stage

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Kubeconfig writes a kubeconfig from a configuration, optionally with another address.
func Kubeconfig(t *testing.T, of *rest.Config, address string) string {
	t.Helper()
	host := of.Host
	if address != "" {
		host = "https://" + address
	}
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters["it"] = &clientcmdapi.Cluster{Server: host, CertificateAuthority: of.CAFile}
	cfg.AuthInfos["it"] = &clientcmdapi.AuthInfo{Token: of.BearerToken}
	cfg.Contexts["it"] = &clientcmdapi.Context{Cluster: "it", AuthInfo: "it"}
	cfg.CurrentContext = "it"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*cfg, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// Recorder is a `vedette record` process that restarts when it ends, as in a cluster.
type Recorder struct {
	Name string
	make func() *exec.Cmd
	Log  string
	work sync.WaitGroup

	mu     sync.Mutex
	cmd    *exec.Cmd
	ended  chan struct{} // closed when cmd has ended
	Starts int
	down   bool
	last   error // exit error of the last process
}

// startRecorder starts a recorder, and stops it with the test.
func startRecorder(t *testing.T, program, kubeconfig, name string, args ...string) *Recorder {
	t.Helper()
	return Start(t, name, func() *exec.Cmd { return RecordCommand(program, kubeconfig, name, args...) })
}

// RecordCommand is the command of a recorder.
func RecordCommand(program, kubeconfig, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, append([]string{"record", "--name", name}, args...)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	return cmd
}

// Start starts the process of a command, and stops it with the test.
func Start(t *testing.T, name string, command func() *exec.Cmd) *Recorder {
	t.Helper()
	r := &Recorder{Name: name, Log: filepath.Join(t.TempDir(), name+".log"), make: command}
	r.Launch(t)
	t.Cleanup(func() {
		r.Kill()
		r.work.Wait()
		if t.Failed() {
			said, _ := os.ReadFile(r.Log)
			lines := strings.Split(string(said), "\n")
			t.Logf("the end of the output of %s:\n%s", name, strings.Join(lines[max(0, len(lines)-40):], "\n"))
		}
	})
	return r
}

// Launch starts the process, and restarts it when it ends.
func (r *Recorder) Launch(t *testing.T) {
	log, err := os.OpenFile(r.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Error(err)
		return
	}
	defer log.Close()
	cmd, ended := r.make(), make(chan struct{})
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cmd, r.ended, r.down = cmd, ended, false
	r.Starts++
	r.work.Go(func() {
		err := cmd.Wait()
		r.mu.Lock()
		r.last = err
		again := !r.down
		r.mu.Unlock()
		if again {
			<-time.After(300 * time.Millisecond)
			r.mu.Lock()
			again = !r.down
			r.mu.Unlock()
		}
		close(ended)
		if again {
			r.Launch(t)
		}
	})
}

// signal sends a signal to the process, and waits until it has ended. The process does
// not restart.
func (r *Recorder) signal(s syscall.Signal) error {
	r.mu.Lock()
	r.down = true
	cmd, ended := r.cmd, r.ended
	r.mu.Unlock()
	_ = cmd.Process.Signal(s) // it may have ended by itself
	<-ended
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// Kill sends SIGKILL to the recorder. It does not restart.
func (r *Recorder) Kill() { _ = r.signal(syscall.SIGKILL) }

// Stop sends SIGTERM to the process. It does not restart.
func (r *Recorder) Stop(t *testing.T) {
	t.Helper()
	if err := r.signal(syscall.SIGTERM); err != nil && err.Error() != "signal: terminated" { // it had only just started
		t.Errorf("%s: %v", r.Name, err)
	}
}

// PID returns the ID of the current process.
func (r *Recorder) PID() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cmd.Process.Pid
}
