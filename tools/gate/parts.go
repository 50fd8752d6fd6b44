package main

// part is a part of the nightly run: a target of the Makefile that takes less than 25
// minutes on two cores.
type part struct {
	name    string
	target  []string // arguments of make
	modules []string // whose packages are inputs
	needs   []string // other inputs; see inputs.needs
}

// Inputs that several parts have.
var (
	library     = []string{"."}
	program     = unitModules
	withCluster = append([]string{"conformance"}, unitModules...)
	servers     = []string{"run:postgres", "run:pgbouncer", "run:mariadbd"}
	controlled  = []string{"conformance/build", "deploy", "run:postgres", "run:mariadbd"}
	pages       = []string{"conformance/build", "deploy", "platform/portal/ui", "docs", "examples", "run:postgres", "run:mariadbd", "run:exim4", "run:chromium", "run:promtool", "run:node"}
)

// recordPackages and platformPackages are the modules of go.work in two parts. The root module
// is the third: libraryPackages.
const (
	libraryPackages  = "./..."
	recordPackages   = "./platform/sqldb/... ./platform/internal/... ./platform/feed ./platform/history ./platform/rules ./platform/jobindex ./platform/logs/... ./platform/retention ./platform/record/... ./platform/send/... ./platform/world/..."
	platformPackages = "./platform/notify/... ./platform/portal/... ./platform/submit/... ./platform/metrics/... ./cmd/vedette/... ./examples/..."
)

