package policy

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// module is the path of the root module.
const module = "github.com/vedette-io/vedette"

// Table lists the imports that each of our packages may have, in the order of the data
// flow: a package may only name packages above it. "planned" marks packages that do not
// exist yet. docs/architecture.md has the same table for people.
const Table = `
.:
errcode:
internal/oscompat:
internal/filelock:
internal/stacktrace:
internal/pause:
internal/nearest:
internal/buckets:
internal/framed:
internal/testinput:
internal/patience:
internal/printable:
internal/table: internal/printable
internal/jsontext:
internal/pack:
wire: internal/jsontext internal/nearest
delta: wire
kube: errcode internal/oscompat internal/printable wire internal/pause internal/nearest
reflector: wire delta
store: internal/framed internal/pack internal/stacktrace wire delta
jobmeta:
state: jobmeta
internal/jobspec: jobmeta
internal/lifestrip: state
internal/faultlog:
internal/clusterid: wire reflector
informer: errcode wire delta kube reflector store state internal/faultlog internal/clusterid internal/pause internal/buckets
workqueue: internal/buckets
controller: wire kube store internal/faultlog informer workqueue internal/pause
metrics: informer workqueue controller
internal/graceful:
manager: kube informer controller metrics internal/graceful
events: kube internal/faultlog internal/pause
webhook: internal/stacktrace internal/faultlog internal/graceful
internal/yamlfile:
rules: state internal/yamlfile
record/sqldb: internal/oscompat internal/filelock internal/faultlog
record/internal/model: wire state record/sqldb
record/internal/bodies: internal/pack wire record/sqldb record/internal/model
record/internal/modeltest: wire state internal/testinput internal/patience record/sqldb record/internal/model record/internal/bodies
record/historytest: wire record/internal/modeltest
record/feed: wire state internal/faultlog record/sqldb record/internal/model internal/pause
record/history: wire jobmeta state internal/jobspec record/sqldb record/internal/model record/internal/bodies
record/joblog: wire record/sqldb internal/pause
record/retention: wire state record/sqldb record/internal/model record/joblog internal/pause
record/shard: wire internal/faultlog record/sqldb record/internal/model
record/internal/observe: internal/jsontext wire delta kube jobmeta state internal/jobspec record/internal/model
record/internal/batch: wire state record/sqldb record/internal/model record/internal/bodies record/internal/observe
record/internal/spool: internal/filelock internal/framed wire delta
record: wire delta kube reflector state internal/faultlog internal/clusterid record/sqldb record/internal/model record/internal/bodies record/feed record/shard record/internal/observe record/internal/batch record/internal/spool internal/pause internal/buckets
record/logkeeper: wire delta kube reflector store jobmeta state internal/faultlog internal/clusterid informer record/sqldb record/joblog internal/pause internal/buckets
record/jobtrace: state internal/jobspec internal/faultlog record/sqldb record/internal/model record/feed record/history internal/pause
record/recordmetrics: record/shard record record/logkeeper record/jobtrace
notify/message: internal/printable state
notify/channel: notify/message
notify/channel/channeltest: state notify/message notify/channel
notify/channel/webhook: state notify/message notify/channel
notify/channel/email: state notify/message notify/channel
notify/channel/feishu: state notify/message notify/channel
notify/channel/dingtalk: notify/message notify/channel
notify/channel/wecom: state notify/message notify/channel
notify/channel/slack: notify/message notify/channel
notify/channel/teams: state notify/message notify/channel
notify/channel/pagerduty: notify/message notify/channel
notify/channel/opsgenie: notify/message notify/channel
notify/channel/shoutrrr: notify/message notify/channel internal/pause
notify/channel/event: kube notify/message notify/channel
notify/channel/stdout: internal/printable state notify/message notify/channel
notify/rule: internal/printable state notify/message
notify/config: internal/oscompat kube state internal/yamlfile notify/message notify/channel notify/channel/webhook notify/channel/email notify/channel/feishu notify/channel/dingtalk notify/channel/wecom notify/channel/slack notify/channel/teams notify/channel/pagerduty notify/channel/opsgenie notify/channel/shoutrrr notify/channel/event notify/channel/stdout notify/rule
notify/facts: wire jobmeta state internal/jobspec record/sqldb record/feed record/history record/joblog notify/message
notify/delivery: state record/sqldb notify/channel
notify: wire jobmeta state internal/jobspec internal/faultlog record/sqldb record/feed record/history record/joblog notify/message notify/channel notify/rule notify/config notify/facts notify/delivery internal/buckets
notify/notifymetrics: notify/delivery notify
stream: wire state record/sqldb record/feed record/history internal/pause internal/nearest
stream/streamtest: stream internal/patience
stream/jetstream: stream
stream/kafka: stream
stream/streammetrics: stream
export: record/sqldb record/history stream
export/s3: export
submit/manifest: internal/printable kube internal/yamlfile
submit/template: internal/printable wire kube jobmeta internal/yamlfile submit/manifest
submit: errcode internal/oscompat internal/printable wire kube jobmeta state internal/jobspec submit/manifest
submit/logs: errcode internal/printable wire kube store jobmeta state informer record/joblog submit internal/pause
compat/internal/hidden:
compat/internal/queue: workqueue compat/internal/hidden
compat/clientgo/util/workqueue: workqueue compat/internal/queue
compat/clientgo/internal/tunnel: wire kube
compat/clientgo/internal/reach: compat/internal/hidden compat/clientgo/internal/tunnel
compat/clientgo/internal/informerset:
compat/clientgo/internal/mirror:
compat/clientgo: internal/table wire kube reflector store internal/faultlog informer compat/internal/hidden compat/clientgo/internal/tunnel
compat/clientgo/tools/cache: compat/clientgo
compat/clientgo/informers: compat/clientgo/internal/reach compat/clientgo/internal/informerset compat/clientgo
compat/clientgo/dynamic/dynamicinformer: compat/clientgo/internal/reach compat/clientgo/internal/informerset compat/clientgo
compat/clientgo/metadata/metadatainformer: compat/clientgo/internal/reach compat/clientgo/internal/informerset compat/clientgo
internal/linediff:
internal/objectyaml:
apitest: wire internal/linediff internal/objectyaml
record/recordtest: wire kube reflector state internal/testinput internal/patience record/sqldb record/feed record/history record/retention record apitest
internal/dbtest: internal/testinput internal/patience
internal/policy:
internal/gotool:
internal/swap: internal/gotool
internal/scaffold: kube internal/gotool
record/jobfilter: state
record/jobindex: wire jobmeta state internal/jobspec internal/faultlog record/sqldb record/internal/model record/internal/bodies record/feed record/history record/jobfilter
record/jobindex/indextest: wire state record/history record/jobindex
record/recordworld: wire state internal/jobspec record/sqldb record/internal/model record/jobindex record/jobindex/indextest
portal/api:
portal/web: errcode internal/oscompat wire kube record/sqldb submit portal/api
portal/identity: internal/faultlog portal/api portal/web
portal/access: internal/printable wire kube state internal/faultlog informer submit portal/api portal/identity
portal/audit: record/sqldb portal/api portal/identity
portal/jobview: wire kube jobmeta state internal/jobspec record/sqldb record/feed record/history record/joblog notify/delivery submit/logs internal/linediff internal/objectyaml record/jobfilter record/jobindex portal/api
portal/livestream: state internal/faultlog record/sqldb record/feed record/jobindex portal/api portal/web portal/identity portal/access portal/jobview
portal/stats: jobmeta state internal/jobspec record/sqldb record/feed record/history record/jobfilter record/jobindex portal/api portal/jobview
portal/insight/words: internal/jobspec
portal/insight/likely:
portal/insight: wire kube jobmeta state internal/jobspec record/sqldb record/feed record/history record/joblog record/jobfilter record/jobindex portal/api portal/jobview portal/insight/words portal/insight/likely
portal/readapi: wire kube jobmeta state internal/jobspec internal/faultlog record/sqldb record/feed record/history record/joblog notify/message notify/channel notify/config notify/delivery submit submit/logs internal/linediff record/jobfilter record/jobindex portal/api portal/web portal/identity portal/access portal/audit portal/jobview portal/livestream portal/stats portal/insight
portal/writeapi: errcode internal/printable wire kube jobmeta state internal/jobspec internal/faultlog record/sqldb record/feed record/history notify/message notify/channel notify/config notify/delivery submit/manifest submit/template submit internal/objectyaml record/jobindex portal/api portal/web portal/identity portal/access portal/audit portal/jobview portal/insight
portal/ui: portal/api
portal/ui/build:
portal/ui/fixture: wire jobmeta submit/template record/jobfilter portal/api portal/jobview portal/ui
portal/client: portal/api internal/pause
portal/records: wire state record/history portal/api portal/client
portal/recordapi: wire state record/sqldb record/history submit portal/api portal/web portal/access portal/jobview portal/records
portal: wire kube state internal/faultlog record/sqldb record/feed record/history record/joblog notify/config notify/delivery submit/template submit record/jobfilter record/jobindex portal/api portal/web portal/identity portal/access portal/audit portal/jobview portal/livestream portal/stats portal/insight portal/readapi portal/writeapi portal/ui portal/recordapi
internal/timeout:
internal/console: internal/printable
internal/units:
internal/explain: internal/oscompat internal/printable kube record/sqldb portal/api portal/client
internal/listing: internal/printable internal/table state internal/objectyaml internal/console
internal/invocation:
internal/httpserver: internal/printable portal/web portal/identity internal/console internal/explain
internal/settings: internal/yamlfile wire record/sqldb record internal/timeout
internal/watchview: internal/printable internal/table kube reflector store state informer rules internal/objectyaml internal/timeout internal/console internal/units internal/listing
internal/deliveryview: internal/printable record/sqldb notify/message notify/channel/stdout notify/delivery internal/console internal/units internal/listing
internal/preflight: errcode internal/oscompat internal/printable wire kube record/sqldb record/feed record/joblog record notify/channel notify/rule notify/config notify/delivery internal/timeout internal/units internal/explain internal/settings internal/deliveryview
internal/demo: kube store jobmeta state informer record/sqldb record/feed record/history record/joblog record record/logkeeper notify/message notify/channel notify/config notify/delivery notify apitest portal/access portal internal/timeout internal/console internal/units internal/listing internal/invocation internal/httpserver internal/settings internal/watchview internal/deliveryview internal/pause
internal/tokenstore: internal/oscompat internal/printable kube internal/units
internal/source: wire kube record/sqldb record/history portal/client portal/records internal/units internal/settings internal/tokenstore
internal/joblist: internal/printable wire kube state internal/jobspec internal/lifestrip record/history submit internal/console internal/units internal/explain internal/listing internal/source
internal/portaljobs: kube state record/history submit/manifest submit internal/objectyaml portal/api portal/client portal/records internal/console internal/explain internal/source internal/joblist
internal/ruletext: notify/rule internal/units internal/listing
cmd/vedette: internal/oscompat internal/printable internal/table wire kube store jobmeta state internal/jobspec internal/lifestrip informer rules record/sqldb record/feed record/history record/joblog record/retention record/shard record record/logkeeper record/jobtrace record/recordmetrics notify/message notify/rule notify/config notify/delivery notify notify/notifymetrics stream stream/jetstream stream/kafka stream/streammetrics export export/s3 submit/manifest submit/template submit submit/logs internal/linediff internal/objectyaml internal/gotool internal/swap internal/scaffold portal/api portal/web portal/identity portal/access portal/client portal/records portal internal/timeout internal/console internal/units internal/explain internal/listing internal/httpserver internal/settings internal/watchview internal/deliveryview internal/preflight internal/demo internal/tokenstore internal/source internal/joblist internal/portaljobs internal/ruletext internal/invocation internal/pause
examples/nodes: kube informer controller
examples/podcontroller: wire kube informer workqueue
examples/jobs: kube informer workqueue controller
examples/trainjob: wire kube informer controller manager
examples/stream:
examples/migrating/podindex/clientgo:
examples/migrating/podindex/vedette: compat/clientgo/tools/cache compat/clientgo/informers
examples/migrating/handlers/clientgo:
examples/migrating/handlers/vedette: compat/clientgo/tools/cache compat/clientgo/informers
examples/migrating/podcontroller/clientgo:
examples/migrating/podcontroller/vedette: compat/clientgo/util/workqueue compat/clientgo/tools/cache compat/clientgo/informers
examples/migrating/restlist/clientgo:
examples/migrating/restlist/vedette:
examples/migrating/clientsetlist/clientgo:
examples/migrating/clientsetlist/vedette:
examples/migrating/dynamic/clientgo:
examples/migrating/dynamic/vedette: compat/clientgo/tools/cache compat/clientgo/dynamic/dynamicinformer
examples/migrating/leader/clientgo:
examples/migrating/leader/vedette: compat/clientgo/tools/cache compat/clientgo/informers
`

