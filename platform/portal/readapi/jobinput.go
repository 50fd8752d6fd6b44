package readapi

// jobInput names a job as of an instant.
type jobInput struct {
	JobPath
	AtInput
}
