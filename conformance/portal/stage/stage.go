package stage

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
	"go.uber.org/goleak"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/conformance/browser"
	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/conformance/kubelet"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/conformance/portal/client"
	"github.com/vedette-io/vedette/internal/localtoken"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// Main runs the tests of a package, ends what they share, and finds goroutines that remain.
func Main(m *testing.M) {
	settings, err := os.MkdirTemp("", "vedette-settings-")
	if err == nil {
		err = os.Setenv("XDG_CONFIG_HOME", settings) // the local token is not that of the user who runs the tests
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(settings)
	dbtest.Stop()
	gobuild.Clean()
	if code == 0 {
		if err := goleak.Find(controlplane.IgnoreSpawner()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// Namespace is the namespace of all jobs.
const Namespace = "default"

// Stage is a control plane with nodes that have logs, a recorder, and a portal.
type Stage struct {
	T      *testing.T
	Plane  *controlplane.Cluster
	Node   *kubelet.Kubelet
	Client kubernetes.Interface
	DB     string
	Base   string // the address of the portal
	listen string
	Inside bool // the recorder serves the portal
}

// New starts a control plane and a recorder, with SQLite.
func New(t *testing.T, opts controlplane.Options) *Stage {
	t.Helper()
	return NewOn(t, dbtest.Empty(t, "sqlite"), opts, false)
}

// NewOn is New with a database. inside makes the recorder serve the portal.
func NewOn(t *testing.T, database string, opts controlplane.Options, inside bool) *Stage {
	t.Helper()
	s := NewPlane(t, database, opts, inside)
	s.Record("jobs,pods")
	return s
}

// NewPlane is a stage without a recorder.
func NewPlane(t *testing.T, database string, opts controlplane.Options, inside bool) *Stage {
	t.Helper()
	s := &Stage{T: t, Node: kubelet.ForTest(t), DB: database, Inside: inside}
	opts.KubeletPort = s.Node.Port()
	s.Plane = controlplane.ForTest(t, opts)
	client, err := kubernetes.NewForConfig(s.Plane.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	s.Client = client
	t.Cleanup(client.RESTClient().(*rest.RESTClient).Client.CloseIdleConnections)
	s.listen = network.FreeAddress(t)
	s.Base = "http://" + s.listen
	return s
}

// Record starts the recorder of some types.
func (s *Stage) Record(types string) {
	s.T.Helper()
	args := []string{"record", types, "-A", "--keep-logs", "jobs"}
	if s.Inside {
		args = append(args, "--listen", s.listen)
	}
	s.start(args...)
}

// start starts the program with the database and the cluster. The returned function ends it as a
// service manager does.
func (s *Stage) start(args ...string) (end func()) {
	s.T.Helper()
	return start(s.T, gobuild.Once(s.T, gobuild.Vedette), append(args, "--db", s.DB, "--kubeconfig", s.Plane.Kubeconfig())...)
}

// start starts a program. The returned function ends it, and checks how it ends.
func start(t *testing.T, path string, args ...string) (end func()) {
	t.Helper()
	log, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		_ = log.Close()
	})
	t.Cleanup(func() {
		end()
		if t.Failed() {
			said, _ := os.ReadFile(log.Name())
			t.Logf("the end of the output of %s:\n%s", args[0], said[max(0, len(said)-4000):])
		}
	})
	patience.Until(t, args[0]+" begins", func() string {
		said, err := os.ReadFile(log.Name())
		if err != nil || !strings.Contains(string(said), "Ctrl-C ends it") {
			return fmt.Sprintf("%v %s", err, said)
		}
		return ""
	})
	return end
}

// Portal starts the portal, and waits until it has read the history.
func (s *Stage) Portal() (end func()) {
	s.T.Helper()
	end = s.start("portal", "--listen", s.listen)
	client.Ready(s.T, s.Base)
	return end
}

// Tab opens a tab of a browser for the portal, as a person with its printed address does.
func (s *Stage) Tab(b *browser.Browser) *browser.Tab {
	s.T.Helper()
	token, err := localtoken.Read()
	if err != nil || token == "" {
		s.T.Fatalf("the portal has no local token: %v", err)
	}
	p := b.Tab(s.Base)
	p.Do(chromedp.Navigate(identity.LocalURL(s.Base, token)))
	return p
}

// Recorded waits until a number of jobs of the portal match a filter.
func (s *Stage) Recorded(filter string, want int) {
	s.T.Helper()
	patience.Until(s.T, fmt.Sprintf("%d jobs match %s", want, filter), func() string {
		list, err := client.Read[api.JobList](s.T, s.Base+"/api/v1/jobs?limit=1&"+filter)
		if err != nil || list.Matching.N != want {
			return fmt.Sprintf("%d match, %v", list.Matching.N, err)
		}
		return ""
	})
}
