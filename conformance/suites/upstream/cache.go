package upstream

// mirrors is the path of our mirror packages of client-go.
const mirrors = "github.com/vedette-io/vedette/compat/clientgo/"

// ToolsCache are the tests of tools/cache.
var ToolsCache = Suite{
	Name: "cache", Module: "k8s.io/client-go", Package: "tools/cache", Inside: true,
	Mirrors: map[string]string{"k8s.io/client-go/tools/cache": mirrors + "tools/cache"},
	Casts:   map[string]string{"*sharedIndexInformer": "SharedIndexInformer"},
	Swapped: []Swap{{
		Path: "k8s.io/client-go/tools/cache", Package: "cache",
		Names: []string{"NewSharedInformer", "NewSharedIndexInformer", "NewInformer", "NewTransformingInformer"},
	}, {
		Path: "k8s.io/client-go/tools/cache/testing", Package: "fake", Names: []string{"NewFakeControllerSource"},
	}},
	Stubs: `package cache

import "sync/atomic"

// sharedProcessorRunHook delays client-go's informer in the one test that sets it.
var sharedProcessorRunHook atomic.Pointer[func()]
`,
	Files: []File{
		{
			Name: "controller_test.go",
			Run: []string{
				"ExampleNewInformer", "TestHammerController", "TestUpdate",
				"TestTransformingInformer", "TestDeletionHandlingObjectToName",
				"TestDeletedObjectGetObjectName", "TestDeletedObjectGetKey",
			},
			Deliberate: map[string]string{
				"TestPanicPropagated": "a handler has a goroutine of its own, also with NewInformer: a recover around Run does not get its panic",
			},
			Bridged: map[string]string{
				"TestTransformingInformerRace": "client-go transforms an object of a streaming list twice",
			},
			Internals: []string{
				"Example", "TestProcessDeltasInBatch", "TestReplaceEvents", "TestResetWatch", "TestStoreResourceVersion",
				"TestStoreResourceVersionWithNonMetaTransform",
			},
		},
		{
			Name: "delta_fifo_test.go",
			Run: []string{
				"TestDeltaFIFO_basic", "TestDeltaFIFO_replaceWithDeleteDeltaIn", "TestDeltaFIFO_ReplaceMakesDeletions",
				"TestDeltaFIFO_ReplaceMakesDeletionsReplaced", "TestDeltaFIFO_ReplaceDeltaType",
				"TestDeltaFIFO_UpdateResyncRace", "TestDeltaFIFO_HasSyncedCorrectOnDeletion",
				"TestDeltaFIFO_detectLineJumpers", "TestDeltaFIFO_HasSynced", "TestDeltaFIFO_PopShouldUnblockWhenClosed",
			},
			Internals: []string{
				"TestDeltaFIFOW_ReplaceMakesDeletionsForObjectsOnlyInQueue", "TestDeltaFIFO_addUpdate",
				"TestDeltaFIFO_transformer", "TestDeltaFIFO_enqueueingNoLister", "TestDeltaFIFO_enqueueingWithLister",
				"TestDeltaFIFO_addReplace", "TestDeltaFIFO_ResyncNonExisting", "TestDeltaFIFO_Resync",
				"TestDeltaFIFO_DeleteExistingNonPropagated", "TestDeltaFIFO_KeyOf",
			},
		},
		{
			Name:      "event_handler_name_test.go",
			Internals: []string{"TestNameForHandler"},
		},
		{
			Name: "expiration_cache_test.go",
			Run: []string{
				"TestTTLExpirationBasic", "TestReAddExpiredItem", "TestTTLList",
			},
			Internals: []string{"TestTTLPolicy"},
		},
		{
			Name: "fifo_test.go",
			Run: []string{
				"TestFIFO_basic", "TestFIFO_detectLineJumpers", "TestFIFO_HasSynced", "TestFIFO_PopShouldUnblockWhenClosed",
			},
			Internals: []string{"TestFIFO_addUpdate", "TestFIFO_addReplace"},
		},
		{
			Name: "heap_test.go",
			Run: []string{
				"TestHeapBasic", "TestHeap_Add", "TestHeap_BulkAdd", "TestHeap_Get", "TestHeap_GetByKey", "TestHeap_Close",
				"TestHeap_List", "TestHeap_ListKeys",
			},
			Internals: []string{
				"TestHeapEmptyPop", "TestHeap_AddIfNotPresent", "TestHeap_Delete", "TestHeap_Update",
				"TestHeapAddAfterClose",
			},
		},
		{
			Name: "identity_test.go",
			Run: []string{
				"TestNewInformerName", "TestWithResource", "TestRelease",
			},
		},
		{
			Name: "index_test.go",
			Run:  []string{"TestGetIndexFuncValues", "TestMultiIndexKeys"},
		},
		{
			Name: "listers_test.go",
			Run:  []string{"TestListAll"},
		},
		{
			Name: "listwatch_test.go",
			Run:  []string{"TestToListWatcherWithWatchListSemantics"},
		},
		{
			Name: "mutation_cache_test.go",
			Run: []string{
				"TestMutationCacheOnAddOrUpdate", "TestMutationCacheOnDelete",
				"TestMutationCacheOnDeleteClearsStaleMutation",
			},
			Internals: []string{"TestMutationCacheUpdateConcurrentDelete", "TestMutationCacheUpdateConcurrentRecreate"},
		},
		{
			Name:      "mutation_detector_test.go",
			Internals: []string{"TestMutationDetector"},
		},
		{
			Name: "object-names_test.go",
			Run:  []string{"TestObjectNames"},
		},
		{
			Name:      "reflector_data_consistency_detector_test.go",
			Internals: []string{"TestReflectorDataConsistencyDetector"},
		},
		{
			Name: "reflector_test.go",
			Run: []string{
				"TestReflectorListAndWatch", "TestReflectorResync",
				"TestReflectorPaginatingNonConsistentReadsIfWatchCacheDisabled", "TestReflectorResyncWithResourceVersion",
				"TestReflectorExpiredExactResourceVersion", "TestReflectorFullListIfExpired",
				"TestReflectorFullListIfTooLarge", "TestWatchTimeout", "TestReflectorResourceVersionUpdate",
			},
			Internals: []string{
				"TestCloseWatchChannelOnError", "TestRunUntil", "TestReflectorResyncChan", "TestReflectorWatchStoppedBefore",
				"TestReflectorWatchStoppedAfter", "TestReflectorHandleWatchStoppedBefore",
				"TestReflectorHandleWatchStoppedAfter", "TestReflectorHandleWatchResultChanClosedBefore",
				"TestReflectorHandleWatchResultChanClosedAfter", "TestReflectorWatchHandler", "TestReflectorStopWatch",
				"TestReflectorListAndWatchWithErrors", "TestReflectorListAndWatchInitConnBackoff",
				"TestBackoffOnTooManyRequests", "TestNoRelistOnTooManyRequests", "TestRetryInternalError",
				"TestReflectorWatchListPageSize", "TestReflectorNotPaginatingNotConsistentReads",
				"TestGetTypeDescriptionFromObject", "TestGetExpectedGVKFromObject", "TestReflectorListExtract",
				"TestReflectorReplacesStoreOnUnsafeDelete", "TestReflectorRespectStoreTransformer",
				"TestIsUnsupportedTableObject",
			},
			Left: map[string]string{
				"TestNewReflectorWithCustomBackoff": "it measures the backoff of client-go's own reflector, and fails on a busy machine",
			},
		},
		{
			Name: "reflector_watchlist_test.go",
			Run:  []string{"TestWatchList"},
			Internals: []string{
				"TestNewReflectorWithDisablementWatchList", "TestInitialEventsEndBookmarkTicker",
				"TestWatchListResourceVersion",
			},
		},
		{
			Name: "retry_with_deadline_test.go",
			Run:  []string{"TestRetryWithDeadline"},
		},
		{
			Name: "shared_informer_test.go",
			Run: []string{
				"TestIndexer", "TestListenerResyncPeriods", "TestSharedInformerInitializationRace",
				"TestSharedInformerErrorHandling", "TestSharedInformerStartRace", "TestSharedInformerTransformer",
				"TestSharedInformerHandlerAbuse", "TestAddOnStoppedSharedInformer", "TestRemoveOnStoppedSharedInformer",
				"TestShutdown", "TestEventPanics", "TestRemoveEventHandler_AsynchronousPanic",
				"TestRemoveEventHandler_SynchronousShutdown", "TestShutDownEventHandler_Lifecycles",
			},
			Internals: []string{
				"TestResyncCheckPeriod", "TestSharedInformerWatchDisruption",
				"TestSharedInformerRemoveHandler", "TestSharedInformerRemoveForeignHandler",
				"TestSharedInformerMultipleRegistration", "TestRemovingRemovedSharedInformer", "TestStateSharedInformer",
				"TestRemoveWhileActive", "TestAddWhileActive",
			},
			Left: map[string]string{
				"TestListenerResyncPeriodsDelayed": "it delays a goroutine of client-go's informer by a hidden hook",
			},
		},
		{
			Name: "store_test.go",
			Run: []string{
				"TestCache", "TestCacheWithTransformer", "TestUndeltaStore", "TestIndex", "TestKeyError",
				"TestCacheTransactionShouldIndexErrors",
			},
			Internals: []string{"TestFIFOCache", "TestWithStoreMetricsDefaulting"},
		},
		{
			Name: "the_real_fifo_test.go",
			Run: []string{
				"TestRealFIFO_basic", "TestRealFIFO_ReplaceMakesDeletions", "TestRealFIFO_ReplaceMakesDeletionsReplaced",
				"TestRealFIFO_UpdateResyncRace", "TestRealFIFO_HasSyncedCorrectOnDeletion", "TestRealFIFO_detectLineJumpers",
				"TestRealFIFO_HasSynced", "TestRealFIFO_PopShouldUnblockWhenClosed",
			},
			Internals: []string{
				"TestRealFIFO_replaceWithDeleteDeltaIn", "TestRealFIFOW_ReplaceMakesDeletionsForObjectsOnlyInQueue",
				"TestRealFIFO_addUpdate", "TestRealFIFO_transformer", "TestRealFIFO_enqueueingNoLister",
				"TestRealFIFO_enqueueingWithLister", "TestRealFIFO_addReplace", "TestRealFIFO_ResyncNonExisting",
				"TestRealFIFO_Resync", "TestRealFIFO_DeleteExistingNonPropagated", "TestRealFIFO_KeyOf",
				"TestRealFIFO_PopMultipleDeltaInBatch", "TestRealFIFO_PopBrokenItemsInBatch", "TestRealFIFO_ReplaceAtomic",
				"TestRealFIFO_ReplaceAtomicPop", "TestRealFIFO_ResyncAtomic",
			},
		},
		{
			Name: "thread_safe_store_test.go",
			Internals: []string{
				"TestThreadSafeStoreDeleteRemovesEmptySetsFromIndex",
				"TestThreadSafeStoreAddKeepsNonEmptySetPostDeleteFromIndex",
				"TestThreadSafeStoreIndexingFunctionsWithMultipleValues", "TestThreadSafeStoreRV",
			},
		},
		{
			Name: "typed_test.go",
			Run: []string{
				"TestTypedResourceEventHandlerFuncs", "TestTypedResourceEventHandlerDetailedFuncs",
				"TestTypedFilteringResourceEventHandler", "TestTypedSharedIndexInformerAddTypedEventHandler",
				"TestTypedSharedIndexInformerAddTypedIndexers", "TestTypedSharedIndexInformerGetTypedIndexer",
				"TestTypedIndexersToIndexers",
			},
			Internals: []string{"TestTypedResourceEventHandlerAdapter", "TestTypedIndexer"},
		},
		{
			Name: "undelta_store_test.go",
			Run: []string{
				"TestUpdateCallsPush", "TestDeleteCallsPush", "TestReadsDoNotCallPush", "TestReplaceCallsPush",
			},
		},
		{
			Name: "wait_test.go",
			Run:  []string{"TestWaitFor", "TestSyncResult"},
		},
	},
}