// row is one line of the table.
type row struct {
	name    string
	planned bool
	may     []string
}

// parseTable parses a table, and checks that all imports go in one direction.
func parseTable(text string) ([]row, error) {
	var rows []row
	var above []string
	for line := range strings.Lines(text) {
		name, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		r := row{name: name}
		for word := range strings.FieldsSeq(rest) {
			switch {
			case word == "planned":
				r.planned = true
			case !slices.Contains(above, word):
				return nil, fmt.Errorf("%s may import %s, which does not stand above it", name, word)
			default:
				r.may = append(r.may, word)
			}
		}
		rows = append(rows, r)
		above = append(above, name)
	}
	return rows, nil
}

// forbidden are foreign packages that would bring back code that this project replaces, or
// hide the use of HTTP; with the packages that may import them.
var forbidden = map[string][]string{
	"k8s.io/client-go/tools/cache":    nil,
	"k8s.io/client-go/util/workqueue": nil,
	"k8s.io/client-go/informers":      nil,
	"net/http": {
		"kube", "reflector", "record/jobtrace", "apitest", "cmd/vedette", "notify/channel", "notify/channel/channeltest", "notify/channel/shoutrrr", // shoutrrr: the library takes an HTTP client; reflector: names of status codes; cmd/vedette: its own health and metrics
		"portal/web", "portal/identity", "portal/access", "portal/livestream", "portal/readapi", "portal/writeapi", "portal/ui", "portal/ui/fixture", "portal/client", "portal", "manager", "webhook", "internal/graceful",
		"internal/explain", "internal/httpserver", "internal/tokenstore", "internal/source", "internal/portaljobs",
		"compat/clientgo", "compat/clientgo/internal/tunnel", "compat/clientgo/internal/reach",
	},
}

