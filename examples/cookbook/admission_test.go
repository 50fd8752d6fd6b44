package cookbook

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vedette-io/vedette/manager"
	"github.com/vedette-io/vedette/webhook"
)

func admission(m *manager.Manager, certificates string) error {
	server, err := webhook.New(webhook.Config{
		Listen:   ":9443",
		CertFile: filepath.Join(certificates, "tls.crt"), // read again when it changes
		KeyFile:  filepath.Join(certificates, "tls.key"),
	})
	if err != nil {
		return err
	}
	err = server.Handle("/trainjob", webhook.Mutate(func(_ context.Context, r *webhook.Request[TrainJob]) error {
		switch {
		case r.Object.Spec.Replicas == 0:
			r.Object.Spec.Replicas = 1 // becomes a patch; fields that TrainJob lacks stay
		case r.Object.Spec.Replicas > 100:
			return webhook.Deny("spec.replicas is %d; at most 100 are allowed", r.Object.Spec.Replicas)
		}
		return nil
	}))
	if err != nil {
		return err
	}
	if err := m.AddServer("webhooks", server.Run); err != nil {
		return err
	}
	return m.AddCheck("webhooks", server.Ready)
}

func Example_admission() {
	cook(func(k kitchen) error {
		dir, err := os.MkdirTemp("", "vedette")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if _, err := webhook.SelfSigned(dir, "webhooks.ml.svc"); err != nil { // in a cluster, cert-manager writes the files
			return err
		}
		m, err := manager.New(manager.Config{Name: "webhooks", Kube: kubeOf(k), Listen: manager.NoListen})
		if err != nil {
			return err
		}
		if err := admission(m, dir); err != nil {
			return err
		}
		fmt.Println(m.Ready(k.ctx))
		return nil
	})
	// Output: webhooks: webhook: the server does not listen
}
