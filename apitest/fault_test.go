package apitest_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
)

var (
	watchingPods = apitest.Match{Verb: apitest.VerbWatch, Resource: "pods"}
	listingPods  = apitest.Match{Verb: apitest.VerbList, Resource: "pods"}
)

func inject(t *testing.T, srv *apitest.Server, f apitest.Fault) *apitest.Injection {
	t.Helper()
	injection, err := srv.Inject(f)
	if err != nil {
		t.Fatal(err)
	}
	return injection
}

// readAll returns what a stream carries until it ends, and how it ends.
func (r raw) readAll(t *testing.T, path, accept string) (string, error) {
	t.Helper()
	body, err := io.ReadAll(r.open(t, http.MethodGet, path, accept, nil).Body)
	return string(body), err
}

func TestFault_CutsOfAWatch(t *testing.T) {
	for name, c := range map[string]struct {
		kind apitest.CutKind
		err  error
		rest string
	}{
		"clean": {apitest.CutClean, nil, ""},
		"reset": {apitest.CutReset, syscall.ECONNRESET, ""},
		"mid":   {apitest.CutMidFrame, io.ErrUnexpectedEOF, `{"type":"MODIFIED","object":{"kind":"Pod"`},
	} {
		for _, network := range []string{"pipe", "tcp"} {
			t.Run(name+"/"+network, func(t *testing.T) {
				srv := start(t, apitest.Config{})
				create(t, srv, pod("a"), pod("b"), pod("c"))
				client := rawClient(t, srv)
				if network == "tcp" {
					client.dialTCP(t, srv)
				}
				cut := inject(t, srv, apitest.Fault{Match: watchingPods, After: 2, Action: apitest.Cut(c.kind)})
				body, err := client.readAll(t, "/api/v1/pods?watch=true", acceptJSON)
				lines := strings.SplitAfter(body, "\n")
				if mayLose := network == "tcp" && c.kind == apitest.CutReset; mayLose {
					lines = append(lines, "", "", "")[:3]
				}
				if len(lines) != 3 || !strings.HasPrefix(lines[2], c.rest) || c.rest == "" && lines[2] != "" {
					t.Errorf("got lines %q, want two whole ones and %q", lines, c.rest)
				}
				if !errors.Is(err, c.err) || cut.Hits() != 1 {
					t.Errorf("ended with %v after %d hits", err, cut.Hits())
				}
			})
		}
	}
}

// dialTCP lets the client come over a listener instead of a pipe.
func (r raw) dialTCP(t *testing.T, srv *apitest.Server) {
	t.Helper()
	url, err := srv.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var dialer net.Dialer
	r.http.Transport.(*http.Transport).DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, "tcp", strings.TrimPrefix(url, "http://"))
	}
}

func TestFault_StrikesARunningWatch(t *testing.T) {
	eachEncoding(t, func(t *testing.T, with func(*rest.Config) *rest.Config) {
		synctest.Test(t, func(t *testing.T) {
			srv := start(t, apitest.Config{})
			stream := watchPods(t, with(srv.RESTConfig()), metav1.ListOptions{ResourceVersion: "1"})
			create(t, srv, pod("a"))
			expect(t, stream, "ADDED a 2")
			backwards := inject(t, srv, apitest.Fault{Match: watchingPods, Action: apitest.Backwards(0)})
			<-backwards.Struck()
			expect(t, stream, "MODIFIED a 1")
			inject(t, srv, apitest.Fault{Match: watchingPods, After: 1, Action: apitest.InStreamError(apitest.Failure(500, 0))})
			create(t, srv, pod("b"), pod("c"))
			expect(t, stream, "ADDED b 3", "ERROR 500 InternalError", "end")
			again := watchPods(t, with(srv.RESTConfig()), metav1.ListOptions{ResourceVersion: "3"})
			expect(t, again, "ADDED c 4")
		})
	})
}

func TestFault_Garbage(t *testing.T) {
	eachEncoding(t, func(t *testing.T, with func(*rest.Config) *rest.Config) {
		for kind, want := range map[apitest.GarbageKind][]string{
			apitest.GarbageObject:    {"ADDED a 2", "ERROR 500 InternalError", "end"}, // the error is client-go's
			apitest.GarbageOtherKind: {"ADDED a 2", "MODIFIED garbage 2", "ADDED b 3"},
			apitest.GarbageEventType: {"ADDED a 2", "ERROR 500 InternalError", "end"},
			apitest.GarbageFraming:   {"ADDED a 2", "end"},
		} {
			synctest.Test(t, func(t *testing.T) {
				srv := start(t, apitest.Config{})
				stream := watchPods(t, with(srv.RESTConfig()), metav1.ListOptions{ResourceVersion: "1"})
				synctest.Wait()
				inject(t, srv, apitest.Fault{Match: watchingPods, After: 1, Action: apitest.Garbage(kind)})
				create(t, srv, pod("a"))
				synctest.Wait()
				create(t, srv, pod("b"))
				var got []string
				for range want {
					event, open := <-stream.ResultChan()
					got = append(got, describe(event, open))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("garbage %d (-want +got):\n%s", kind, diff)
				}
			})
		}
	})
}

