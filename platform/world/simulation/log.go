package simulation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// stepLength is the time between two lines of a log.
const stepLength = 400 * time.Millisecond

// firstLines are the first lines of the log of a training program.
func firstLines(pod *corev1.Pod, rank, world, attempt int) []string {
	c := pod.Spec.Containers[0]
	lines := []string{fmt.Sprintf("INFO  rank %d of %d on %s, image %s", rank, world, pod.Spec.NodeName, c.Image)}
	if rank > 0 {
		return lines
	}
	if attempt > 1 {
		return append(lines, "INFO  resume from the last checkpoint")
	}
	return append(lines, "INFO  load 1,281,167 samples", "INFO  the model has 1.3 B parameters")
}

// stepLine is the line of one step. Only rank 0 reports the loss.
func stepLine(texts *rand.Rand, rank, step, steps int) string {
	if rank > 0 {
		return fmt.Sprintf("INFO  step %d: all-reduce in %d ms", step*20, 40+texts.IntN(20))
	}
	loss := 0.4 + 2.4*math.Exp(-3*float64(step)/float64(steps)) + 0.05*texts.Float64()
	return fmt.Sprintf("INFO  step %d/%d  loss %.4f  lr %.1e  %d samples/s", step*20, steps*20, loss, 3e-4*(1-float64(step)/float64(steps+1)), 380+texts.IntN(60))
}

// lastLines end a log: with success, with a traceback, or abruptly for a container
// that took too much memory.
func lastLines(failure string, rank, steps int, took time.Duration) []string {
	switch {
	case failure == "OOMKilled":
		return []string{"WARN  data loader: 62.9 GiB of 64.0 GiB of memory are in use"}
	case failure != "":
		return []string{
			"Traceback (most recent call last):",
			`  File "/workspace/train.py", line 212, in <module>`,
			"    main()",
			`  File "/workspace/train.py", line 187, in main`,
			"    loss = model(batch).backward()",
			fmt.Sprintf("RuntimeError: the loss is not finite at step %d", steps*20),
		}
	case rank > 0:
		return []string{"INFO  done"}
	}
	return []string{fmt.Sprintf("INFO  saved checkpoint-%d", steps*20), fmt.Sprintf("INFO  done in %v", took.Round(time.Millisecond))}
}
