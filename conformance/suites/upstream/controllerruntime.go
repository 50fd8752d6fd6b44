package upstream

const controllerRuntime = "sigs.k8s.io/controller-runtime"

// caches are the constructors of controller-runtime that the copies replace.
var caches = []Swap{
	{Path: controllerRuntime + "/pkg/cache", Package: "ctrlcache", Names: []string{"New"}},
	{Path: controllerRuntime + "/pkg/manager", Package: "ctrlmanager", Names: []string{"New"}},
	{Path: controllerRuntime + "/pkg/controller", Package: "ctrlcontroller", Names: []string{"New"}},
}

// CtrlCache are the tests of controller-runtime's cache.
var CtrlCache = Suite{
	Name: "ctrlcache", Module: controllerRuntime, Package: "pkg/cache", Specs: true, Swapped: caches,
	Skipped: map[string]string{
		"(Multi-Namespace )?Informer Cache Cache test using UnsafeDisableDeepCopy with GetOptions should be able to change object": "a packed cache has no object to return, so a call with UnsafeDisableDeepCopy gets a copy",
	},
	Shaky: map[string]string{
		".* Cache test as an Informer with (structured|unstructured|metadata-only) objects should allow (for get informer|getting an informer by group/version/kind) to be cancelled": "it expects an error from a call that starts an informer and finds it not synced; on a busy machine the informer is already synced",
	},
	Files: []File{
		{Name: "cache_suite_test.go", Run: []string{"TestSource"}},
		{Name: "cache_test.go", Run: []string{"TestReaderWaitsForCacheSync", "TestIndexFieldDoesNotBlock"}},
	},
}

// CtrlSource are the tests of controller-runtime's sources of events.
var CtrlSource = Suite{
	Name: "ctrlsource", Module: controllerRuntime, Package: "pkg/source", Specs: true, Swapped: caches,
	Files: []File{{Name: "source_suite_test.go", Run: []string{"TestSource"}}},
}

// CtrlController are the tests of controller-runtime's controllers against an API server.
var CtrlController = Suite{
	Name: "ctrlcontroller", Module: controllerRuntime, Package: "pkg/controller", Specs: true, Swapped: caches,
	Without: map[string]string{
		"controller_test.go": "it imports an internal package; its controllers have no cache",
	},
	Files: []File{{Name: "controller_suite_test.go", Run: []string{"TestSource"}}},
}
