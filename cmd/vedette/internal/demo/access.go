package demo

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/cmd/vedette/internal/invocation"
	"github.com/vedette-io/vedette/platform/world/simulation"
)

// User is the user of other terminals, and Team is the only namespace in which that
// user may change something.
const (
	User = "fay"
	Team = "team-llm"
)

// kubeAccess gives other terminals access to the server of the demo.
type kubeAccess struct {
	own, user  string // tokens
	kubeconfig string // path; "" until open
}

func newKubeAccess() *kubeAccess { return &kubeAccess{own: rand.Text(), user: rand.Text()} }

// config returns the configuration of the server.
func (a *kubeAccess) config() apitest.Config {
	return apitest.Config{
		Tokens: map[string]string{a.own: "vedette-demo", a.user: User},
		Authorize: func(r apitest.Request) error {
			reads := slices.Contains([]apitest.Verb{apitest.VerbGet, apitest.VerbList, apitest.VerbWatch}, r.Verb)
			if r.User != User || reads || r.Namespace == Team {
				return nil
			}
			in := fmt.Sprintf("in the namespace %q", r.Namespace)
			if r.Namespace == "" {
				in = "at the cluster scope"
			}
			words := fmt.Sprintf("User %q cannot %s resource %q in API group %q %s", r.User, r.Verb, r.Resource.Resource, r.Resource.Group, in)
			return errors.New(words) // the text of a real server
		},
		Admit: simulation.Admit, CheckNamespaces: true,
	}
}

// rest returns the configuration of a client within this process.
func (a *kubeAccess) rest(server *apitest.Server) *rest.Config {
	rc := server.RESTConfig()
	rc.BearerToken = a.own
	return rc
}

// userREST returns the configuration of a client within this process that acts as the user of
// other terminals.
func (a *kubeAccess) userREST(server *apitest.Server) *rest.Config {
	rc := server.RESTConfig()
	rc.BearerToken = a.user
	return rc
}

// open serves HTTPS on the loopback interface, and writes a kubeconfig for it that only the
// user can read, next to the database of the URL.
func (a *kubeAccess) open(server *apitest.Server, db string) error {
	url, authority, err := server.ListenTLS("127.0.0.1:0")
	if err != nil {
		return err
	}
	text := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "demo",
"clusters": [{"name": "demo", "cluster": {"server": %q, "certificate-authority-data": %q}}],
"users": [{"name": %[3]q, "user": {"token": %[4]q}}],
"contexts": [{"name": "demo", "context": {"cluster": "demo", "user": %[3]q, "namespace": %[5]q}}]}
`, url, base64.StdEncoding.EncodeToString(authority), User, a.user, Team)
	path, err := kubeconfigPath(db)
	if err != nil {
		return err
	}
	// Other users may have access to an existing file, so open does not write to it.
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	a.kubeconfig = path
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// demoFile returns the path of the file of an SQLite database, "" for other databases.
func demoFile(db string) (string, error) {
	file, ok := strings.CutPrefix(db, "sqlite:")
	if !ok {
		return "", nil
	}
	file, _, _ = strings.Cut(file, "?")
	return filepath.Abs(file)
}

// kubeconfigPath returns a path next to the file of an SQLite database, or in a new
// temporary folder.
func kubeconfigPath(db string) (string, error) {
	file, err := demoFile(db)
	if err != nil || file != "" {
		return filepath.Join(filepath.Dir(file), "demo.kubeconfig"), err
	}
	dir, err := os.MkdirTemp("", "vedette-demo-")
	return filepath.Join(dir, "demo.kubeconfig"), err
}

// close removes the kubeconfig, which is useless without the server.
func (a *kubeAccess) close() {
	if a.kubeconfig != "" {
		_ = os.Remove(a.kubeconfig) // an error leaves a useless file
	}
}

// text explains how to use the demo from another terminal.
func (a *kubeAccess) text(db string) string {
	vedette := invocation.Command()
	if file, err := demoFile(db); err == nil && file != "" {
		db = "sqlite:" + file // other terminals have other working directories
	}
	return fmt.Sprintf(`You are %[1]s of %[2]s. In another terminal:
  export KUBECONFIG=%[3]s VEDETTE_DB=%[4]s
  %[5]s jobs -A
  %[5]s submit --image pytorch/pytorch --gpus 2 --queue gpu --name train-7 -- python train.py
  %[5]s logs job/train-7 -f
  %[5]s cancel job/train-7 --reason "wrong data"
  %[5]s retry job/train-7
A command with the word fail or oom fails, sleep 60 runs for a minute, and an image with the word missing is not found.`, User, Team, a.kubeconfig, db, vedette)
}
