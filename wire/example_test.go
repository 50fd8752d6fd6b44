package wire_test

import (
	"fmt"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/wire"
)

func ExampleListReader() {
	body := `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"12"},"items":[
	  {"metadata":{"namespace":"ml","name":"train-0","resourceVersion":"9","labels":{"app":"train"}},"status":{"phase":"Running"}},
	  {"metadata":{"namespace":"ml","name":"train-1","resourceVersion":"11"},"status":{"phase":"Pending"}}]}`
	list := wire.NewListReader(strings.NewReader(body), wire.JSON, wire.Options{APIVersion: "v1", Kind: "Pod"})
	for {
		rec, err := list.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		app, _ := rec.Label("app") // read from the bytes
		pod, err := wire.Codec[corev1.Pod]{}.Decode(rec)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(rec.Key, rec.Version, app, pod.Status.Phase)
	}
	fmt.Println("as of", list.Meta().Version)
	// Output:
	// ml/train-0 9 train Running
	// ml/train-1 11  Pending
	// as of 12
}

func ExampleFieldOf() {
	ready, err := wire.FieldOf[corev1.Pod](`status.conditions[?(@.type=="Ready")].status`)
	if err != nil {
		fmt.Println(err)
		return
	}
	pod := wire.Record{Encoding: wire.JSON, Body: []byte(`{"status":{"conditions":[{"type":"PodScheduled","status":"True"},{"type":"Ready","status":"False"}]}}`)}
	for value := range ready.Values(pod) {
		fmt.Println(ready.Path(), "is", value)
	}
	_, err = wire.FieldOf[corev1.Pod]("spec.nodename")
	fmt.Println(err)
	// Output:
	// status.conditions[?(@.type=="Ready")].status is False
	// path "spec.nodename", column 6: v1.PodSpec has no field "nodename"; the closest is "nodeName"
}
