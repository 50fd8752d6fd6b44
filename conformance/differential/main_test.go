package differential_test

import (
	"testing"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// TestMain keeps client-go from logging each injected fault. One of its error handlers also waits
// until a millisecond has passed since the last error of the process. Fake time begins in the year
// 2000, so this wait would take decades.
func TestMain(m *testing.M) {
	runtime.ErrorHandlers = nil
	klog.SetLogger(klog.Logger{})
	goleak.VerifyTestMain(m)
}
