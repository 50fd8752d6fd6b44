package contract_test

import (
	"testing"

	"go.uber.org/goleak"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"github.com/vedette-io/vedette/compat/clientgo"
	mirror "github.com/vedette-io/vedette/compat/clientgo/tools/cache"
	"github.com/vedette-io/vedette/compat/clientgo/util/workqueue"
	"github.com/vedette-io/vedette/conformance/suites/contract"
)

func TestMain(m *testing.M) {
	klog.LogToStderr(false)
	klog.SetLogger(klog.Logger{})
	utilruntime.ErrorHandlers = nil
	goleak.VerifyTestMain(m)
}

// TestClientGo: client-go satisfies the contract.
func TestClientGo(t *testing.T) { contract.Run(t, contract.ClientGo()) }

// TestOurs: our engine satisfies it, except for the differences.
func TestOurs(t *testing.T) {
	contract.Run(t, contract.Engine{
		Ours: true, Wrap: clientgo.Wrap, NewSharedIndexInformer: mirror.NewSharedIndexInformerWithOptions,
		NewQueue: workqueue.NewTypedRateLimitingQueue[string],
	})
}
