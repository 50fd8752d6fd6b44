// Package manager runs the parts of a controller program: informers, controllers and the
// program's own functions. It starts and stops them in order, handles signals, elects a
// leader, and serves health, readiness and metrics.
//
//	func main() {
//		manager.Main(manager.Config{Name: "trainjobs"}, func(m *manager.Manager) error {
//			jobs, err := informer.For[TrainJob](m.Factory(), informer.Config{Resource: "trainjobs.example.com"})
//			if err != nil {
//				return err
//			}
//			return m.AddController(controller.Config{Reconcile: reconcile}, controller.Objects(jobs))
//		})
//	}
//
// # Data flow
//
//	Config -> New -> Manager: Cluster, Factory
//	AddServer, AddController, AddFunc, AddLeading -> Run -> servers, informers, functions, controllers
//	factory, controllers, AddCheck -> /readyz; factory, controllers, AddMetrics -> /metrics
//	factory, controllers -> /debug/vedette, on the loopback interface
//
// # Ownership
//
// Run blocks on the caller's goroutine, starts the goroutines that it needs, and has joined
// them when it returns. Everything is added before Run.
//
// # Guarantees
//
// Run starts the HTTP server, then the servers of AddServer, then the informers of the
// factory, then the functions in the order in which they were added, then all controllers. It
// stops them in the opposite order, each after the previous one has ended: reconciles still
// have synced informers, the Lease covers everything that acts under it, and the servers
// answer until the end. The first part that fails stops all others.
//
// Functions are called when all informers of the factory are synced, so they see all objects.
// A controller waits for its own sources only. Servers and probes wait for nothing: an API
// server that waits for a webhook cannot answer the lists of informers.
//
// # Debugging
//
// /debug/vedette shows the stores with the memory of each type. For each controller it shows the
// queue, the keys that fail with their last errors, the reconciles that run, and the last 64 that
// ended, with their reasons and outcomes. It has names and texts of errors, and no objects.
// It is served on the loopback interface only; see Config.Debug. The answer is text, or JSON with
// ?format=json:
//
//	kubectl port-forward deploy/trainjobs 6060 &
//	curl 'http://127.0.0.1:6060/debug/vedette?format=json'
//
// # Limits
//
// A probe takes at most 5 seconds. Request headers are read for at most 10 seconds and up
// to 64 KiB.
//
// # Errors
//
// New and the Add methods return invalid configurations. Run returns the error of the part
// that failed first, with its name.
package manager
