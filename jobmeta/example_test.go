package jobmeta_test

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/jobmeta"
)

// A program that creates jobs by itself can name the submitter, who then gets the messages.
func Example() {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "train"}}
	metav1.SetMetaDataAnnotation(&job.ObjectMeta, jobmeta.Submitter, "ann")
	fmt.Println(job.Annotations)
	// Output: map[vedette.io/submitter:ann]
}