// adapters reports whether a package may import the code that this project replaces,
// because it implements the same interfaces, or shows how to migrate.
func adapters(name string) bool {
	return strings.HasPrefix(name, "compat/") || strings.HasPrefix(name, "examples/migrating/")
}

// checkImports returns the violations of the table in the tree of the root module.
func checkImports(tree fs.FS, rows []row) ([]string, error) {
	var broken []string
	packages, err := goFiles(tree, false)
	if err != nil {
		return nil, err
	}
	for dir, files := range packages {
		i := slices.IndexFunc(rows, func(r row) bool { return r.name == dir })
		switch {
		case i < 0:
			broken = append(broken, fmt.Sprintf("%s is not in the table of internal/policy", dir))
			continue
		case rows[i].planned:
			broken = append(broken, fmt.Sprintf("%s exists, but the table says that it is planned", dir))
		}
		for _, file := range files {
			imports, err := importsOf(tree, file)
			if err != nil {
				return nil, err
			}
			for _, imported := range imports {
				if why := rows[i].refuses(imported); why != "" {
					broken = append(broken, file+" "+why)
				}
			}
		}
	}
	for _, r := range rows {
		if _, there := packages[r.name]; !there && !r.planned {
			broken = append(broken, fmt.Sprintf("%s is in the table, but not in the tree", r.name))
		}
	}
	slices.Sort(broken)
	return broken, nil
}

