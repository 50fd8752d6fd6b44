package apitest

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// AwaitTimeout is how long Await and AwaitDeleted wait.
const AwaitTimeout = 30 * time.Second

// Await waits until the object with the type, namespace and name of obj satisfies a condition, and returns it. It calls
// holds at once and after each change of the type, and not in between. holds returns "" if the condition is satisfied,
// and otherwise the missing part. An object that does not exist does not satisfy any condition. After AwaitTimeout the
// test ends with the last result of holds.
func Await[T Object](t TestingT, s *Server, obj T, holds func(T) string) T {
	t.Helper()
	var found T
	s.await(t, obj, func() (string, error) {
		present, err := s.Get(obj)
		if apierrors.IsNotFound(err) {
			return "it does not exist", nil
		}
		if err != nil {
			return "", err
		}
		found = present.(T) //nolint:forcetypeassert // Get returns the Go type of obj
		return holds(found), nil
	})
	return found
}

// AwaitDeleted waits until the object with the type, namespace and name of obj does not exist. After AwaitTimeout the
// test ends.
func AwaitDeleted(t TestingT, s *Server, obj Object) {
	t.Helper()
	s.await(t, obj, func() (string, error) {
		switch _, err := s.Get(obj); {
		case apierrors.IsNotFound(err):
			return "", nil
		case err != nil:
			return "", err
		}
		return "it still exists", nil
	})
}

// await calls missing at once and after each change of an object's type, until it returns "".
func (s *Server) await(t TestingT, obj Object, missing func() (string, error)) {
	t.Helper()
	table, err := s.tableOf(obj)
	if err != nil {
		t.Fatalf("wait for %s/%s: %v", obj.GetNamespace(), obj.GetName(), err)
	}
	timeout := time.NewTimer(AwaitTimeout)
	defer timeout.Stop()
	for {
		s.mu.Lock()
		wake := table.wake // taken first, so that no change is missed
		s.mu.Unlock()
		what, err := missing()
		if err != nil {
			t.Fatalf("wait for %s %s/%s: %v", table.res.Kind, obj.GetNamespace(), obj.GetName(), err)
		}
		if what == "" {
			return
		}
		select {
		case <-wake:
		case <-timeout.C:
			t.Fatalf("%s %s/%s: not within %v: %s", table.res.Kind, obj.GetNamespace(), obj.GetName(), AwaitTimeout, what)
		}
	}
}
