package workqueue_test

import (
	"context"
	"fmt"
	"log"

	"github.com/vedette-io/vedette/workqueue"
)

// Items are keys, for consumers that need only the latest state. Changes of an object whose
// key waits are folded, and the worker reads the current state. The queue never has more
// items than there are objects.
func ExampleQueue_keys() {
	ctx := context.Background()
	latest := map[string]string{}
	q := workqueue.New(workqueue.Config[string]{})
	for _, change := range [][2]string{{"a", "Pending"}, {"b", "Pending"}, {"a", "Running"}, {"a", "Succeeded"}} {
		latest[change[0]] = change[1]
		if err := q.Add(ctx, change[0]); err != nil {
			log.Fatal(err)
		}
	}
	for q.Len() > 0 {
		w, err := q.Get(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(w.Item, latest[w.Item])
		if err := q.Done(w.Item); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// a Succeeded
	// b Pending
}

// Items are revisions, for consumers that handle every state. No changes are folded. Serial
// keeps the revisions of an object in order, also when one fails and is retried. Limit
// makes producers wait when the workers do not keep up.
func ExampleQueue_revisions() {
	type revision struct {
		Key, State string
		Version    int
	}
	ctx := context.Background()
	q := workqueue.New(workqueue.Config[revision]{
		Serial:  func(r revision) string { return r.Key },
		Limit:   1000,
		Limiter: workqueue.Exponential{},
	})
	for i, r := range []revision{{"a", "Pending", 1}, {"b", "Pending", 2}, {"a", "Running", 3}, {"a", "Succeeded", 4}} {
		if err := q.Add(ctx, r); err != nil {
			log.Fatal(i, err)
		}
	}
	for range 5 {
		w, err := q.Get(ctx)
		if err != nil {
			log.Fatal(err)
		}
		if w.Item.Version == 1 && w.Retries == 0 {
			fmt.Println(w.Item.Key, w.Item.State, "failed")
			if _, err := q.Retry(ctx, w.Item); err != nil {
				log.Fatal(err)
			}
		} else {
			fmt.Println(w.Item.Key, w.Item.State)
		}
		if err := q.Done(w.Item); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// a Pending failed
	// b Pending
	// a Pending
	// a Running
	// a Succeeded
}
