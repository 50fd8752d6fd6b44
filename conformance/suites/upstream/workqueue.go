package upstream

// queueMirrors are the paths of our queues.
var queueMirrors = map[string]string{
	"k8s.io/client-go/util/workqueue": mirrors + "util/workqueue",
}

// WorkQueue are the tests of util/workqueue that are outside of the package.
var WorkQueue = Suite{
	Name: "workqueue", Module: "k8s.io/client-go", Package: "util/workqueue", Mirrors: queueMirrors,
	Files: []File{{
		Name: "queue_test.go",
		Run: []string{
			"TestBasic", "TestAddWhileProcessing", "TestLen", "TestReinsert", "TestCollapse", "TestCollapseWhileProcessing",
			"TestQueueDrainageUsingShutDownWithDrain", "TestNoQueueDrainageUsingShutDown", "TestForceQueueShutdownUsingShutDown",
			"TestQueueDrainageUsingShutDownWithDrainWithDirtyItem", "TestGarbageCollection",
		},
	}},
}

// WorkQueueInside are the tests of util/workqueue that are part of the package.
var WorkQueueInside = Suite{
	Name: "workqueueinside", Module: "k8s.io/client-go", Package: "util/workqueue", Inside: true, Mirrors: queueMirrors,
	// An item is already delayed when AddAfter returns.
	Instead: map[string]string{"waitForWaitingQueueToFill": "{ return nil }"},
	Files: []File{
		{
			Name: "default_rate_limiters_test.go",
			Run: []string{
				"TestItemExponentialFailureRateLimiter", "TestItemExponentialFailureRateLimiterOverFlow",
				"TestItemFastSlowRateLimiter", "TestMaxOfRateLimiter", "TestWithMaxWaitRateLimiter",
			},
		},
		{Name: "parallelizer_test.go", Run: []string{"TestParallelizeUntil"}},
		{
			Name:    "delaying_queue_test.go",
			Instead: []string{"TestSimpleQueue", "TestDeduping", "TestAddTwoFireEarly", "TestCopyShifting"},
		},
		{Name: "metrics_test.go", Internals: []string{"TestMetricShutdown", "TestMetrics"}},
		{Name: "rate_limiting_queue_test.go", Internals: []string{"TestRateLimitingQueue"}},
	},
}
