package clients_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// TestClients has the tests that share one control plane.
func TestClients(t *testing.T) {
	_, cluster := start(t)
	for _, c := range []struct {
		name string
		run  func(*testing.T, *kube.Cluster)
	}{
		{"verbs", verbs}, {"apply", apply}, {"status and scale", statusAndScale}, {"two writers", twoWriters}, {"delete all", deleteAll},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, cluster) })
	}
}

// verbs calls all verbs with objects of all forms.
func verbs(t *testing.T, cluster *kube.Cluster) {
	t.Run("built-in", func(t *testing.T) {
		life(t, cluster, kube.ClientConfig{}, &corev1.ConfigMap{ObjectMeta: named("x")}, "v1 ConfigMap")
	})
	t.Run("custom", func(t *testing.T) {
		life(t, cluster, kube.ClientConfig{}, &TrainJob{ObjectMeta: named("x")}, "example.com/v1 TrainJob")
	})
	t.Run("unstructured", func(t *testing.T) {
		obj := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"namespace": "default", "name": "y"}}}
		life(t, cluster, kube.ClientConfig{Resource: "trainjobs.example.com"}, obj, "example.com/v1 TrainJob")
	})
	t.Run("cluster-scoped", func(t *testing.T) {
		life(t, cluster, kube.ClientConfig{}, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, "v1 Node")
	})
	t.Run("metadata only", func(t *testing.T) { metadataOnly(t, cluster) })
	t.Run("raw", func(t *testing.T) {
		if v, err := cluster.ServerVersion(t.Context()); err != nil || !strings.HasPrefix(v.GitVersion, "v1.") {
			t.Errorf("%v, %v", v, err)
		}
		_, err := cluster.Do(t.Context(), kube.Request{Path: "/api/v1/namespaces/default/configmaps/none"})
		if !apierrors.IsNotFound(err) {
			t.Errorf("got %v", err)
		}
	})
}

