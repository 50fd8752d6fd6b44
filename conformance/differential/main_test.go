package differential_test

import (
	"testing"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// TestMain keeps client-go from logging each injected fault. One of its error handlers also waits for a
// millisecond since the last error of the process, by the clock: in fake time, which begins in the
// year 2000, that is a wait of decades.
func TestMain(m *testing.M) {
	runtime.ErrorHandlers = nil
	klog.SetLogger(klog.Logger{})
	goleak.VerifyTestMain(m)
}
