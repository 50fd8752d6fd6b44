package workqueue_test

import (
	"fmt"

	"github.com/vedette-io/vedette/compat/clientgo/util/workqueue"
)

// A rate-limited queue, as with client-go.
func ExampleNewTypedRateLimitingQueue() {
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	queue.Add("ml/train")
	queue.Add("ml/train") // folded
	key, _ := queue.Get()
	fmt.Println(key, queue.Len())
	queue.Forget(key)
	queue.Done(key)
	queue.ShutDown()
	// Output: ml/train 0
}
