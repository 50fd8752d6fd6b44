package clientgo_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/testinput"
)

// TestReport: a report shows what informers hold, and what they have decoded since the start.
func TestReport(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		const pods = 150
		w.padding = strings.Repeat("x", testinput.Size(t, 96<<10, 256<<10)) // more than an informer holds decoded
		for i := range pods {
			w.create(fmt.Sprintf("a/pod-%d", i))
		}
		inf := w.pods(clientgo.Options{})
		if before := clientgo.Report(inf)[0]; before.Type != "Pod.v1" || before.Objects != 0 || before.Running != 0 || before.Advice != "" {
			t.Errorf("before the start: %+v", before)
		}
		defer run(t, inf)()
		<-time.After(9 * time.Minute) // an input: fake time: the caller is a bubble
		r := clientgo.Report(inf)[0]
		if !r.Accelerated || r.Objects != pods || r.RawBytes < 100*pods || r.HeldBytes <= 0 || r.Running != 9*time.Minute {
			t.Errorf("after 9 minutes: %+v", r)
		}
		for passes := 0; !r.All && passes < 1000; passes++ {
			for _, key := range inf.GetStore().ListKeys() {
				inf.GetStore().GetByKey(key)
			}
			runtime.GC() // or readers find the objects of the last pass
			r = clientgo.Report(inf)[0]
		}
		if r.Decodes <= pods || r.Advice != "" {
			t.Errorf("there is advice after 9 minutes: %q", r.Advice)
		}
		<-time.After(time.Minute) // an input: fake time: the caller is a bubble
		r = clientgo.Report(inf)[0]
		if want := float64(r.Decodes) / 10; r.PerMinute != want || !strings.HasPrefix(r.Advice, "Live: the objects are read so often") {
			t.Errorf("%d decodes in 10 minutes are %v a minute, with the advice %q; want %v", r.Decodes, r.PerMinute, r.Advice, want)
		}
		<-time.After(10 * time.Minute) // an input: fake time: the caller is a bubble
		if r = clientgo.Report(inf)[0]; r.Advice != "" {
			t.Errorf("informer whose objects are not read: got advice %q", r.Advice)
		}
	})
}

// TestReportOfOthers: the rows of informers that are not accelerated have the reason.
func TestReportOfOthers(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.create("a/one")
		live := w.pods(clientgo.Options{Storage: informer.Live})
		stock := w.pods(clientgo.Options{Stock: true})
		d, err := dynamic.NewForConfig(clientgo.Wrap(w.server.RESTConfig()))
		if err != nil {
			t.Fatal(err)
		}
		custom := clientgo.Adopt(dynamicinformer.NewDynamicSharedInformerFactory(d, 0).ForResource(corev1.SchemeGroupVersion.WithResource("nodes")).Informer(), clientgo.Options{})
		foreign := coreinformers.NewPodInformer(fake.NewClientset(), "", 0, cache.Indexers{})
		for _, inf := range []cache.SharedIndexInformer{live, stock, custom, foreign} {
			defer run(t, inf)()
		}
		report := clientgo.Report(live, stock, custom, foreign)
		for i := range report { // they depend on the dictionary, and on when client-go's are synced
			report[i].HeldBytes, report[i].RawBytes, report[i].PerMinute = 512, 3<<20, 0
		}
		want := []string{
			"TYPE           STORAGE    OBJECTS  DECODED  HELD   RAW      DECODES  A MINUTE  ADVICE",
			"Pod.v1         Live       1        1        512 B  3.0 MiB  1        0.0       -",
			"*v1.Pod        client-go  1        -        -      -        -        -         not accelerated: Options.Stock is set",
			"/api/v1/nodes  Packed     0        0        512 B  3.0 MiB  0        0.0       -",
			"*v1.Pod        client-go  0        -        -      -        -        -         not accelerated: it is not an informer of this package",
		}
		if got := report.String(); got != strings.Join(want, "\n")+"\n" {
			t.Errorf("the report is\n%swant\n%s", got, strings.Join(want, "\n"))
		}
	})
}