// parts are the nightly run, in its order: what finds most faults in a minute comes first.
var parts = []part{
	{"databases-postgres", []string{"databases", "D=postgres"}, program, servers},
	{"databases-mariadb", []string{"databases", "D=mariadb"}, program, servers},
	{"databases-pgbouncer", []string{"databases", "D=pgbouncer"}, program, servers},
	{"shuffle-library", []string{"shuffle", "P=" + libraryPackages}, library, nil},
	{"shuffle-record", []string{"shuffle", "P=" + recordPackages}, program, nil},
	{"shuffle-platform", []string{"shuffle", "P=" + platformPackages}, program, nil},
	{"full-library", []string{"full", "P=" + libraryPackages}, library, nil},
	{"full-record", []string{"full", "P=" + recordPackages}, program, nil},
	{"full-platform", []string{"full", "P=" + platformPackages}, program, nil},
	{"models", []string{"models"}, program, nil},
	{"queries", []string{"queries"}, program, servers},
	{"fuzz-library", []string{"fuzz", "P=wire internal/jsontext internal/pack store webhook"}, library, nil},
	{"fuzz-platform", []string{"fuzz", "P=internal/printable job platform/submit/manifest platform/submit/template job/jobfilter platform/send/jobtrace platform/notify/rule platform/notify/config platform/notify/channel platform/notify/channel/feishu platform/notify/channel/slack"}, program, nil},
	{"clientgo033", []string{"versions", "K=0.33.13"}, library, []string{"tools/versions"}},
	{"clientgo034", []string{"versions", "K=0.34.13"}, library, []string{"tools/versions"}},
	{"clientgo035", []string{"versions", "K=0.35.10"}, library, []string{"tools/versions"}},
	{"clientgo036", []string{"versions", "K=0.36.6"}, library, []string{"tools/versions"}},
	{"clientgo037", []string{"versions", "K=0.37.2"}, library, []string{"tools/versions"}},
	{"go125", []string{"versions", "G=1.25.0"}, library, []string{"tools/versions"}},
	{"runtime021", []string{"versions", "R=0.21.0"}, library, []string{"compat/controllerruntime", "tools/versions"}},
	{"runtime022", []string{"versions", "R=0.22.5"}, library, []string{"compat/controllerruntime", "tools/versions"}},
	{"runtime023", []string{"versions", "R=0.23.3"}, library, []string{"compat/controllerruntime", "tools/versions"}},
	{"runtime024", []string{"versions", "R=0.24.1"}, library, []string{"compat/controllerruntime", "tools/versions"}},
	{"runtime025", []string{"versions", "R=0.25.2"}, library, []string{"compat/controllerruntime", "tools/versions"}},
	{"windows-amd64", []string{"platforms", "P=windows/amd64"}, program, nil},
	{"windows-arm64", []string{"platforms", "P=windows/arm64"}, program, nil},
	{"darwin-amd64", []string{"platforms", "P=darwin/amd64"}, program, nil},
	{"darwin-arm64", []string{"platforms", "P=darwin/arm64"}, program, nil},
	{"linux-arm64", []string{"platforms", "P=linux/arm64"}, program, nil},
	{"conformance-sqlite", []string{"conformance", "D=sqlite"}, withCluster, pages},
	{"conformance-postgres", []string{"conformance", "D=postgres"}, withCluster, pages},
	{"conformance-mariadb", []string{"conformance", "D=mariadb"}, withCluster, pages},
	{"pages", []string{"pages"}, withCluster, pages},
	{"stress", []string{"stress", "T=20m"}, program, nil},
	{"suites", []string{"suites"}, []string{".", "conformance", "conformance/suites"}, nil},
	{"chaos", []string{"chaos"}, withCluster, controlled},
	{"followers", []string{"followers"}, withCluster, append([]string{"conformance/kine"}, controlled...)},
	{"kubernetes-128", []string{"kubernetes", "V=1.28.15"}, withCluster, controlled},
	{"kubernetes-130", []string{"kubernetes", "V=1.30.14"}, withCluster, controlled},
	{"kubernetes-132", []string{"kubernetes", "V=1.32.2"}, withCluster, controlled},
	{"kubernetes-133", []string{"kubernetes", "V=1.33.13"}, withCluster, controlled},
	{"kubernetes-134", []string{"kubernetes", "V=1.34.4"}, withCluster, controlled},
	{"kubernetes-135", []string{"kubernetes", "V=1.35.4"}, withCluster, controlled},
	{"kubernetes-137", []string{"kubernetes", "V=1.37.2"}, withCluster, controlled},
	{"large", []string{"large"}, withCluster, controlled},
	{"hostile-1", []string{"hostile", "HOSTILE=20m", "SEED=1"}, withCluster, nil},
	{"hostile-2", []string{"hostile", "HOSTILE=20m", "SEED=2"}, withCluster, nil},
	{"hostile-3", []string{"hostile", "HOSTILE=20m", "SEED=3"}, withCluster, nil},
	{"kubectl", []string{"kubectl"}, library, []string{"conformance/kubectl"}},
	{"dialect", []string{"dialect"}, program, []string{"conformance/dialect"}},
	{"swap", []string{"swap"}, withCluster, controlled},
	{"dropin", []string{"dropin"}, withCluster, controlled},
	{"certmanager", []string{"controllers", "P=certmanager"}, withCluster, []string{"compat", "conformance/build", "conformance/controllers"}},
	{"clusterapi", []string{"controllers", "P=clusterapi"}, withCluster, []string{"compat", "conformance/build", "conformance/controllers"}},
	{"keda", []string{"controllers", "P=keda"}, withCluster, []string{"compat", "conformance/build", "conformance/controllers"}},
	{"image", []string{"image"}, withCluster, []string{"deploy", "Dockerfile", "tools/image.sh", "run:buildah"}},
	{"clocks", []string{"clocks"}, withCluster, controlled},
	{"kills-sqlite", []string{"kills", "D=sqlite"}, withCluster, controlled},
	{"kills-postgres", []string{"kills", "D=postgres"}, withCluster, controlled},
	{"kills-mariadb", []string{"kills", "D=mariadb"}, withCluster, controlled},
	{"shared-sqlite", []string{"shared", "D=sqlite"}, withCluster, controlled},
	{"shared-postgres", []string{"shared", "D=postgres"}, withCluster, controlled},
	{"shared-mariadb", []string{"shared", "D=mariadb"}, withCluster, controlled},
	{"fleet-sqlite", []string{"fleet", "D=sqlite"}, withCluster, controlled},
	{"fleet-postgres", []string{"fleet", "D=postgres"}, withCluster, controlled},
	{"fleet-mariadb", []string{"fleet", "D=mariadb"}, withCluster, controlled},
	{"loads", []string{"loads"}, withCluster, controlled},
	{"galera", []string{"galera"}, withCluster, controlled},
	{"many-sqlite", []string{"many", "D=sqlite"}, program, servers},
	{"many-postgres", []string{"many", "D=postgres"}, program, servers},
	{"many-mariadb", []string{"many", "D=mariadb"}, program, servers},
	{"latency", []string{"latency"}, withCluster, pages},
	{"soak-sqlite", []string{"soak", "D=sqlite"}, withCluster, controlled},
	{"soak-postgres", []string{"soak", "D=postgres"}, withCluster, controlled},
	{"soak-mariadb", []string{"soak", "D=mariadb"}, withCluster, controlled},
}
