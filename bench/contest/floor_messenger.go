package contest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
)

// senders is the number of concurrent requests of a floorMessenger.
const senders = 8

// floorMessenger is the floor of messengers: it reads the watch as bytes, and posts the UID
// and the version in each frame. It has no cache, does not compare states, signs nothing and
// keeps nothing.
type floorMessenger struct {
	client        *http.Client
	url, receiver string
	following     chan struct{}
	frames        chan []byte
}

func newFloorMessenger(_ context.Context, _ *Task, srv *apitest.Server, receiver string) (run, ready func(context.Context) error, err error) {
	cfg := srv.RESTConfig()
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, nil, err
	}
	m := &floorMessenger{client: client, url: cfg.Host + "/api/v1/pods?watch=true", receiver: receiver, following: make(chan struct{}), frames: make(chan []byte, 1000)}
	ready = func(ctx context.Context) error { return wait(ctx, "the watch", m.following) }
	return m.run, ready, nil
}

func (m *floorMessenger) run(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, m.url, nil)
	if err != nil {
		return err
	}
	answer, err := m.client.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var work sync.WaitGroup
	defer work.Wait()
	defer close(m.frames)
	for range senders {
		work.Go(m.send)
	}
	close(m.following)
	body := bufio.NewReaderSize(answer.Body, 64<<10)
	for {
		frame, err := readLine(body, nil)
		if err != nil {
			return endOf(ctx, err)
		}
		m.frames <- frame
	}
}

// send posts the changes in frames. It skips the pods that exist at the beginning.
func (m *floorMessenger) send() {
	post := http.Client{Transport: &http.Transport{}}
	defer post.CloseIdleConnections()
	for frame := range m.frames {
		if !bytes.HasPrefix(frame, []byte(`{"type":"MODIFIED"`)) {
			continue
		}
		uid := textAfter(frame, `"uid":"`)
		text := fmt.Appendf(nil, `{"id":"bench/%s/%s/x","data":{"job":{"uid":%q}}}`, uid, textAfter(frame, `"resourceVersion":"`), uid)
		if resp, err := post.Post(m.receiver, "application/json", bytes.NewReader(text)); err == nil {
			_ = resp.Body.Close()
		}
	}
}

// textAfter returns the text of a JSON string that begins after a mark and has no escapes.
func textAfter(frame []byte, mark string) []byte {
	_, rest, _ := bytes.Cut(frame, []byte(mark))
	text, _, _ := bytes.Cut(rest, []byte(`"`))
	return text
}
