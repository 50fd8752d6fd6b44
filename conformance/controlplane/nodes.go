package controlplane

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// createNodes creates the nodes that kwok simulates.
func (c *Cluster) createNodes(ctx context.Context) error {
	for i := range max(c.opts.Nodes, 0) {
		node := newNode(fmt.Sprintf("node-%d", i), c.opts.KubeletPort)
		err := c.await(ctx, "does not accept nodes", func(ctx context.Context, client kubernetes.Interface) error {
			_, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
			if apierrors.IsAlreadyExists(err) {
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// makeNodes creates the nodes, and waits until they are ready and the controllers work.
func (c *Cluster) makeNodes(ctx context.Context) error {
	if err := c.createNodes(ctx); err != nil {
		return err
	}
	kwok := c.others[len(c.others)-1] // its log shows why a node is not ready
	return c.awaitOf(ctx, c.RESTConfig, kwok, "has no ready nodes, or there are no controllers", func(ctx context.Context, client kubernetes.Interface) error {
		// The controller manager creates it in every namespace.
		if _, err := client.CoreV1().ConfigMaps("default").Get(ctx, "kube-root-ca.crt", metav1.GetOptions{}); err != nil {
			return err
		}
		nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for i := range nodes.Items {
			if err := usable(&nodes.Items[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// usable returns an error unless pods can be scheduled to the node.
func usable(node *corev1.Node) error {
	for _, t := range node.Spec.Taints {
		if t.Effect == corev1.TaintEffectNoSchedule {
			return fmt.Errorf("node %s has the taint %s", node.Name, t.Key)
		}
	}
	for _, cond := range node.Status.Conditions {
		if cond.Type == corev1.NodeReady && cond.Status == corev1.ConditionTrue {
			return nil
		}
	}
	return fmt.Errorf("node %s is not ready", node.Name)
}

// newNode returns a node. With a port, its status has the address of a kubelet; kwok does
// not change it.
func newNode(name string, kubelet int) *corev1.Node {
	room := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("64"),
		corev1.ResourceMemory: resource.MustParse("256Gi"),
		corev1.ResourcePods:   resource.MustParse("1000"),
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name}},
		Status:     corev1.NodeStatus{Capacity: room, Allocatable: room},
	}
	if kubelet != 0 {
		node.Status.Addresses = []corev1.NodeAddress{
			{Type: corev1.NodeInternalIP, Address: "127.0.0.1"}, {Type: corev1.NodeHostName, Address: "127.0.0.1"},
		}
		node.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(kubelet)
	}
	return node
}
