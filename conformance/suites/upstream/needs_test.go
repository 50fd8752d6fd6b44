package upstream_test

// The copied tests import these modules, but no package that `go mod tidy` reads does.
import (
	_ "github.com/onsi/ginkgo/v2"
	_ "github.com/onsi/gomega"
	_ "github.com/stretchr/testify/assert"
	_ "github.com/stretchr/testify/require"
	_ "github.com/vedette-io/vedette/compat/clientgo/metadata/metadatainformer"
	_ "github.com/vedette-io/vedette/compat/clientgo/util/workqueue"
	_ "go.uber.org/goleak"
	_ "k8s.io/klog/v2/ktesting"
	_ "k8s.io/utils/clock/testing"
	_ "sigs.k8s.io/controller-runtime/pkg/controller/controllertest"
	_ "sigs.k8s.io/controller-runtime/pkg/envtest"
	_ "sigs.k8s.io/controller-runtime/pkg/log/zap"
	_ "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)