// TestFault_OnAWatchThatSentNothing: faults that need an object use an empty one before the first event.
func TestFault_OnAWatchThatSentNothing(t *testing.T) {
	eachEncoding(t, func(t *testing.T, with func(*rest.Config) *rest.Config) {
		for action, want := range map[apitest.Action]string{
			apitest.Backwards(3):                      "MODIFIED specimen 7",
			apitest.Backwards(30):                     "MODIFIED specimen 1",
			apitest.Garbage(apitest.GarbageOtherKind): "MODIFIED garbage 10",
			apitest.Cut(apitest.CutMidFrame):          "end",
			apitest.Cut(apitest.CutClean):             "end",
		} {
			srv := start(t, apitest.Config{Version: 10}) // a new server, because an earlier watch would take the fault
			inject(t, srv, apitest.Fault{Match: watchingPods, Action: action})
			expect(t, watchPods(t, with(srv.RESTConfig()), metav1.ListOptions{}), want)
		}
	})
}

func TestFault_StallAndDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := start(t, apitest.Config{})
		stream := watchPods(t, srv.RESTConfig(), metav1.ListOptions{ResourceVersion: "1", AllowWatchBookmarks: true})
		synctest.Wait()
		stall := inject(t, srv, apitest.Fault{Match: watchingPods, Action: apitest.Stall()})
		<-stall.Struck()
		create(t, srv, pod("a"))
		<-time.After(10 * time.Minute) // no bookmarks either
		expectNothing(t, stream)
		stall.Release()
		expect(t, stream, "ADDED a 2")
		inject(t, srv, apitest.Fault{Match: watchingPods, Action: apitest.Delay(5 * time.Second)})
		synctest.Wait()
		begun := time.Now()
		create(t, srv, pod("b"))
		for describe(<-stream.ResultChan(), true) != "ADDED b 3" {
			continue // a bookmark that was due during the stall
		}
		if passed := time.Since(begun); passed != 5*time.Second {
			t.Errorf("delayed by %s, want 5 s", passed)
		}
		stall = inject(t, srv, apitest.Fault{Match: watchingPods, Times: apitest.Always, Action: apitest.Stall()})
		<-stall.Struck()
	}) // ends although the watch stalls: Close does not wait for Release
}

func TestFault_NoEndBookmark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := start(t, apitest.Config{BookmarkInterval: -1})
		create(t, srv, pod("a"))
		inject(t, srv, apitest.Fault{Match: watchingPods, Action: apitest.NoEndBookmark()})
		stream := watchPods(t, srv.RESTConfig(), streaming(""))
		expect(t, stream, "ADDED a 2")
		<-time.After(time.Minute)
		expectNothing(t, stream)
		create(t, srv, pod("b"))
		expect(t, stream, "ADDED b 3")
		expect(t, watchPods(t, srv.RESTConfig(), streaming("")), "ADDED a 2", "ADDED b 3", "BOOKMARKtrue 3")
	})
}

func TestFault_OfAList(t *testing.T) {
	srv := start(t, apitest.Config{})
	create(t, srv, pod("a"), pod("b"), pod("c"))
	client := rawClient(t, srv)
	const path = "/api/v1/pods"
	for _, accept := range []string{acceptJSON, acceptProtobuf} {
		whole, err := client.readAll(t, path, accept)
		if err != nil {
			t.Fatal(err)
		}
		for kind, want := range map[apitest.CutKind]error{
			apitest.CutClean: nil, apitest.CutReset: syscall.ECONNRESET, apitest.CutMidFrame: io.ErrUnexpectedEOF,
		} {
			inject(t, srv, apitest.Fault{Match: listingPods, After: 2, Action: apitest.Cut(kind)})
			body, err := client.readAll(t, path, accept)
			if !errors.Is(err, want) || !strings.HasPrefix(whole, body) || len(body) < len(whole)/2 || len(body) == len(whole) {
				t.Errorf("%s cut %d: %v, %d of %d bytes", accept, kind, err, len(body), len(whole))
			}
		}
	}
	stall := inject(t, srv, apitest.Fault{Match: listingPods, After: 1, Action: apitest.Stall()})
	done := make(chan string)
	go func() {
		body, _ := client.readAll(t, path, acceptJSON)
		done <- body
	}()
	<-stall.Struck()
	stall.Release()
	if body := <-done; !strings.HasSuffix(body, "]}\n") {
		t.Errorf("after the stall: %s", body)
	}
	inject(t, srv, apitest.Fault{Match: listingPods, Action: apitest.Backwards(2)})
	pods := clientset(t, srv.RESTConfig()).CoreV1().Pods("")
	if list, err := pods.List(t.Context(), metav1.ListOptions{}); err != nil || list.ResourceVersion != "2" {
		t.Errorf("list: got version %s and error %v, want 2", list.ResourceVersion, err)
	}
	inject(t, srv, apitest.Fault{Match: listingPods, Action: apitest.Garbage(apitest.GarbageOtherKind)})
	want := `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"4"},"items":[]}`
	if body, err := client.readAll(t, path, acceptJSON); err != nil || strings.TrimSpace(body) != want {
		t.Errorf("a list of another kind: %s, %v", body, err)
	}
	for _, kind := range []apitest.GarbageKind{apitest.GarbageObject, apitest.GarbageFraming} {
		for _, cfg := range []*rest.Config{srv.RESTConfig(), protobuf(srv.RESTConfig())} {
			inject(t, srv, apitest.Fault{Match: listingPods, After: 1, Action: apitest.Garbage(kind)})
			if list, err := clientset(t, cfg).CoreV1().Pods("").List(t.Context(), metav1.ListOptions{}); err == nil {
				t.Errorf("garbage %d read as %v", kind, list)
			}
		}
	}
}

