package e2e_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	authv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
)

const crowdGroup = "crowd.example.com"

// crowd are the types of a cluster with many: type-0000s.crowd.example.com and so on.
type crowd struct {
	t       *testing.T
	objects dynamic.Interface
}

func crowdName(i int) string { return fmt.Sprintf("type%04ds", i) }

// define creates the definition of a type.
func (c crowd) define(ctx context.Context, i int) error {
	kind := fmt.Sprintf("Type%04d", i)
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": crowdName(i) + "." + crowdGroup},
		"spec": map[string]any{
			"group": crowdGroup, "scope": "Namespaced",
			"names": map[string]any{"plural": crowdName(i), "singular": strings.ToLower(kind), "kind": kind, "listKind": kind + "List"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
			}},
		},
	}}
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	_, err := c.objects.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{})
	return err
}

// defineAll creates the definitions of n types, four at a time, and waits until they are served.
func (c crowd) defineAll(n int) {
	c.t.Helper()
	next := make(chan int)
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for i := range next {
				if err := c.define(c.t.Context(), i); err != nil {
					c.t.Error(err)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	work.Wait()
	served := 0
	patience.Work(c.t, "the types are served", func() (int64, string) {
		for ; served < n; served++ {
			if _, err := c.of(served).List(c.t.Context(), metav1.ListOptions{}); err != nil {
				return int64(served), err.Error()
			}
		}
		return int64(n), ""
	})
}

func (c crowd) of(i int) dynamic.ResourceInterface {
	return c.objects.Resource(schema.GroupVersionResource{Group: crowdGroup, Version: "v1", Resource: crowdName(i)}).Namespace("default")
}

// create creates an object of a type.
func (c crowd) create(i int, name string) {
	c.t.Helper()
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": crowdGroup + "/v1", "kind": fmt.Sprintf("Type%04d", i), "metadata": map[string]any{"name": name}}}
	if _, err := c.of(i).Create(c.t.Context(), o, metav1.CreateOptions{}); err != nil {
		c.t.Fatal(err)
	}
}

// onlySome returns the kubeconfig of an account that may list and watch some types.
func onlySome(t *testing.T, c *controlplane.Cluster, client kubernetes.Interface, types ...string) string {
	t.Helper()
	ctx := t.Context()
	_, err := client.CoreV1().ServiceAccounts("default").Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "some"}}, metav1.CreateOptions{})
	if err == nil {
		_, err = client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
			ObjectMeta: metav1.ObjectMeta{Name: "some"}, Rules: []rbacv1.PolicyRule{
				{APIGroups: []string{crowdGroup}, Resources: types, Verbs: []string{"list", "watch"}},
				{APIGroups: []string{""}, Resources: []string{"namespaces"}, ResourceNames: []string{"kube-system"}, Verbs: []string{"get"}},
			},
		}, metav1.CreateOptions{})
	}
	if err == nil {
		_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "some"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "some"},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "default", Name: "some"}},
		}, metav1.CreateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	token, err := client.CoreV1().ServiceAccounts("default").CreateToken(ctx, "some", &authv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := clientcmd.LoadFromFile(c.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range cfg.AuthInfos {
		who.Token = token.Status.Token
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*cfg, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestManyTypes: a cluster has 1,000 custom resources, and an account has rights for two of
// them in all namespaces. `vedette watch -A` prints each change of these two. It names a type
// that it may not see, and ends. `vedette record -A --wait-for-types` records what it may see,
// and names the other types.
func TestManyTypes(t *testing.T) {
	n := testinput.Size(t, 12, 1000)
	path := gobuild.Program(t, gobuild.Vedette)
	c := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly})
	client, objects := kubernetes.NewForConfigOrDie(c.RESTConfig()), dynamic.NewForConfigOrDie(c.RESTConfig())
	all := crowd{t, objects}
	all.defineAll(n)
	seen, unseen := []int{3, n - 1}, []int{4, n / 2}
	config := onlySome(t, c, client, crowdName(seen[0]), crowdName(seen[1]))
	both := append(seen, unseen...)
	var names []string
	for _, i := range both {
		names = append(names, crowdName(i)+"."+crowdGroup)
		all.create(i, "first")
	}
	url := "sqlite:" + filepath.Join(t.TempDir(), "history.db")
	r := run(t, path, "record", strings.Join(names, ","), "-A", "--kubeconfig", config, "--db", url, "--wait-for-types")
	v := watch(t, path, strings.Join(names[:len(seen)], ","), "-A", "--kubeconfig", config, "--output-watch-events", "-o", "jsonpath="+template)
	v.until("the objects that exist", func(changes []change, _ []string) bool { return len(changes) == len(seen) })
	recorded(t, url, "first", names[:len(seen)]...)
	for _, i := range both {
		all.create(i, "second")
	}
	v.until("the new objects", func(changes []change, _ []string) bool { return len(changes) == 2*len(seen) })
	v.interrupt()
	recorded(t, url, "second", names[:len(seen)]...)
	for _, name := range names[len(seen):] {
		r.until("it says that "+name+" is not recorded", func(_ []change, said []string) bool {
			return lines(said, "not recorded yet: no rights: may not list and watch "+name) == 1
		})
	}
	r.interrupt()
	out, err := exec.Command(path, "watch", names[0]+","+names[len(seen)], "-A", "--kubeconfig", config).CombinedOutput()
	if err == nil || !strings.Contains(string(out), names[len(seen)]+" is forbidden") {
		t.Errorf("a watch of a type without rights: %v\n%s", err, out)
	}
}

// recorded waits until a history has the object with a name of each of the types, and of no
// other type.
func recorded(t *testing.T, url, name string, types ...string) {
	t.Helper()
	want := []string{}
	for _, of := range types {
		want = append(want, of+" "+name)
	}
	patience.Until(t, "the recorded objects", func() string {
		db, err := sqldb.Open(t.Context(), url)
		if err != nil {
			return err.Error()
		}
		defer db.Close()
		objects, err := history.New(db).ListObjects(t.Context(), history.Filter{}, history.Paging{Limit: 1000})
		if err != nil {
			return err.Error()
		}
		got := []string{}
		for _, o := range objects.Items {
			if o.Name == name {
				got = append(got, o.Type.String()+" "+name)
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			return fmt.Sprintf("got %q, want %q", got, want)
		}
		return ""
	})
}
