package crds

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// module is a Go module with definition files.
type module struct{ path, version, sum string }

var (
	trainingOperator = module{"github.com/kubeflow/training-operator", "v1.9.3", "h1:aaSHqskOtCY8Dn8sVd+l9p5XAczW6O0nYMPjVLAw/lc="}
	trainer          = module{"github.com/kubeflow/trainer/v2", "v2.0.0", "h1:mnQSR9iPKItxyUR8mq66XsmxqKNVHwr9YYOB7BTU9dU="}
	kuberay          = module{"github.com/ray-project/kuberay/ray-operator", "v1.4.2", "h1:A4tGzbIky8sInAUxZBdBb+rrpZ7fbqoxdsOtm559Zqg="}
	jobset           = module{"sigs.k8s.io/jobset", "v0.10.1", "h1:u8QKifNsrWVrlRFe6w2ofYTqFT9ma2DRHxfeB2m9xyU="}
	kueue            = module{"sigs.k8s.io/kueue", "v0.15.0", "h1:9Khzc2ne6/eWuZx5o+R4KlVBzh3kZkTIMzpPC2e8Spg="}
)

// dir returns the folder of the module in the module cache, and downloads it if
// necessary. The checksum is in the table instead of a go.sum: with one go.mod, the
// modules would determine each other's versions.
func (m module) dir(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", m.path+"@"+m.version)
	cmd.Dir = os.TempDir()
	cmd.Env = append(os.Environ(), "GOWORK=off", "GO111MODULE=on", "GOFLAGS=-mod=mod", "GOSUMDB=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, failed := cmd.Output()
	var got struct{ Dir, Sum, Error string }
	if err := json.Unmarshal(out, &got); err != nil || failed != nil || got.Error != "" {
		return "", fmt.Errorf("download %s@%s: %v %s %s", m.path, m.version, failed, got.Error, stderr.Bytes())
	}
	if got.Sum != m.sum {
		return "", fmt.Errorf("%s@%s has the checksum %s, want %s", m.path, m.version, got.Sum, m.sum)
	}
	return got.Dir, nil
}
