package crash_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/internal/testinput"
)

// variable makes TestCrash the program that crashes.
const variable = "VEDETTE_TEST_CRASH"

// TestCrash: a panic of a handler ends the program, as with client-go.
func TestCrash(t *testing.T) {
	if os.Getenv(variable) != "" {
		crash(t)
		return
	}
	testinput.Uncached(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCrash$")
	cmd.Env = append(os.Environ(), variable+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "panic: of the handler") {
		t.Errorf("the program ended with %v:\n%s", err, out)
	}
}

// crash runs an informer whose handler panics.
func crash(t *testing.T) {
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := srv.Create(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "one"}}); err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(clientgo.Wrap(srv.RESTConfig()))
	if err != nil {
		t.Fatal(err)
	}
	inf := clientgo.Adopt(coreinformers.NewPodInformer(client, "", 0, cache.Indexers{}), clientgo.Options{})
	if _, err := inf.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { panic("of the handler") }}); err != nil {
		t.Fatal(err)
	}
	inf.RunWithContext(t.Context())
}
