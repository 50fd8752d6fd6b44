package kubelet

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// Fault is a fault of requests for logs. The zero values of Namespace, Pod and Container
// match everything.
type Fault struct {
	Namespace, Pod, Container string
	// Times is the number of requests with the fault; 0 means 1, and a negative number
	// all.
	Times int
	// Status, if not 0, is the status code of the answer, and Message its text.
	Status  int
	Message string
	// CutAfter, if not 0, is the number of lines after which the connection is cut.
	CutAfter int
	// Slow is the delay of each line.
	Slow time.Duration
}

func (f *Fault) matches(r Request) bool {
	return f.Times != 0 && (f.Namespace == "" || f.Namespace == r.Namespace) &&
		(f.Pod == "" || f.Pod == r.Pod) && (f.Container == "" || f.Container == r.Container)
}

// faultyWriter delays an answer, and cuts it.
type faultyWriter struct {
	http.ResponseWriter
	fault Fault
	done  <-chan struct{} // closed when client or server have closed the connection
	lines int
	over  bool // the connection was cut
}

// Write implements io.Writer. It closes the connection at the point of the fault.
func (w *faultyWriter) Write(text []byte) (int, error) {
	for i, b := range text {
		if b != '\n' {
			continue
		}
		w.lines++
		if w.fault.Slow > 0 {
			w.wait()
		}
		if w.fault.CutAfter > 0 && w.lines >= w.fault.CutAfter {
			return w.cut(text[:i+1])
		}
	}
	return w.ResponseWriter.Write(text)
}

// cut sends the rest, and closes the connection in the middle of the answer.
func (w *faultyWriter) cut(rest []byte) (int, error) {
	control := http.NewResponseController(w.ResponseWriter)
	_, err := w.ResponseWriter.Write(rest)
	if err := errors.Join(err, control.Flush()); err != nil {
		return 0, err
	}
	w.over = true
	conn, _, err := control.Hijack()
	if err != nil {
		return 0, err
	}
	return 0, errors.Join(io.ErrClosedPipe, conn.Close())
}

// FlushError sends the written data. A cut connection no longer has buffers.
func (w *faultyWriter) FlushError() error {
	if w.over {
		return io.ErrClosedPipe
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

func (w *faultyWriter) wait() {
	timer := time.NewTimer(w.fault.Slow)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.done:
	}
}

// Unwrap lets http.ResponseController find the methods of the answer.
func (w *faultyWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
