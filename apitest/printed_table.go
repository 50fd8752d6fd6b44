package apitest

import (
	"encoding/json"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
)

// nameColumn and ageColumn begin and end each table.
var (
	nameColumn = metav1.TableColumnDefinition{Name: "Name", Type: "string", Format: "name", Description: "The name of the object."}
	ageColumn  = metav1.TableColumnDefinition{Name: "Age", Type: "string", Description: "The time since the object was created."}
)

// includeOf reads the parameter that determines what a row has of its object.
func includeOf(text string) (metav1.IncludeObjectPolicy, error) {
	switch policy := metav1.IncludeObjectPolicy(text); policy {
	case "":
		return metav1.IncludeMetadata, nil
	case metav1.IncludeMetadata, metav1.IncludeNone, metav1.IncludeObject:
		return policy, nil
	default:
		return "", apierrors.NewBadRequest(fmt.Sprintf("unsupported includeObject value %q", policy))
	}
}

// table returns objects as a table without its kind.
func (p printer) table(res *resource, revs []*revision, m listMeta) ([]byte, error) {
	t := metav1.Table{ListMeta: m.ListMeta, ColumnDefinitions: []metav1.TableColumnDefinition{nameColumn}, Rows: []metav1.TableRow{}}
	if res.hasLog() {
		for _, name := range []string{"Ready", "Status", "Restarts"} {
			t.ColumnDefinitions = append(t.ColumnDefinitions, metav1.TableColumnDefinition{Name: name, Type: "string"})
		}
	}
	t.ColumnDefinitions = append(t.ColumnDefinitions, ageColumn)
	for _, rev := range revs {
		row, err := p.row(rev)
		if err != nil {
			return nil, err
		}
		t.Rows = append(t.Rows, row)
	}
	return json.Marshal(t)
}

// row returns the row of one object.
func (p printer) row(rev *revision) (row metav1.TableRow, err error) {
	obj, err := rev.object()
	if err != nil {
		return row, err
	}
	row.Cells = []any{obj.GetName()}
	if pod, isPod := obj.(*corev1.Pod); isPod {
		row.Cells = append(row.Cells, podCells(pod)...)
	}
	age := "<unknown>"
	if created := obj.GetCreationTimestamp(); !created.IsZero() {
		age = duration.HumanDuration(p.now().Sub(created.Time))
	}
	row.Cells = append(row.Cells, age)
	part := metadataOnly
	switch p.include {
	case metav1.IncludeNone:
		return row, nil
	case metav1.IncludeObject:
		part = wholeObject
	}
	enc := encoding{part: part}
	data, err := rev.bytes(enc)
	object := payload{kind: typeOf(rev.res, enc), data: data, named: namesItself(rev.res, enc)}
	row.Object = runtime.RawExtension{Raw: object.appendTo(nil, formatJSON)}
	return row, err
}

// podCells returns how many containers of a pod are ready, its phase, and how often its containers were restarted.
func podCells(pod *corev1.Pod) []any {
	ready, restarts := 0, 0
	for i := range pod.Status.ContainerStatuses {
		status := &pod.Status.ContainerStatuses[i]
		restarts += int(status.RestartCount)
		if status.Ready {
			ready++
		}
	}
	phase := string(pod.Status.Phase)
	if pod.DeletionTimestamp != nil {
		phase = "Terminating"
	}
	return []any{fmt.Sprintf("%d/%d", ready, len(pod.Spec.Containers)), phase, strconv.Itoa(restarts)}
}
