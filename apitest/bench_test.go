package apitest_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
)

// filled returns a server with a number of pods.
func filled(b *testing.B, pods int) *apitest.Server {
	b.Helper()
	srv, err := apitest.New(apitest.Config{Window: 10_000})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(srv.Close)
	for i := range pods {
		if _, err := srv.Create(pod(strconv.Itoa(i))); err != nil {
			b.Fatal(err)
		}
	}
	return srv
}

func BenchmarkServer_List(b *testing.B) {
	for _, accept := range []string{acceptJSON, acceptProtobuf} {
		b.Run(fmt.Sprintf("objects=50k/accept=%s", accept[len("application/"):]), func(b *testing.B) {
			srv := filled(b, 50_000)
			transport := &http.Transport{DialContext: srv.Dial}
			defer transport.CloseIdleConnections()
			b.ReportAllocs()
			for b.Loop() {
				request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://apitest/api/v1/pods", http.NoBody)
				if err != nil {
					b.Fatal(err)
				}
				request.Header.Set("Accept", accept)
				response, err := transport.RoundTrip(request)
				if err != nil {
					b.Fatal(err)
				}
				n, err := io.Copy(io.Discard, response.Body)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(n)
				_ = response.Body.Close()
			}
		})
	}
}

// BenchmarkServer_Fanout writes while watches send. A watch that falls behind the window is not opened again.
func BenchmarkServer_Fanout(b *testing.B) {
	for _, watches := range []int{1, 500} {
		b.Run(fmt.Sprintf("watches=%d", watches), func(b *testing.B) {
			srv := filled(b, 1)
			transport := &http.Transport{DialContext: srv.Dial}
			defer transport.CloseIdleConnections()
			var readers sync.WaitGroup
			for range watches {
				readers.Go(func() {
					response, err := transport.RoundTrip(watchRequest(b))
					if err != nil {
						b.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, response.Body)
					_ = response.Body.Close()
				})
			}
			b.ReportAllocs()
			for b.Loop() {
				_, err := apitest.Modify(srv, pod("0"), func(p *corev1.Pod) { p.Status.Message = p.ResourceVersion })
				if err != nil {
					b.Fatal(err)
				}
			}
			srv.Close()
			readers.Wait()
		})
	}
}

func watchRequest(b *testing.B) *http.Request {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://apitest/api/v1/pods?watch=true&resourceVersion=2", http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Accept", acceptProtobuf)
	return request
}
