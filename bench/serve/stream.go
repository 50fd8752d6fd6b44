package serve

import (
	"context"
	"net/http"
	"time"

	"github.com/vedette-io/vedette/bench/workload"
)

// bufferSize is the size of a write if latency does not matter.
const bufferSize = 64 << 10

// writer buffers bytes, and sends them.
type writer struct {
	http.ResponseWriter
	control *http.ResponseController
	buf     []byte
}

func newWriter(w http.ResponseWriter, f framer, stream bool) *writer {
	w.Header().Set("Content-Type", f.contentType(stream))
	return &writer{ResponseWriter: w, control: http.NewResponseController(w), buf: make([]byte, 0, 2*bufferSize)}
}

// full sends the buffer if it is large.
func (w *writer) full() error {
	if len(w.buf) < bufferSize {
		return nil
	}
	_, err := w.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

// send sends the buffer at once.
func (w *writer) send() error {
	if len(w.buf) > 0 {
		if _, err := w.Write(w.buf); err != nil {
			return err
		}
		w.buf = w.buf[:0]
	}
	return w.control.Flush()
}

// trickle sends the buffer in single bytes.
func (w *writer) trickle() error {
	for i := range w.buf {
		if _, err := w.Write(w.buf[i : i+1]); err != nil {
			return err
		}
		if err := w.control.Flush(); err != nil {
			return err
		}
	}
	w.buf = w.buf[:0]
	return nil
}

// initial sends all objects as the beginning of a watch.
func (s *set) initial(w *writer, f framer) error {
	s.lists.Add(1)
	for i := range s.spec.N {
		w.buf = f.event(w.buf, "ADDED", s.sizeOf(f.form, i), func(dst []byte) []byte { return s.listed(dst, f.form, i) })
		if err := w.full(); err != nil {
			return err
		}
	}
	bookmark, err := f.endBookmark(s.kind, s.version())
	if err != nil {
		return err
	}
	w.buf = append(w.buf, bookmark...)
	return w.send()
}

// watch sends changes, from the end of the last watch, until ctx is done.
func (s *set) watch(ctx context.Context, w *writer, f framer) error {
	s.watches.Add(1)
	if err := w.send(); err != nil { // the headers
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case <-s.begun():
	}
	churn := s.spec.Churn
	switch {
	case churn.Sort == workload.Relist && int(s.relists.Load()) < churn.Events:
		return s.expire(w, f)
	case churn.Sort != workload.Relist:
		if err := s.churn(ctx, w, f); err != nil {
			return err
		}
	}
	if churn.Sort == workload.Relist || int(s.position.Load()) == churn.Events {
		s.position.Add(1)
		s.step(w, f, "ADDED", s.changed[f.form].len()-1, max(s.position.Load(), s.relists.Load()+1))
		if err := w.send(); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return nil
}

// expire ends the watch with 410.
func (s *set) expire(w *writer, f framer) error {
	frame, err := f.gone()
	if err != nil {
		return err
	}
	s.relists.Add(1)
	w.buf = append(w.buf, frame...)
	return w.send()
}

// churn sends all steps that have not been sent yet.
func (s *set) churn(ctx context.Context, w *writer, f framer) error {
	c := s.spec.Churn
	began, first := time.Now(), s.position.Load()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for k := s.position.Load(); k < int64(c.Events); k = s.position.Add(1) {
		if c.Rate > 0 {
			due := began.Add(time.Duration(k-first) * time.Second / time.Duration(c.Rate))
			if wait := time.Until(due); wait > 0 {
				timer.Reset(wait)
				select {
				case <-timer.C:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		step := c.At(s.seed, s.spec.N, int(k))
		s.step(w, f, step.Type, step.Index, k+1)
		send := w.full
		if c.Rate > 0 {
			send = w.send
		}
		if err := send(); err != nil {
			return err
		}
	}
	return w.send()
}

// step appends the frame of one event, stamped with the current time.
func (s *set) step(w *writer, f framer, event string, i int, number int64) {
	changed := s.changed[f.form]
	now := time.Now().UnixNano()
	w.buf = f.event(w.buf, event, len(changed.body(i)), func(dst []byte) []byte {
		return changed.appendBody(dst, i, workload.ChurnVersion+uint64(number), now)
	})
}
