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
		".* Cache test as a Reader with structured objects should return an error when context is cancelled":                                                                          "the same, with a list",
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

// CtrlClient are the tests of controller-runtime's client. They run against package apitest.
var CtrlClient = Suite{
	Name: "ctrlclient", Module: controllerRuntime, Package: "pkg/client", Specs: true, Runner: "TestClient",
	Skipped: map[string]string{
		".* should fail if the object does not pass server-side validation":                                       "apitest has no schemas and no validation of built-in types",
		"DryRunClient should refuse (a create|an update) request for an invalid .*":                               "apitest has no validation of built-in types",
		"Client WarningHandler should log warnings with config.WarningHandler, if one is defined":                 "the warning comes from the schema of a custom resource",
		"Client Apply Structured Client should propagate a typed error":                                           "the type of a Secret can change, because built-in types are not validated",
		"Client SubResourceClient .* should be able to create (Pod bindings|Pod evictions|ServiceAccount tokens)": "apitest does not have these subresources",
		"Client SubResourceClient .* should be able to approve CSRs( using Patch)?":                               "apitest does not have the subresource approval",
		"Client SubResourceClient .* should be able to apply the scale subresource":                               "apitest has no server-side apply of a scale",
		"ConsistentClient SubResource Create evicts a pod without erroring":                                       "apitest does not have the subresource eviction",
	},
	Without: map[string]string{
		"consistency_fake_test.go": "it uses unexported names of the package, and no server",
		"example_test.go":          "its Examples need a cluster, and have no output",
	},
	Files: []File{
		{Name: "client_suite_test.go", Run: []string{"TestClient"}},
		{Name: "fieldowner_test.go", Run: []string{"TestWithFieldOwner", "TestWithFieldOwnerOverridden"}},
		{Name: "fieldvalidation_test.go", Run: []string{"TestWithStrictFieldValidation", "TestWithStrictFieldValidationOverridden"}},
	},
}
