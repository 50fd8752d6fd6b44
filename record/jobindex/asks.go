package jobindex

// asksAtOnce is the maximum number of bodies that are read at once, which limits their
// memory.
const asksAtOnce = 200

// unasked returns those of some jobs that exist and whose bodies were not read, without
// their lives.
func (t *table) unasked(ids []int64) (jobs []Job) {
	for _, id := range ids {
		if row, ok := t.find(id); ok && t.bit[row]&asked == 0 {
			j := t.job(row)
			j.Asks = noAsks
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// answer stores the results of reading the bodies of jobs, unless the jobs have changed
// since unasked.
func (t *table) answer(jobs []Job) {
	for i := range jobs {
		j := &jobs[i]
		if row, ok := t.find(j.ID); ok && t.version[row] == int64(j.Version) {
			t.ask(row, j.Asks)
			t.queue[row] = t.queues.code(j.Queue)
			t.bit[row] |= asked
		}
	}
}
