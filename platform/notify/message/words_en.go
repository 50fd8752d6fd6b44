package message

import (
	"strconv"
	"strings"

	"github.com/vedette-io/vedette/job"
)

// thousands returns a number with commas.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// counting returns a function that counts in English: "no jobs", "1 job", "2 jobs".
func counting(one, many string) func(n int) string {
	return func(n int) string {
		switch n {
		case 0:
			return "no " + many
		case 1:
			return "1 " + one
		}
		return thousands(n) + " " + many
	}
}

// after returns a function that appends words to a number.
func after(words string) func(n int) string { return counting(words, words) }

func ordinal(n int) string {
	suffix := "th"
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		suffix = "st"
	case n%10 == 2:
		suffix = "nd"
	case n%10 == 3:
		suffix = "rd"
	}
	return thousands(n) + suffix
}

func and(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " and " + items[last]
}

var english = words{
	titles: map[Kind]pattern{
		Started:      phrase("Started< after {waited}>: {job}"),
		NearDeadline: phrase("«{left} to its deadline|Near its deadline»: {job}"),
		RunningLong:  phrase("«{?p90}Running {ran}, longer than usual|Running {ran}, longer than {after}|Running for a long time»: {job}"),
		NoProgress:   phrase("No progress< for {quiet}>: {job}"),
		WaitsLong:    phrase("Waiting< {waited}>[, {nth} in line]: {job}"),
		Restarted:    phrase("Restarted<, attempt {n}< of {m}>>: {job}"),
		Failed:       phrase("Failed<, {reason}>: {job}"),
		Succeeded:    phrase("Succeeded< after {ran}>: {job}"),
		Aborted:      phrase("Aborted<, {reason}>: {job}"),
		Deleted:      phrase("Deleted while running: {job}"),
		StateChanged: phrase("«{state}<, {reason}>|Changed»: {job}"),
		GapClosed:    phrase("{Changes} found late: {cluster}"),
		Digest:       phrase("{counts}< since {from}>"),
		Escalation:   phrase("Not acknowledged< for {age}>: {title}"),
		Test:         phrase("Test of «{channel}|a channel»"),
	},
	sentences: map[Kind]pattern{
		Started:      phrase("«It runs on {gpus}, {nodes}.|It runs on {gpus}.|It runs on {nodes}.|It is running.»[ Likely done about {end}.]"),
		NearDeadline: phrase("«It is stopped at {deadline}.|It is stopped at its deadline.»[ At its pace it needs {needed} more.]"),
		RunningLong:  phrase("«Nine in ten like it end within {p90}.|The rule allows {after}.|It is still running.»"),
		NoProgress:   phrase("«No new {signal}|No sign of work»< since {since}><; it holds {gpus}>."),
		WaitsLong: phrase("«It needs {gpus}; queue {queue} has {free} of {quota} left.|It needs {gpus} and waits in queue {queue}.|It needs {gpus}.|It waits in queue {queue}.|" +
			"It waits for {aNode}.|Why it waits is not known.»[ The scheduler says: {refused}.][ Likely start about {start}< ({early} to {late})>.][ With {fewer} it would likely start at {earlier}.]"),
		Restarted:  phrase("{subject} {cause}<; {retries} left>."),
		Failed:     phrase("{subject} {cause}.[ Attempts {list} ended the same way; {retriesWere} left.]"),
		Succeeded:  phrase("«It waited {waited} and took {attempts}.|It waited {waited}.|It took {attempts}.|It ended as it should.»"),
		Aborted:    phrase("Stopped< at {time}>[ by {actor}]<, after {ran}>."),
		Deleted:    phrase("Deleted< at {time}>[ by {actor}]<, after {ran}>.< History stays until {until}.>"),
		GapClosed:  phrase("Not watched< {gapFrom} to {gapTo}><: {why}>.< Found since: {counts}.>"),
		Digest:     phrase("[{k} of {n} failures: {cause}. ]{jobs}<, {from} to {to}>."),
		Escalation: phrase("«{told} was notified< at {toldAt}>< by {channel}>.|It was sent< at {toldAt}>< by {channel}>.» It is yours now."),
		Test:       phrase("«{actor} sent this at {time}.|Sent at {time}.|It was sent by hand.» No job changed. «Messages of {rules} come here.|No rule sends messages here.»"),
	},
	entered: map[job.State]pattern{
		job.Submitted:  phrase("«Submitted at {time}|It was submitted»[ by {owner}]."),
		job.Queued:     phrase("«It waits in queue {queue}|It waits for a place»[ and needs {gpus}]."),
		job.Suspended:  phrase("«It has been on hold since {time}.|It is on hold.»[ It ran {ran} before.]"),
		job.Starting:   phrase("It has a place and is being set up.[ It waited {waited}.]"),
		job.Running:    phrase("«It has been running since {time}.|It is running.»"),
		job.Restarting: phrase("It ended and is tried again."),
		job.Succeeded:  phrase("It ended as it should."),
		job.Failed:     phrase("It ended, and not as it should."),
		job.Aborted:    phrase("It was stopped< at {time}>."),
		job.Deleted:    phrase("Deleted< at {time}>[ by {actor}].< History stays until {until}.>"),
		"":             phrase("«It was {from} until {time}.|It changed at {time}.|It changed.»"),
	},
	causes: map[Reason]pattern{
		OOMKilled:        phrase("used all of its <{limit} of >memory{on} and was killed"),
		ExitError:        phrase("ended with «exit code {code}|an error»{on}"),
		Evicted:          phrase("was evicted{on}<: {evictedWhy}>"),
		NodeLost:         phrase("was lost with «{node}|its node»"),
		DeadlineExceeded: phrase("ran into its limit< of {limit}>"),
		Preempted:        phrase("gave way to «{other}|another job»{on}"),
		ImagePull:        phrase("could not get its image{on}"),
		OverQuota:        phrase("does not fit «quota {overQuota}|its quota»"),
		"":               phrase("ended{on}; why was not seen"),
	},
	reasons: map[Reason]pattern{OverQuota: phrase("over quota")},
	brief: map[Reason]pattern{
		ExitError: phrase("«exit code {code}|an error»"), NodeLost: phrase("node lost"), DeadlineExceeded: phrase("time limit"), Evicted: phrase("evicted"),
		Preempted: phrase("preempted"), ImagePull: phrase("no image"), OverQuota: phrase("over quota"),
	},
	subject:   phrase("«{Role} {index}|{pod}|It»"),
	on:        phrase("< on {node}>"),
	late:      phrase("«Late: happened {time}, found {seen}.|Late: found {seen}; when it happened is unknown.|Late: when it happened is unknown.»"),
	lateTimer: phrase("Late: it was not checked in time."),
	replay:    phrase("«Sent again: due {due}.|Sent again.»"),
	broken:    phrase("The template of «rule “{rule}”|the rule» failed: {error}"),
	labels: map[label]string{
		causeFact: "Cause", memoryFact: "Memory limit", timeFact: "Time limit", attemptsFact: "Attempts", waitedRanFact: "Waited, ran", waitedFact: "Waited",
		ranFact: "Ran", gpusFact: "GPUs", nodesFact: "Nodes", queueFact: "Queue", ownerFact: "Owner", quotaFact: "Quota", placeFact: "Place in line",
		beforeFact: "Needed by those before it", likeFact: "Jobs like it waited", jobLabel: "Job", logLabel: "Last log lines",
	},
	facts: map[label]pattern{
		causeFact: phrase("«{reason}<, exit code {code}>|exit code {code}»"), memoryFact: phrase("{memory}"), timeFact: phrase("{timeLimit}"),
		attemptsFact: phrase("{n}< of {m}>"), waitedRanFact: phrase("{waited}, {ran}"), waitedFact: phrase("{waited}"), ranFact: phrase("{ran}"),
		gpusFact: phrase("{gpuCount}< on {nodes}>"), nodesFact: phrase("{nodeCount}"), queueFact: phrase("{queue}"), ownerFact: phrase("{owner}"),
		quotaFact: phrase("{used} of {quota} GPUs in use"), placeFact: phrase("{nth}< of {inLine}>"), beforeFact: phrase("{beforeGPUs}"), likeFact: phrase("{likeMedian}"),
	},
	notes: map[label]pattern{
		causeFact: phrase("{said}"), quotaFact: phrase("{free} left<, {gpuCount} needed>"), placeFact: phrase("{nthBefore} an hour ago"),
		beforeFact: phrase("{beforeJobs}<, {higher} of higher priority>"), likeFact: phrase("median of {likeJobs}< in {likeDays} days>"),
	},
	buttons: map[button]pattern{
		openJob: phrase("Open job"), logsButton: phrase("Logs"), allLogs: phrase("All logs"), stopButton: phrase("Stop"), retryButton: phrase("Retry"),
		whyWaits: phrase("Why it waits"), cloneFewer: phrase("Clone with {fewer}"), openChanges: phrase("Open changes"), openFailed: phrase("Open {failed} failed"),
		openAll: phrase("Open all {all}"), acknowledge: phrase("Acknowledge"), openSettings: phrase("Open settings"),
	},
	groups: map[group]groupWords{
		failedGroup:       {after("failed"), phrase("Failed"), phrase("«{brief}|ran {ran}<, {n} of {m}>»")},
		noProgressGroup:   {after("without progress"), phrase("No progress< for {after}>"), phrase("«no {signal} since {since}|quiet {quiet}»")},
		nearDeadlineGroup: {counting("near its deadline", "near their deadline"), phrase("Near the deadline"), phrase("{left} left")},
		waitsGroup:        {after("waiting"), phrase("Waiting< longer than {after}>"), phrase("«{nth}<, likely {start}>|likely {start}|needs {gpus}»")},
		runningLongGroup:  {after("running long"), phrase("Running long"), phrase("«usual {p90}|ran {ran}»")},
		deletedGroup:      {after("deleted"), phrase("Deleted while running"), phrase("«by {actor}|after {ran}»")},
		restartedGroup:    {after("restarted"), phrase("Restarted"), phrase("«attempt {n}< of {m}><, {brief}>|{brief}»")},
		abortedGroup:      {after("aborted"), phrase("Aborted"), phrase("«by {actor}|{reason}|after {ran}»")},
		changedGroup:      {nil, phrase("{state}"), phrase("{reason}")},
		startedGroup:      {after("started"), phrase("Started"), phrase("waited {waited}")},
		succeededGroup:    {after("succeeded"), phrase("Succeeded"), phrase("ran {ran}")},
	},
	footer: footerWords{
		why: phrase("«You get this as {role}, by the rule “{rule}”.|You get this as {role}.|You get this by the rule “{rule}”.»"), mute: "Mute this job", today: "Mute for today",
		change: "Change the rule", zone: "Times ", placeEnd: ". ",
		gap: phrase("Not watched< {gapFrom} to {gapTo}> in {cluster}; {changesWere} found afterwards."), more: phrase("and {more} more"),
	},
	silence:     phrase("Silence {silence} ({matchers}) has ended. It held back {held}; `vedette notify silence show {silence}` shows the list."),
	otherCauses: phrase("Failed, other causes"),
	gaps:        counting("gap", "gaps"), gpus: counting("GPU", "GPUs"), nodes: counting("node", "nodes"), retries: counting("retry", "retries"), retriesWere: counting("retry was", "retries were"),
	attempts: counting("attempt", "attempts"), changes: counting("change", "changes"), changesWere: counting("change was", "changes were"), jobs: counting("job", "jobs"), messages: counting("message", "messages"),
	number: thousands, nth: ordinal, inState: func(n int, word string) string { return thousands(n) + " " + strings.ToLower(word) },
	list: and, comma: ", ", space: " ",
	attempt: phrase("attempt {attempt}"),
	log:     phrase("{source}<, attempt {logAttempt}><, {lines} of {kept} kept>"),
	signal:  func(signal string) string { return signal },
	owner:   "owner", byOwner: "its owner",
}
