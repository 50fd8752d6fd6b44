package stage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vedette-io/vedette/job"
)

// sight is one revision of one object.
type sight struct {
	uid     string
	version int64
	gone    bool
	state   job.State
	raw     string
}

func (s sight) String() string {
	return fmt.Sprintf("%s at %d: %s %s", s.uid, s.version, s.state, s.raw)
}

// witness records every revision of a type in etcd. It watches etcd itself, which runs
// while API servers and databases are killed, from the first revision on, so it misses
// nothing.
type witness struct {
	mu   sync.Mutex
	seen []sight
	now  map[string]sight // by the key in etcd
	last int64
}

// watchEtcd starts a witness of the objects with a prefix, such as /registry/pods/. It
// ends with ctx; work is done after it has ended.
func watchEtcd(ctx context.Context, t *testing.T, work *sync.WaitGroup, etcd, prefix string) *witness {
	t.Helper()
	w := &witness{now: map[string]sight{}}
	end := []byte(prefix)
	end[len(end)-1]++
	question, err := json.Marshal(map[string]any{"create_request": map[string]any{"key": []byte(prefix), "range_end": end, "start_revision": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, etcd+"/v3/watch", bytes.NewReader(question))
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	work.Go(func() {
		defer resp.Body.Close()
		if err := w.follow(json.NewDecoder(resp.Body)); ctx.Err() == nil {
			t.Errorf("the witness of %s ended: %v", prefix, err)
		}
	})
	return w
}

// event is an etcd event of one key.
type event struct {
	Type string `json:"type"`
	Kv   struct {
		Key     []byte `json:"key"`
		Value   []byte `json:"value"`
		Version string `json:"mod_revision"`
	} `json:"kv"`
}

func (w *witness) follow(stream *json.Decoder) error {
	for {
		var answer struct {
			Result struct {
				Canceled bool    `json:"canceled"`
				Reason   string  `json:"cancel_reason"`
				Events   []event `json:"events"`
			} `json:"result"`
		}
		if err := stream.Decode(&answer); err != nil {
			return err
		}
		if answer.Result.Canceled {
			return errors.New(answer.Result.Reason)
		}
		for i := range answer.Result.Events {
			if err := w.note(&answer.Result.Events[i]); err != nil {
				return err
			}
		}
	}
}

func (w *witness) note(ev *event) error {
	version, err := strconv.ParseInt(ev.Kv.Version, 10, 64)
	if err != nil {
		return err
	}
	key := string(ev.Kv.Key)
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.now[key]
	if ev.Type == "DELETE" {
		s.gone, s.state = true, job.Deleted
		delete(w.now, key)
	} else {
		fields, err := decode(ev.Kv.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		status := job.ReadStatus(fields)
		s = sight{uid: string((&unstructured.Unstructured{Object: fields}).GetUID()), state: status.State, raw: status.Raw}
		w.now[key] = s
	}
	s.version = version
	w.seen, w.last = append(w.seen, s), version
	return nil
}

// decode reads an object as stored in etcd.
func decode(value []byte) (map[string]any, error) {
	raw, binary := bytes.CutPrefix(value, []byte("k8s\x00"))
	if !binary {
		fields := map[string]any{}
		return fields, json.Unmarshal(value, &fields)
	}
	var envelope runtime.Unknown
	if err := envelope.Unmarshal(raw); err != nil {
		return nil, err
	}
	var object interface{ Unmarshal([]byte) error }
	switch envelope.Kind {
	case "Pod":
		object = &corev1.Pod{}
	case "Job":
		object = &batchv1.Job{}
	case "ConfigMap":
		object = &corev1.ConfigMap{}
	default:
		return nil, fmt.Errorf("the witness cannot decode a %s in etcd", envelope.Kind)
	}
	if err := object.Unmarshal(envelope.Raw); err != nil {
		return nil, err
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err == nil {
		fields["apiVersion"], fields["kind"] = envelope.APIVersion, envelope.Kind
	}
	return fields, err
}

// all returns the revisions so far, ordered by version.
func (w *witness) all() []sight {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen[:len(w.seen):len(w.seen)]
}