// life calls all verbs on one object. A watch must show exactly the changes that the
// client reported.
func life[T any, P kube.Object[T]](t *testing.T, cluster *kube.Cluster, cfg kube.ClientConfig, obj P, kind string) {
	t.Helper()
	cfg.PageSize = 1
	c := client[T, P](t, cluster, cfg)
	cfg.Writes = kube.DryRun
	dry := client[T, P](t, cluster, cfg)
	var told []string
	ctx := kube.WithWrites(t.Context(), func(w kube.Written) { told = append(told, fmt.Sprint(w.Key, " ", w.Version)) })
	key := wire.Key{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	if _, err := dry.Create(ctx, obj); err != nil || len(told) > 0 {
		t.Errorf("a dry run: %v, events %v", err, told)
	}
	created := must[*T](t)(c.Create(ctx, obj))
	if gv, k := P(created).GetObjectKind().GroupVersionKind().ToAPIVersionAndKind(); gv+" "+k != kind {
		t.Errorf("created a %s %s, want %s", gv, k, kind)
	}
	if _, err := c.Create(ctx, obj); !apierrors.IsAlreadyExists(err) {
		t.Errorf("created twice: %v", err)
	}
	P(created).SetLabels(map[string]string{"a": "b"})
	must[*T](t)(c.Update(ctx, created))
	if _, err := c.Update(ctx, created); !apierrors.IsConflict(err) {
		t.Errorf("a stale update: %v", err)
	}
	must[*T](t)(c.Patch(ctx, key, kube.MergePatch([]byte(`{"metadata":{"labels":{"a":"c"}}}`))))
	must[*T](t)(c.Patch(ctx, key, kube.JSONPatch([]byte(`[{"op":"add","path":"/metadata/labels/d","value":"e"}]`))))
	must[*T](t)(c.Mutate(ctx, key, func(obj *T) error { kube.AddFinalizer(P(obj), "example.com/wait"); return nil }))
	got := must[*T](t)(c.Get(ctx, key))
	if P(got).GetLabels()["a"] != "c" || P(got).GetLabels()["d"] != "e" || !kube.HasFinalizer(P(got), "example.com/wait") {
		t.Errorf("got %+v", got)
	}
	listed := must[[]*T](t)(kube.Collect(c.List(ctx, kube.Where{LabelSelector: "d=e", FieldSelector: "metadata.name=" + key.Name})))
	if len(listed) != 1 || P(listed[0]).GetResourceVersion() != P(got).GetResourceVersion() {
		t.Errorf("listed %+v", listed)
	}
	if err := c.Delete(ctx, key, kube.DeleteOptions{UID: "another"}); !apierrors.IsConflict(err) {
		t.Errorf("the deletion of another: %v", err)
	}
	if err := dry.Delete(ctx, key, kube.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if err := c.Delete(ctx, key, kube.DeleteOptions{UID: P(got).GetUID(), Propagation: kube.Background}); err != nil {
		t.Error(err)
	}
	must[*T](t)(c.Mutate(ctx, key, func(obj *T) error { kube.RemoveFinalizer(P(obj), "example.com/wait"); return nil }))
	if _, err := c.Get(ctx, key); !apierrors.IsNotFound(err) {
		t.Errorf("create an existing object: %v", err)
	}
	compare(t, c, P(created).GetResourceVersion(), key, told)
}

// compare watches from the first version, and compares the events with the reported
// changes.
func compare[T any](t *testing.T, c *kube.Client[T], from string, key wire.Key, told []string) {
	t.Helper()
	first := must[wire.Version](t)(wire.ParseVersion(from))
	seen := []string{fmt.Sprint(key, " ", first)}
	for ev, err := range c.Watch(t.Context(), kube.Where{FieldSelector: "metadata.name=" + key.Name}, first) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Type == wire.Deleted {
			seen = append(seen, fmt.Sprint(key, " ", wire.Version(0)))
			break
		}
		seen = append(seen, fmt.Sprint(key, " ", ev.Version))
	}
	if strings.Join(seen, ", ") != strings.Join(told, ", ") {
		t.Errorf("the watch showed %v, want %v", seen, told)
	}
}

func metadataOnly(t *testing.T, cluster *kube.Cluster) {
	ctx := t.Context()
	must[*TrainJob](t)(client[TrainJob](t, cluster, kube.ClientConfig{}).Create(ctx, &TrainJob{ObjectMeta: named("m")}))
	must[*corev1.ConfigMap](t)(client[corev1.ConfigMap](t, cluster, kube.ClientConfig{}).Create(ctx, &corev1.ConfigMap{ObjectMeta: named("m")}))
	key := wire.Key{Namespace: "default", Name: "m"}
	for resource, kind := range map[string]string{"trainjobs.example.com": "TrainJob", "configmaps": "ConfigMap"} {
		c := client[metav1.PartialObjectMetadata](t, cluster, kube.ClientConfig{Resource: resource})
		patched := must[*metav1.PartialObjectMetadata](t)(c.Patch(ctx, key, kube.MergePatch([]byte(`{"metadata":{"labels":{"a":"b"}}}`))))
		got := must[*metav1.PartialObjectMetadata](t)(c.Get(ctx, key))
		if got.Kind != kind || got.Labels["a"] != "b" || got.ResourceVersion != patched.ResourceVersion {
			t.Errorf("%+v", got)
		}
		for ev, err := range c.Watch(ctx, kube.Where{Namespace: "default", LabelSelector: "a=b"}, 0) {
			if err != nil || ev.Object.Name != "m" || ev.Object.Kind != kind {
				t.Errorf("%+v, %v", ev, err)
			}
			break
		}
		var told kube.Written
		err := c.Delete(kube.WithWrites(ctx, func(w kube.Written) { told = w }), key, kube.DeleteOptions{})
		if err != nil || told.Key != key || told.UID != string(got.UID) || told.Effect != kube.Removed {
			t.Errorf("%v, reported %+v", err, told)
		}
	}
}

// apply: two managers apply one object.
func apply(t *testing.T, cluster *kube.Cluster) {
	ctx := t.Context()
	mine, theirs := kube.ClientConfig{FieldManager: "mine"}, kube.ClientConfig{FieldManager: "theirs"}
	settings := func(value string) *corev1apply.ConfigMapApplyConfiguration {
		return corev1apply.ConfigMap("settings", "default").WithData(map[string]string{"lr": value})
	}
	a, b := client[corev1.ConfigMap](t, cluster, mine), client[corev1.ConfigMap](t, cluster, theirs)
	must[*corev1.ConfigMap](t)(a.ApplyConfiguration(ctx, settings("1"), kube.ReportConflicts))
	_, err := b.ApplyConfiguration(ctx, settings("2"), kube.ReportConflicts)
	if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), `"mine"`) || !strings.Contains(err.Error(), "kube.ForceConflicts") {
		t.Errorf("got %v", err)
	}
	if got := must[*corev1.ConfigMap](t)(b.ApplyConfiguration(ctx, settings("2"), kube.ForceConflicts)); got.Data["lr"] != "2" {
		t.Errorf("%+v", got)
	}

	jobs, others := client[TrainJob](t, cluster, mine), client[TrainJob](t, cluster, theirs)
	job := must[*TrainJob](t)(jobs.Apply(ctx, &TrainJob{ObjectMeta: named("a"), Spec: TrainSpec{Workers: 2}}, kube.ReportConflicts))
	if job.Spec.Workers != 2 || len(job.ManagedFields) != 1 || job.ManagedFields[0].Manager != "mine" {
		t.Errorf("%+v", job)
	}
	job.Spec.Workers = 3 // apply omits the managedFields that were read
	if _, err := others.Apply(ctx, job, kube.ReportConflicts); !apierrors.IsConflict(err) {
		t.Errorf("got %v", err)
	}
	if job = must[*TrainJob](t)(others.Apply(ctx, job, kube.ForceConflicts)); job.Spec.Workers != 3 {
		t.Errorf("%+v", job)
	}
	job.Status.Phase = "Running"
	if job = must[*TrainJob](t)(jobs.Status().Apply(ctx, job, kube.ForceConflicts)); job.Status.Phase != "Running" {
		t.Errorf("%+v", job)
	}
	mine.Resource = "trainjobs"
	untyped := must[*unstructured.Unstructured](t)(client[unstructured.Unstructured](t, cluster, mine).Apply(ctx, &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"namespace": "default", "name": "u"}, "spec": map[string]any{"workers": int64(1), "steps": int64(1)<<53 + 1},
	}}, kube.ReportConflicts))
	if n, _, err := unstructured.NestedInt64(untyped.Object, "spec", "steps"); n != 1<<53+1 || err != nil {
		t.Errorf("%+v, %v", untyped, err)
	}
}

