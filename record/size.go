package record

import "context"

// giveBack returns free space to the system, where the database can do so beside
// writers.
func (p *pruner) giveBack(ctx context.Context) error {
	if p.Revisions+p.Thinned == 0 {
		return nil
	}
	return p.d.Vacuum(ctx)
}
