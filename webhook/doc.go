// Package webhook serves admission and conversion webhooks: functions that an API server
// calls before it stores an object, and when a client asks for another version of a custom
// resource.
//
//	server, err := webhook.New(webhook.Config{Listen: ":9443", CertFile: "/certs/tls.crt", KeyFile: "/certs/tls.key"})
//	err = server.Handle("/validate-trainjob", webhook.Validate(func(ctx context.Context, r *webhook.Request[TrainJob]) error {
//		if r.Object.Spec.Replicas > 100 {
//			return webhook.Deny("spec.replicas is %d; at most 100 are allowed", r.Object.Spec.Replicas)
//		}
//		return nil
//	}))
//	err = server.Run(ctx)
//
// # Data flow
//
//	AdmissionReview -> Validate[T] -> Request[T] -> the function -> allowed or denied
//	AdmissionReview -> Mutate[T] -> Request[T] -> the function changes Object -> JSON patch
//	ConversionReview -> Convert(From[A, B]...) -> the functions on the way -> objects of the version that was asked for
//	Config.CertFile -> read again when it changes -> the certificate of new connections
//
// # Ownership
//
// Run blocks on the caller's goroutine, and has joined all others when it returns. A
// function owns its Request during the call. Functions are called from many goroutines.
//
// # Guarantees
//
// A request is denied only by an explicit denial: the error of [Deny] or [DenyStatus], a
// field.Error, or an aggregate of these. Any other error, and a panic, means that the
// webhook has failed: the answer is HTTP status 500, and the failurePolicy of the webhook
// decides. An API server that could not be reached thus never becomes a denial.
//
// The patch of Mutate changes only what the function changed. Fields that T does not have
// stay as they are, in elements of lists too. Conversion keeps the metadata, except labels
// and annotations that a function changes, as the API requires.
//
// A certificate that cannot be read is logged once, and the previous one stays in use.
//
// # Limits
//
// A body has at most Config.MaxBody bytes, and at most Config.Concurrent requests are
// processed at a time; others wait. A function gets the time that the API server waits (10
// seconds by default, 30 at most), and a conversion gets 30 seconds. Certificates are
// compared at most once a second. The answers are those of admission.k8s.io/v1 and
// apiextensions.k8s.io/v1; earlier versions of both are refused.
//
// # Errors
//
// New and Handle return invalid configurations. Run returns an address that cannot be used.
package webhook