func statusAndScale(t *testing.T, cluster *kube.Cluster) {
	ctx := t.Context()
	key := wire.Key{Namespace: "default", Name: "x"}
	jobs := client[TrainJob](t, cluster, kube.ClientConfig{})
	job := must[*TrainJob](t)(jobs.Create(ctx, &TrainJob{ObjectMeta: named("x"), Spec: TrainSpec{Workers: 1}}))
	job.Status.Phase, job.Spec.Workers = "Running", 9
	if job = must[*TrainJob](t)(jobs.Status().Update(ctx, job)); job.Status.Phase != "Running" || job.Spec.Workers != 1 {
		t.Errorf("%+v", job)
	}
	must[*TrainJob](t)(jobs.Status().Patch(ctx, key, kube.MergePatch([]byte(`{"status":{"phase":"Failed"}}`))))
	job = must[*TrainJob](t)(jobs.Status().Mutate(ctx, key, func(j *TrainJob) error {
		_, err := kube.SetCondition(j, &j.Status.Conditions, metav1.Condition{Type: "Ready", Status: metav1.ConditionFalse, Reason: "Failed"})
		return err
	}))
	if c, ok := kube.FindCondition(job.Status.Conditions, "Ready"); !ok || job.Status.Phase != "Failed" || c.ObservedGeneration != 1 {
		t.Errorf("%+v", job)
	}
	if scale := must[*autoscalingv1.Scale](t)(jobs.SetScale(ctx, key, 5)); scale.Spec.Replicas != 5 {
		t.Errorf("%+v", scale)
	}
	if job = must[*TrainJob](t)(jobs.Get(ctx, key)); job.Spec.Workers != 5 {
		t.Errorf("%+v", job)
	}

	built := client[batchv1.Job](t, cluster, kube.ClientConfig{})
	must[*batchv1.Job](t)(built.Create(ctx, &batchv1.Job{ObjectMeta: named("x"), Spec: batchv1.JobSpec{Template: template()}}))
	done := must[*batchv1.Job](t)(built.Status().Mutate(ctx, key, func(j *batchv1.Job) error { j.Status.Active = 1; return nil }))
	if done.Status.Active != 1 {
		t.Errorf("%+v", done.Status)
	}

	deployments := client[appsv1.Deployment](t, cluster, kube.ClientConfig{})
	labels := map[string]string{"app": "x"}
	web := &appsv1.Deployment{ObjectMeta: named("x"), Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template()}}
	web.Spec.Template.Labels, web.Spec.Template.Spec.RestartPolicy = labels, corev1.RestartPolicyAlways
	must[*appsv1.Deployment](t)(deployments.Create(ctx, web))
	var told kube.Written
	scale := must[*autoscalingv1.Scale](t)(deployments.SetScale(kube.WithWrites(ctx, func(w kube.Written) { told = w }), key, 4))
	now := must[*appsv1.Deployment](t)(deployments.Get(ctx, key))
	if scale.Spec.Replicas != 4 || *now.Spec.Replicas != 4 || told.Version.String() != now.ResourceVersion || told.UID != string(now.UID) {
		t.Errorf("%+v, reported %+v", scale, told)
	}
	if scale = must[*autoscalingv1.Scale](t)(deployments.Scale(ctx, key)); scale.Spec.Replicas != 4 || scale.Status.Selector != "app=x" {
		t.Errorf("%+v", scale)
	}
	must[*appsv1.Deployment](t)(deployments.Patch(ctx, key, kube.StrategicPatch([]byte(
		`{"spec":{"template":{"spec":{"containers":[{"name":"main","image":"other"}]}}}}`,
	))))
	_, err := client[corev1.ConfigMap](t, cluster, kube.ClientConfig{}).Scale(ctx, key)
	if !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), "no subresource scale") {
		t.Errorf("the scale of a config map: %v", err)
	}
	if _, err := jobs.Patch(ctx, key, kube.StrategicPatch([]byte(`{}`))); !apierrors.IsUnsupportedMediaType(err) || !strings.Contains(err.Error(), "merge patches") {
		t.Errorf("a strategic patch of a custom resource: %v", err)
	}
}

