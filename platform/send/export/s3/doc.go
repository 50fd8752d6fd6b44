// Package s3 keeps the files of package export in a bucket of Amazon S3 or of another service with
// the same protocol.
//
// # Data flow
//
//	rows -> temporary file -> one upload, in parts if it is large
//
// # Ownership
//
// A Store is safe for concurrent use. A Writer belongs to one goroutine, and owns its temporary
// file.
//
// # Guarantees
//
// Readers of the bucket see the old file or the new one, never a part: an upload has an effect when
// it is complete.
//
// # Limits
//
// The folder for temporary files needs room for the largest file. Logins come from the environment,
// from ~/.aws/credentials or from the machine or pod (IAM), never from the URL.
//
// # Errors
//
// Errors name the bucket and the file, and contain no login.
package s3
