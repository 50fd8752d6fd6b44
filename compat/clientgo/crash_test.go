package clientgo_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo"
)

// crashVariable makes TestCrash the program that crashes.
const crashVariable = "VEDETTE_TEST_CRASH"

// TestCrash: a panic of a handler ends the program, as with client-go.
func TestCrash(t *testing.T) {
	if os.Getenv(crashVariable) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestCrash$")
		cmd.Env = append(os.Environ(), crashVariable+"=1")
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "panic: of the handler") {
			t.Errorf("the program ended with %v:\n%s", err, out)
		}
		return
	}
	w := newWorld(t)
	w.create("a/one")
	inf := w.pods(clientgo.Options{})
	_, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { panic("of the handler") }})
	if err != nil {
		t.Fatal(err)
	}
	run(t, inf)
	<-t.Context().Done()
}
