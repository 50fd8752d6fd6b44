package contest

import (
	"errors"

	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/informer"
)

// openAdapter opens the same informers as openClientGo, adopted by our engine.
func openAdapter(storage informer.Storage) func(Env) (Cache, error) {
	return func(env Env) (Cache, error) {
		var all sharedInformers
		for _, k := range env.Kinds {
			theirs, err := sharedInformer(&env, k, clientgo.Wrap(env.rest()))
			if err != nil {
				return nil, err
			}
			inf := clientgo.Adopt(theirs, clientgo.Options{Storage: storage})
			if health, ok := clientgo.HealthOf(inf); !ok || !health.Accelerated {
				return nil, errors.New("the informer is not accelerated: " + health.Reason)
			}
			if err := env.addIndex(inf); err != nil {
				return nil, err
			}
			for _, h := range env.Handlers {
				if _, err := inf.AddEventHandler(adapterHandler(h)); err != nil {
					return nil, err
				}
			}
			all = append(all, inf)
		}
		return all, nil
	}
}
