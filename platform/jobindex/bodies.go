package jobindex

// bodiesAtOnce is the maximum number of bodies that are read at once, which limits their
// memory.
const bodiesAtOnce = 200

// unread returns those of some jobs that exist and whose bodies were not read, without
// their lives.
func (t *table) unread(ids []int64) (jobs []Job) {
	for _, id := range ids {
		if row, ok := t.find(id); ok && t.bit[row]&bodyRead == 0 {
			j := t.job(row)
			j.BodyFacts = noBodyFacts
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// storeBodyFacts stores the results of reading the bodies of jobs, unless the jobs have changed
// since unread.
func (t *table) storeBodyFacts(jobs []Job) {
	for i := range jobs {
		j := &jobs[i]
		if row, ok := t.find(j.ID); ok && t.version[row] == int64(j.Version) {
			t.setBodyFacts(row, j.BodyFacts)
			t.queue[row] = t.queues.code(j.Queue)
			t.bit[row] |= bodyRead
		}
	}
}