// refuses returns the reason why the row does not allow an import, or "".
func (r *row) refuses(imported string) string {
	if ours, ok := strings.CutPrefix(imported, module+"/"); ok && !slices.Contains(r.may, ours) {
		return "imports " + ours + ", which its row does not allow"
	}
	if users, ok := forbidden[imported]; ok && !slices.Contains(users, r.name) && (users != nil || !adapters(r.name)) {
		return "imports " + imported + ", which is forbidden there"
	}
	return ""
}

func importsOf(tree fs.FS, file string) ([]string, error) {
	text, err := fs.ReadFile(tree, file)
	if err != nil {
		return nil, err
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var imports []string
	for _, i := range parsed.Imports {
		imports = append(imports, strings.Trim(i.Path.Value, `"`))
	}
	return imports, nil
}

// goFiles returns the Go files of the root module by folder, without other modules and
// hidden folders, and without tests unless tests is set.
func goFiles(tree fs.FS, tests bool) (map[string][]string, error) {
	packages := map[string][]string{}
	err := fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || hasModule(tree, file)) {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(file, ".go") && (tests || !strings.HasSuffix(file, "_test.go")) {
			packages[path.Dir(file)] = append(packages[path.Dir(file)], file)
		}
		return nil
	})
	return packages, err
}

func hasModule(tree fs.FS, dir string) bool {
	_, err := fs.Stat(tree, path.Join(dir, "go.mod"))
	return err == nil
}
