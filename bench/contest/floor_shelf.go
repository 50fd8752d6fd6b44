package contest

import (
	"bytes"
	"context"
	"sync"

	"github.com/vedette-io/vedette/bench/workload"
)

// floorShelf is no store: it shows what the others cannot go below. It copies each body into
// memory that it has, behind a lock, and knows nothing of its contents.
type floorShelf struct {
	pods [][]byte // encoded as on the wire, prepared in advance
	keys []string

	mu     sync.RWMutex
	bodies map[string][]byte
	size   int64
}

func newFloorShelf(k workload.Kind, n int) (Shelf, error) {
	s := &floorShelf{bodies: make(map[string][]byte, n)}
	for i := range n {
		obj := k.New(0, i)
		body, err := workload.Form{Encoding: workload.Protobuf}.Body(k, obj)
		if err != nil {
			return nil, err
		}
		s.pods, s.keys = append(s.pods, body), append(s.keys, obj.GetNamespace()+"/"+obj.GetName())
	}
	return s, nil
}

// Fill implements Shelf.
func (s *floorShelf) Fill(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, body := range s.pods {
		s.bodies[s.keys[i]] = bytes.Clone(body)
		s.size += int64(len(body))
	}
	return nil
}

// Put implements Shelf.
func (s *floorShelf) Put(_ context.Context, i int, _ uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	copy(s.bodies[s.keys[i]], s.pods[i])
	return nil
}

// List implements Shelf.
func (s *floorShelf) List() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n := 0
	for _, body := range s.bodies {
		if len(body) > 0 {
			n++
		}
	}
	return n
}

// Own implements Shelf.
func (s *floorShelf) Own() int64 { return s.size }
