package job_test

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/job"
)

// A program that creates jobs by itself can name the submitter, who then gets the messages.
func Example() {
	j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "train"}}
	metav1.SetMetaDataAnnotation(&j.ObjectMeta, job.SubmitterAnnotation, "ann")
	fmt.Println(j.Annotations)
	// Output: map[vedette.io/submitter:ann]
}
