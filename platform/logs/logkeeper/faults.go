package logkeeper

import "github.com/vedette-io/vedette/internal/faultlog"

// faults report the faults of a keeper, each once.
type faults struct {
	types, denied, owners, rights, nodes, room, database *faultlog.Reporter
}

func newFaults(cfg *Config) faults {
	report := func(begin, end string) *faultlog.Reporter {
		return &faultlog.Reporter{Fault: begin, Over: end, Logger: cfg.log, Attrs: []any{"cluster", cfg.ClusterName}}
	}
	return faults{
		types:    report("types of kept logs are not known", "types of kept logs are known"),
		denied:   report("owners of pods may not be read, so the jobs of kept logs are not known", "owners of pods may be read"),
		owners:   report("owners of pods cannot be read", "owners of pods are read again"),
		rights:   report("logs of pods may not be read", "logs of pods may be read"),
		nodes:    report("logs on a node cannot be read", "logs on all nodes are read again"),
		room:     report("more containers run than are followed", "all containers are followed"),
		database: report("logs cannot be written to the database", "logs are written to the database again"),
	}
}

// stop suppresses further reports.
func (f *faults) stop() {
	for _, r := range []*faultlog.Reporter{f.types, f.denied, f.owners, f.rights, f.nodes, f.room, f.database} {
		r.Stop()
	}
}
