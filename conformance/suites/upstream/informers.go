package upstream

// noVersion are tests whose server ends a streaming list without a version.
var noVersion = map[string]string{
	"TestWatchListSemanticsSimple": "its server sends a list without resourceVersion; no watch can begin there, so the informer is not synced and reports why",
}

// fakeWatch is why tests with fakes sometimes fail, with client-go too.
const fakeWatch = "it creates an object as soon as the informer is synced; a fake loses objects that are created before the watch begins"

// DynamicInformer are the tests of dynamicinformer.
var DynamicInformer = Suite{
	Name: "dynamicinformer", Module: "k8s.io/client-go", Package: "dynamic/dynamicinformer",
	Swapped: []Swap{{
		Path: "k8s.io/client-go/dynamic/dynamicinformer", Package: "dynamicinformer",
		Names: []string{"NewDynamicSharedInformerFactory", "NewFilteredDynamicSharedInformerFactory"},
	}},
	Files: []File{{
		Name: "informer_test.go",
		Run: []string{
			"TestUnSupportWatchListSemantics", "TestFilteredDynamicSharedInformerFactory", "TestDynamicSharedInformerFactory",
		},
		Deliberate: noVersion,
	}},
	Shaky: map[string]string{"TestFilteredDynamicSharedInformerFactory": fakeWatch},
}

// MetadataInformer are the tests of metadatainformer. They are not on the bridge: the
// fake of the metadata client returns objects with their type, which no server sends.
var MetadataInformer = Suite{
	Name: "metadatainformer", Module: "k8s.io/client-go", Package: "metadata/metadatainformer", Inside: true,
	Mirrors: map[string]string{"k8s.io/client-go/metadata/metadatainformer": mirrors + "metadata/metadatainformer"},
	Fakes:   true,
	Files: []File{{
		Name: "informer_test.go",
		Run:  []string{"TestUnSupportWatchListSemantics", "TestMetadataSharedInformerFactory"},

		Deliberate: noVersion,
	}},
	Shaky: map[string]string{"TestMetadataSharedInformerFactory": fakeWatch},
}
