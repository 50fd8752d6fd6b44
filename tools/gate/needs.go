package main

import "slices"

// sqlPackages contain SQL, so they are tested on each kind of database. A test of
// internal/policy finds packages with SQL that are not listed.
var sqlPackages = []string{
	"platform/sqldb", "platform/internal/model", "platform/world/modeltest", "platform/internal/bodies", "platform/internal/batch", "platform/record", "platform/record/shard",
	"platform/feed", "platform/history", "platform/retention", "platform/logs/joblog", "platform/record/recordtest", "platform/notify/delivery", "platform/portal/audit", "platform/erase",
}

// smokeDir is the package that goes through all parts in one process.
const smokeDir = "conformance/smoke"

// nightlyOnly reports whether only the nightly run has a package of conformance.
func nightlyOnly(q *pkg) bool {
	return slices.Contains([]string{
		"conformance/swap", "conformance/dropin", "conformance/clock", "conformance/record/failover", "conformance/record/fleet",
		"conformance/record/clocks", "conformance/record/soak", "conformance/followers/slow",
	}, q.dir)
}

// Inputs that many packages have.
var (
	cluster = []string{"conformance/build"} // the versions of the control plane's programs
	started = append([]string{"go:cmd/vedette"}, cluster...)
)

// declared are the inputs of packages whose tests start programs or read files outside of
// their module, beside their sources; see inputs.needs. A package without a row
// depends on the whole tree.
var declared = map[string][]string{
	// Tests that start the test binary again read nothing else.
	"informer/internal/crash": {}, "internal/filelock": {}, "internal/oscompat": {}, "platform/notify/crash": {}, "kube/internal/network": {},
	"compat/clientgo/internal/crash": {}, "compat/clientgo/util/workqueue": {}, "internal/swap": {}, "platform/submit/template/hostile": {}, "platform/portal/livestream": {},
	"platform/portal/api": {"platform/portal/ui"},
	"platform/history":    {"deploy/grafana"}, "platform/notify/config": {"docs/notifications.md", "examples/record"}, "platform/portal/insight": {"job/testdata"},
	"platform/sqldb": {"docs/schema.md"}, "platform/submit": {"deploy/submitters.yaml"}, "platform/submit/template": {"docs/templates.md", "examples/submit"},
	"examples/cookbook": {"docs/cookbook.md"},
	"examples":          {"go:examples/nodes", "go:examples/podcontroller", "go:examples/jobs", "go:examples/trainjob", "go:examples/stream"},
	"cmd/vedette":       {"README.md", "CHANGELOG.md", "docs", "deploy", "examples", "internal", "job", "platform"},

	// Tests in the process.
	"conformance/differential": {}, "conformance/hostile": {}, "conformance/outcome": {}, "conformance/dice": {},
	"conformance/suites/bridge": {}, "conformance/suites/contract": {}, "conformance/suites/mutation": {},
	"conformance/smoke":        {"platform/portal/ui/dist", "run:chromium"},
	"conformance/gobuild":      {"go:platform/portal/ui/build"},
	"compat/controllerruntime": {}, "bench/contest": {}, "bench/measure": {}, "bench/workload": {}, "bench/serve": {}, "bench/portal": {},
	"bench": {"go:cmd/vedette"},

	// Tests on a control plane.
	"conformance/answers": append([]string{"apitest/testdata"}, cluster...), "conformance/apply": cluster, "conformance/cancel": cluster, "conformance/cbor": cluster, "conformance/chaos": cluster, "conformance/clients": cluster,
	"conformance/controlplane": cluster, "conformance/crds": cluster, "conformance/engine": cluster, "conformance/followers": cluster, "conformance/followers/slow": append([]string{"conformance/kine"}, cluster...), "conformance/tunnel": cluster,
	"conformance/webhook": cluster, "conformance/record/rights": cluster,
	"conformance/controller":   append([]string{"go:examples/nodes", "go:examples/podcontroller", "go:examples/jobs", "go:examples/trainjob"}, cluster...),
	"conformance/migrating":    append([]string{"examples/migrating", "go:compat/clientgo", "go:compat/clientgo/informers", "go:compat/clientgo/dynamic/dynamicinformer", "go:controller", "go:manager"}, cluster...),
	"conformance/notify":       append([]string{"run:exim4"}, cluster...),
	"conformance/portalrights": append([]string{"deploy"}, cluster...),
	"conformance/template":     append([]string{"examples/submit"}, cluster...),

	// Tests that start the program.
	"conformance/deploy": append([]string{"deploy", "Dockerfile", "run:promtool", "run:prometheus-alertmanager"}, started...),
	"conformance/e2e":    started, "conformance/logs": started, "conformance/submit": started, "conformance/portal/shown": started, "conformance/portal/why": started,
	"conformance/portal/jobs":  append([]string{"run:chromium"}, started...),
	"conformance/portal/pages": {"go:platform/portal/ui/fixture", "platform/portal/ui/package-lock.json", "docs/images", "run:chromium"},
	"conformance/record/kills": started, "conformance/record/window": started, "conformance/record/notified": started, "conformance/record/sharing": started,
	"conformance/record/failover": started, "conformance/record/freshness": started, "conformance/record/fleet": started, "conformance/record/clocks": started, "conformance/record/soak": started,
}

func needsOf(q *pkg) []string {
	if needs, ok := declared[q.dir]; ok {
		return needs
	}
	return []string{"."}
}
