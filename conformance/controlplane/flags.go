package controlplane

import (
	"path/filepath"
	"strconv"
)

func etcdFlags(dir string, p ports) []string {
	client := "http://127.0.0.1:" + strconv.Itoa(p.etcd)
	peer := "http://127.0.0.1:" + strconv.Itoa(p.etcdPeer)
	return []string{
		"--name=vedette", "--data-dir=" + filepath.Join(dir, "etcd"),
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=vedette=" + peer,
		"--unsafe-no-fsync", // the data need not survive a crash of the machine
	}
}

func kineFlags(data string, p ports) []string {
	return []string{
		"--endpoint=sqlite://" + data + ".db?_journal=WAL&cache=shared&_busy_timeout=30000", "--listen-address=127.0.0.1:" + strconv.Itoa(p.etcd),
		"--metrics-bind-address=0", "--compact-interval=1s", "--compact-min-retain=100",
	}
}

func apiserverFlags(dir string, p ports) []string {
	key := filepath.Join(dir, "sa.key")
	return []string{
		"--etcd-servers=http://127.0.0.1:" + strconv.Itoa(p.etcd),
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(p.apiserver),
		"--cert-dir=" + dir,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + key, "--service-account-signing-key-file=" + key,
		"--authorization-mode=RBAC",
		"--token-auth-file=" + filepath.Join(dir, "tokens.csv"),
		"--service-cluster-ip-range=10.96.0.0/16",
		"--disable-admission-plugins=ServiceAccount",
		"--endpoint-reconciler-type=none", // the Service kubernetes cannot have an address of loopback
	}
}

func managerFlags(c *Cluster) []string {
	return []string{
		"--kubeconfig=" + c.Kubeconfig(),
		"--service-account-private-key-file=" + filepath.Join(c.dir, "sa.key"),
		"--root-ca-file=" + c.caFile(),
		"--leader-elect=false", "--use-service-account-credentials",
		"--kube-api-qps=500", "--kube-api-burst=1000", // the default makes hundreds of jobs wait
		"--bind-address=127.0.0.1", "--secure-port=" + strconv.Itoa(c.ports.manager),
	}
}

func schedulerFlags(c *Cluster) []string {
	return []string{
		"--kubeconfig=" + c.Kubeconfig(), "--leader-elect=false",
		"--kube-api-qps=500", "--kube-api-burst=1000",
		"--bind-address=127.0.0.1", "--secure-port=" + strconv.Itoa(c.ports.scheduler),
	}
}

func kwokFlags(c *Cluster) []string {
	return []string{
		"--kubeconfig=" + c.Kubeconfig(), "--config=" + c.bins.Stages,
		"--manage-all-nodes", "--server-address=127.0.0.1:" + strconv.Itoa(c.ports.kwok),
		// Without leases, the controller of nodes marks them and their pods as not ready after
		// 50 s, and the pods stay so.
		"--node-lease-duration-seconds=40",
	}
}
