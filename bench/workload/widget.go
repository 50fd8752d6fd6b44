package workload

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Widget is the Go struct of a custom resource with 200 fields.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              WidgetSpec   `json:"spec"`
	Status            WidgetStatus `json:"status"`
}

// WidgetSpec has ten panels of twenty fields each.
type WidgetSpec struct {
	Front  Panel `json:"front"`
	Back   Panel `json:"back"`
	Left   Panel `json:"left"`
	Right  Panel `json:"right"`
	Top    Panel `json:"top"`
	Bottom Panel `json:"bottom"`
	Inner  Panel `json:"inner"`
	Outer  Panel `json:"outer"`
	Spare  Panel `json:"spare"`
	Door   Panel `json:"door"`
}

func (s *WidgetSpec) panels() []*Panel {
	return []*Panel{&s.Front, &s.Back, &s.Left, &s.Right, &s.Top, &s.Bottom, &s.Inner, &s.Outer, &s.Spare, &s.Door}
}

// Panel has fields of all types.
type Panel struct {
	Image       string            `json:"image"`
	Command     []string          `json:"command"`
	Replicas    int64             `json:"replicas"`
	Paused      bool              `json:"paused"`
	Strategy    string            `json:"strategy"`
	MaxSurge    int64             `json:"maxSurge"`
	Timeout     string            `json:"timeout"`
	Labels      map[string]string `json:"labels"`
	Queue       string            `json:"queue"`
	Priority    int64             `json:"priority"`
	Owner       string            `json:"owner"`
	Project     string            `json:"project"`
	Storage     string            `json:"storage"`
	Zones       []string          `json:"zones"`
	Checkpoint  string            `json:"checkpoint"`
	Retries     int64             `json:"retries"`
	Preemptible bool              `json:"preemptible"`
	Revision    int64             `json:"revision"`
	Endpoint    string            `json:"endpoint"`
	Comment     string            `json:"comment"`
}

// WidgetStatus is the observed state of a Widget.
type WidgetStatus struct {
	Phase   string `json:"phase"`
	Message string `json:"message"`
}

// DeepCopyInto copies the widget.
func (w *Widget) DeepCopyInto(out *Widget) {
	*out = *w
	w.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	for _, p := range out.Spec.panels() {
		p.Command, p.Zones, p.Labels = slices.Clone(p.Command), slices.Clone(p.Zones), maps.Clone(p.Labels)
	}
}

// DeepCopyObject implements runtime.Object.
func (w *Widget) DeepCopyObject() runtime.Object {
	out := new(Widget)
	w.DeepCopyInto(out)
	return out
}

// WidgetList is a list of widgets.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []Widget `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (l *WidgetList) DeepCopyObject() runtime.Object {
	out := &WidgetList{TypeMeta: l.TypeMeta, ListMeta: l.ListMeta, Items: make([]Widget, len(l.Items))}
	for i := range l.Items {
		l.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

func widgetKind(name, suffix string) Kind {
	return Kind{
		Name: name, Group: "bench.vedette.io", Version: "v1", Resource: "widgets" + suffix, Kind: "Widget" + suffix,
		Scope: Namespaced, Custom: true, make: widget,
	}
}

func widget(seed uint64, i int) Object {
	r := random(seed, i)
	w := &Widget{ObjectMeta: meta("widget", i), Status: WidgetStatus{Phase: "Running", Message: "all panels are up"}}
	for n, p := range w.Spec.panels() {
		*p = Panel{
			Image: fmt.Sprintf("registry.example.com/%s/panel-%d:v%d", w.Labels["app"], n, i%7), Command: []string{"/bin/panel", "--serve"},
			Replicas: int64(r.IntN(9)), Strategy: "RollingUpdate", MaxSurge: 1, Timeout: "30s",
			Labels: map[string]string{"panel": fmt.Sprint(n), "app": w.Labels["app"]}, Queue: fmt.Sprintf("queue-%02d", r.IntN(20)), Priority: int64(r.IntN(1000)),
			Owner: fmt.Sprintf("user-%03d", r.IntN(500)), Project: fmt.Sprintf("project-%02d", i%40), Storage: "100Gi", Zones: []string{"zone-a", "zone-b"},
			Checkpoint: fmt.Sprintf("/checkpoints/%08x", r.Uint32()), Retries: 3, Revision: int64(i), Endpoint: fmt.Sprintf("https://panel-%d.example.com", n),
			Comment: "set by the platform; do not edit by hand",
		}
	}
	return w
}