func TestFault_Responses(t *testing.T) {
	srv := start(t, apitest.Config{})
	create(t, srv, pod("a"))
	// In the request context no retries of the client hide the answer.
	pods := clientset(t, srv.RESTConfig()).CoreV1().RESTClient()
	get := func(path string) error {
		path, query, _ := strings.Cut(path, "?")
		request := pods.Get().AbsPath(path).MaxRetries(0)
		if query != "" {
			request = request.Param("watch", "true")
		}
		return request.Do(t.Context()).Error()
	}
	for code, is := range map[int]func(error) bool{
		401: apierrors.IsUnauthorized, 403: apierrors.IsForbidden, 404: apierrors.IsNotFound, 410: apierrors.IsResourceExpired,
		429: apierrors.IsTooManyRequests, 500: apierrors.IsInternalError, 503: apierrors.IsServiceUnavailable,
	} {
		for _, path := range []string{"/api/v1/pods", "/api/v1/pods?watch=true", "/api/v1/namespaces/default/pods/a"} {
			fault := apitest.Fault{Match: apitest.Match{Resource: "pods"}, After: 1, Action: apitest.Respond(apitest.Failure(code, 3*time.Second))}
			injection := inject(t, srv, fault)
			if !strings.Contains(path, "watch") {
				if err := get(path); err != nil || injection.Hits() != 0 {
					t.Errorf("code %d: the retry came too early: %v", code, err)
				}
			} else if err := get("/api/v1/pods"); err != nil {
				t.Error(err)
			}
			err := get(path)
			seconds, wait := apierrors.SuggestsClientDelay(err)
			if !is(err) || code == 429 && (!wait || seconds != 3) {
				t.Errorf("%s: got %v, want the injected error, with its delay", path, err)
			}
		}
	}
}

func TestFault_WriteIsDoneButItsAnswerLost(t *testing.T) {
	srv := start(t, apitest.Config{})
	inject(t, srv, apitest.Fault{Match: apitest.Match{Verb: apitest.VerbCreate}, Action: apitest.Cut(apitest.CutReset)})
	pods := clientset(t, srv.RESTConfig()).CoreV1().Pods("default")
	if _, err := pods.Create(t.Context(), pod("a"), metav1.CreateOptions{}); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %v, want a connection reset", err)
	}
	if _, err := srv.Get(pod("a")); err != nil {
		t.Errorf("the Pod was not created: %v", err)
	}
}

func TestFault_HangMatchesOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := start(t, apitest.Config{})
		create(t, srv, pod("a"))
		where := func(r apitest.Request) bool { return r.Streaming() }
		hang := inject(t, srv, apitest.Fault{Match: apitest.Match{Where: where}, Action: apitest.Hang()})
		pods := clientset(t, srv.RESTConfig()).CoreV1().Pods("")
		if _, err := pods.List(t.Context(), metav1.ListOptions{}); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := pods.Watch(ctx, streaming("")); !errors.Is(err, context.DeadlineExceeded) || hang.Hits() != 1 {
			t.Errorf("%v after %d hits", err, hang.Hits())
		}
	})
}

func TestInject_RefusesNonsense(t *testing.T) {
	srv := start(t, apitest.Config{})
	for _, fault := range []apitest.Fault{
		{},
		{Action: apitest.Stall(), After: -1},
		{Action: apitest.Stall(), Times: -2},
	} {
		if _, err := srv.Inject(fault); !errors.Is(err, apitest.ErrFault) {
			t.Errorf("fault %+v: got %v, want ErrFault", fault, err)
		}
	}
}
