package lives_test

// observedLives are lives that a recorder did not see completely, or not in order.
var observedLives = []life{
	{
		name: "gap before its start", source: "package record: a list after a gap shows another state", typ: "jobs.batch", object: batchJob, gaps: [][2]int{{1, 30}},
		writes: []write{w(0, ""), {at: 30, status: started + "active: 1, ready: 1", how: relisted}, complete(60, 0)},
		want:   answer{"Succeeded", "30", "30", "30", "1", "30", "60", "30-60 30"},
	},
	{
		name: "gap over its end", source: "package record: the object says when it ended", typ: "jobs.batch", object: batchJob, gaps: [][2]int{{10, 100}},
		writes: []write{w(0, ""), w(1, started+"active: 1, ready: 0"), w(5, started+"active: 1, ready: 1"), {at: 100, status: complete(50, 0).status, how: relisted}},
		want:   answer{"Succeeded", "1", "1", "45", "1", "5", "50", "1-50 45"},
	},
	{
		name: "gap over its deletion", source: "package record: a list after a gap lacks the object", typ: "jobs.batch", object: batchJob, gaps: [][2]int{{10, 100}},
		writes: []write{w(0, ""), w(1, started+"active: 1, ready: 0"), w(5, started+"active: 1, ready: 1"), {at: 100, how: missed}},
		want:   answer{"Deleted", "1", "1", "95", "1", "5", "100", "1-100 95"},
	},
	{
		name: "relist with another state", source: "package record", typ: "jobs.batch", object: batchJob, gaps: [][2]int{{10, 40}},
		writes: []write{
			w(0, ""), w(1, started+"active: 1, ready: 0"), w(5, started+"active: 1, ready: 1"),
			{at: 40, status: started + "active: 1, ready: 0, failed: 1", how: relisted},
			w(45, started+"active: 1, ready: 1, failed: 1"),
		},
		want: answer{"Running", "1", "1", "990", "2", "5", "never", "1-40 35, 45-now"},
	},
	{
		name: "first seen while it ran", source: "package record: the first list of a type", typ: "jobs.batch", object: batchJob,
		writes: []write{w(100, started+"active: 1, ready: 1"), complete(150, 0)},
		want:   answer{"Succeeded", "0", "0", "50", "1", "100", "150", "100-150 50"},
	},
	{
		name: "first seen while it restarted", source: "package record: the first list of a type", typ: "jobs.batch", object: batchJob,
		writes: []write{w(100, started+"active: 1, ready: 0, failed: 1"), w(110, started+"active: 1, ready: 1, failed: 1"), complete(150, 1)},
		want:   answer{"Succeeded", "0", "0", "40", "2", "110", "150", "100-100 0, 110-150 40"},
	},
	{
		name: "first seen after its end", source: "package record: the first list of a type", typ: "jobs.batch", object: batchJob,
		writes: []write{{at: 200, status: complete(150, 0).status, how: relisted}},
		want:   answer{"Succeeded", "0", "0", "0", "1", "never", "150", "none"},
	},
	{
		name: "a run that another recorder writes later", source: "platform/internal/batch/backfill.go", typ: "jobs.batch", object: batchJob,
		writes: []write{
			w(0, ""), w(1, started+"active: 1, ready: 0"),
			{at: 5, status: started + "active: 1, ready: 1", how: late},
			w(10, started+"active: 0, ready: 0, uncountedTerminatedPods: {failed: [a]}"),
			{at: 15, status: started + "active: 1, ready: 1, failed: 1", how: late},
			complete(30, 1),
		},
		want: answer{"Succeeded", "1", "1", "20", "2", "5", "30", "1-10 5, 15-30 15"},
	},
	{
		name: "the clock of the controller goes back", source: "platform/internal/model/time.go, HappenedAt: a time before the previous state cannot be right", typ: "jobs.batch", object: "apiVersion: batch/v1\nkind: Job\nspec: {backoffLimit: 0, " + template + "}\n",
		writes: []write{w(0, ""), w(1, started+"active: 1, ready: 0"), w(5, started+"active: 1, ready: 1"), failed(20, 3, "failed: 1")},
		want:   answer{"Failed", "1", "1", "15", "1", "5", "20", "1-20 15"},
	},
	{
		name: "preempted in a gap", source: admission, typ: "jobs.batch", object: queued, gaps: [][2]int{{50, 150}},
		writes: []write{
			w(0, ""), suspended(1, "JobSuspended"),
			{at: 30, fields: "spec: {suspend: false}", status: resumed(30, "active: 1, ready: 0")},
			w(35, resumed(30, "active: 1, ready: 1")),
			{at: 150, fields: "spec: {suspend: true}", status: suspended(100, "JobSuspended").status, how: relisted},
			{at: 200, fields: "spec: {suspend: false}", status: resumed(200, "active: 1, ready: 0")},
			w(205, resumed(200, "active: 1, ready: 1")), complete(300, 0),
		},
		want: answer{"Succeeded", "130", "30", "160", "2", "35", "300", "30-100 65, 200-300 95"},
	},
}
