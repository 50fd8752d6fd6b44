package simulation

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/job"
)

// Admit sets defaults of new jobs, makes the most important checks, and suspends jobs with a
// queue, as the API server and the queue do.
func Admit(r apitest.Request, obj metav1.Object) error {
	j, ok := obj.(*batchv1.Job)
	if !ok || r.Verb != apitest.VerbCreate {
		return nil
	}
	one, retries := int32(1), int32(6)
	if j.Spec.Parallelism == nil {
		j.Spec.Parallelism = &one
	}
	if j.Spec.Completions == nil {
		j.Spec.Completions = &one
	}
	if j.Spec.BackoffLimit == nil {
		j.Spec.BackoffLimit = &retries
	}
	if suspend := true; j.Labels[job.KueueQueueLabel] != "" {
		j.Spec.Suspend = &suspend
	}
	if problems := checkJob(j); len(problems) > 0 {
		return apierrors.NewInvalid(batchv1.SchemeGroupVersion.WithKind("Job").GroupKind(), j.Name, problems)
	}
	return nil
}

// checkJob finds the most common mistakes.
func checkJob(job *batchv1.Job) (problems field.ErrorList) {
	if job.Name != "" {
		for _, text := range validation.IsDNS1123Subdomain(job.Name) {
			problems = append(problems, field.Invalid(field.NewPath("metadata", "name"), job.Name, text))
		}
		if len(job.Name) > validation.DNS1123LabelMaxLength {
			problems = append(problems, field.Invalid(field.NewPath("metadata", "name"), job.Name, fmt.Sprintf("must be no more than %d characters", validation.DNS1123LabelMaxLength)))
		}
	}
	for key, value := range job.Labels {
		for _, text := range append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...) {
			problems = append(problems, field.Invalid(field.NewPath("metadata", "labels"), key+"="+value, text))
		}
	}
	template := field.NewPath("spec", "template", "spec")
	spec := &job.Spec.Template.Spec
	switch spec.RestartPolicy {
	case corev1.RestartPolicyNever, corev1.RestartPolicyOnFailure:
	case "":
		problems = append(problems, field.Required(template.Child("restartPolicy"), `valid values: "OnFailure", "Never"`))
	default:
		problems = append(problems, field.NotSupported(template.Child("restartPolicy"), spec.RestartPolicy, []corev1.RestartPolicy{corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever}))
	}
	if len(spec.Containers) == 0 {
		problems = append(problems, field.Required(template.Child("containers"), ""))
	}
	for i, c := range spec.Containers {
		at := template.Child("containers").Index(i)
		for _, text := range validation.IsDNS1123Label(c.Name) {
			problems = append(problems, field.Invalid(at.Child("name"), c.Name, text))
		}
		if c.Image == "" {
			problems = append(problems, field.Required(at.Child("image"), ""))
		}
	}
	return problems
}
