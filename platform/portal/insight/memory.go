package insight

import (
	"fmt"

	"github.com/vedette-io/vedette/job"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// repairOf proposes a larger memory limit for a container that used all of its memory: 1.5 times
// the limit, because the real need is unknown. It returns nil if the limit is unknown.
func repairOf(e *job.Ending) *api.MemoryRepair {
	if job.Memory(e.Memory) == "" {
		return nil
	}
	asked := fmt.Sprint(e.Memory)
	limit := quantity("memory", asked)
	if e.Cause != job.CauseOOMKilled || limit <= 0 || limit > maxAmount/2 {
		return nil
	}
	return &api.MemoryRepair{Container: e.Container, Limit: asked, Proposed: roomier(limit)}
}

// roomier returns 1.5 times a number of bytes, rounded up: to GiB from 8 GiB on, otherwise to
// MiB.
func roomier(bytes int64) string {
	const mib, gib = 1 << 20, 1 << 30
	more := bytes + bytes/2
	if more >= 8*gib {
		return fmt.Sprintf("%dGi", (more+gib-1)/gib)
	}
	if more%gib == 0 {
		return fmt.Sprintf("%dGi", more/gib)
	}
	return fmt.Sprintf("%dMi", (more+mib-1)/mib)
}
