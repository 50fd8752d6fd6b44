package reflector

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/wire"
)

// panicking is a script of which one method panics in its first call.
type panicking struct {
	script
	method string
}

func (p *panicking) fail(method string) {
	if method == p.method {
		p.method = ""
		panic("on purpose")
	}
}

func (p *panicking) Watch(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	p.fail("Watch")
	s, err := p.script.Watch(ctx, opts)
	s.Body = &panickingStream{s.Body, p}
	return s, err
}

func (p *panicking) Ordered(context.Context) (ordered, known bool) {
	p.fail("Ordered")
	return true, true
}

func (p *panicking) Recovered() <-chan struct{} {
	p.fail("Recovered")
	return nil
}

type panickingStream struct {
	io.ReadCloser
	p *panicking
}

func (b *panickingStream) Read(p []byte) (int, error) {
	b.p.fail("Read")
	return b.ReadCloser.Read(p)
}

func (b *panickingStream) Close() error {
	b.p.fail("Close")
	return b.ReadCloser.Close()
}

// TestPanickingSource: a panic of a source or a stream is a fault that is retried.
func TestPanickingSource(t *testing.T) {
	for _, method := range []string{"Watch", "Read", "Close", "Ordered", "Recovered"} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := &panicking{script{watches: []string{addX + done, addX + done, modX}}, method}
				out := &sink{}
				r, err := New(src, out, Config{})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
				defer cancel()
				if err := r.Run(ctx); err != nil {
					t.Error(err)
				}
				if src.method != "" || !strings.Contains(strings.Join(out.got, ", "), "End  7") {
					t.Errorf("got %q, want a complete list after the panic of %s", out.got, method)
				}
			})
		})
	}
}