// twoWriters: two concurrent writers overwrite no change of each other.
func twoWriters(t *testing.T, cluster *kube.Cluster) {
	jobs := client[TrainJob](t, cluster, kube.ClientConfig{})
	must[*TrainJob](t)(jobs.Create(t.Context(), &TrainJob{ObjectMeta: named("counter")}))
	key := wire.Key{Namespace: "default", Name: "counter"}
	const writes = 25
	var work sync.WaitGroup
	calls := [2]int{}
	for w := range calls {
		work.Go(func() {
			for range writes {
				_, err := jobs.Mutate(t.Context(), key, func(j *TrainJob) error { calls[w]++; j.Spec.Workers++; return nil })
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	if got := must[*TrainJob](t)(jobs.Get(t.Context(), key)); got.Spec.Workers != 2*writes {
		t.Errorf("got %d writes, want %d", got.Spec.Workers, 2*writes)
	}
	t.Logf("%d conflicts", calls[0]+calls[1]-2*writes)
}

func deleteAll(t *testing.T, cluster *kube.Cluster) {
	ctx := t.Context()
	jobs := client[TrainJob](t, cluster, kube.ClientConfig{})
	maps := client[corev1.ConfigMap](t, cluster, kube.ClientConfig{})
	for i := range 6 {
		meta := named(fmt.Sprint("x-", i))
		meta.Labels = map[string]string{"half": fmt.Sprint(i % 2)}
		must[*TrainJob](t)(jobs.Create(ctx, &TrainJob{ObjectMeta: meta}))
		must[*corev1.ConfigMap](t)(maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: meta}))
	}
	told := 0
	ctx = kube.WithWrites(ctx, func(w kube.Written) { told++ })
	where := kube.Where{Namespace: "default", LabelSelector: "half=1"}
	a, errA := jobs.DeleteAll(ctx, where, kube.DeleteOptions{})
	b, errB := maps.DeleteAll(ctx, where, kube.DeleteOptions{})
	if err := errors.Join(errA, errB); a != 3 || b != 3 || told != 6 || err != nil {
		t.Errorf("deleted %d and %d, reported %d, %v", a, b, told, err)
	}
	where.LabelSelector = "half"
	left := must[[]*TrainJob](t)(kube.Collect(jobs.List(ctx, where)))
	others := must[[]*corev1.ConfigMap](t)(kube.Collect(maps.List(ctx, where)))
	if len(left) != 3 || len(others) != 3 || left[0].Labels["half"] != "0" || others[0].Labels["half"] != "0" {
		t.Errorf("%d and %d remain", len(left), len(others))
	}
}
