package api

// Prefix is the beginning of all paths of the API.
const Prefix = "/api/v1"

// Paths below Prefix. {cluster} is the name of a cluster and {uid} the UID of a job.
const (
	PathSession     = "/session"     // GET: Session
	PathSessionAuth = "/session"     // DELETE: signs out
	PathJobs        = "/jobs"        // GET: JobList
	PathCounts      = "/jobs/counts" // GET: JobCounts
	PathSuggest     = "/suggest"     // GET: Suggestions
	PathTimeline    = "/timeline"    // GET: Timeline
	PathOverview    = "/timeline/overview"
	PathFind        = "/find/{cluster}/{type}/{namespace}/{name}" // GET: JobRef of the newest job of a name
	PathStream      = "/stream"                                   // GET: server-sent events, see Event

	PathJob           = "/jobs/{cluster}/{uid}"             // GET: JobDetail
	PathWaiting       = "/jobs/{cluster}/{uid}/waiting"     // GET: Waiting
	PathFailure       = "/jobs/{cluster}/{uid}/failure"     // GET: Failure
	PathTransitions   = "/jobs/{cluster}/{uid}/transitions" // GET: TransitionList
	PathAttempts      = "/jobs/{cluster}/{uid}/attempts"    // GET: AttemptList
	PathPods          = "/jobs/{cluster}/{uid}/pods"        // GET: PodList
	PathEvents        = "/jobs/{cluster}/{uid}/events"      // GET: EventList
	PathRevisions     = "/jobs/{cluster}/{uid}/revisions"   // GET: RevisionList
	PathBody          = "/jobs/{cluster}/{uid}/revisions/{version}"
	PathDiff          = "/jobs/{cluster}/{uid}/diff"          // GET: Diff; ?from= and ?to= are versions
	PathLogs          = "/jobs/{cluster}/{uid}/logs"          // GET: LogPage; follow=true: server-sent events
	PathNotifications = "/jobs/{cluster}/{uid}/notifications" // GET: DeliveryList

	PathStop        = "/jobs/{cluster}/{uid}/stop"        // POST: StopRequest -> Act
	PathRetry       = "/jobs/{cluster}/{uid}/retry"       // POST: RetryRequest -> Submitted
	PathAcknowledge = "/jobs/{cluster}/{uid}/acknowledge" // POST -> Act
	PathMute        = "/jobs/{cluster}/{uid}/mute"        // POST: MuteRequest -> Act; DELETE -> Act: ends the mute
	PathHold        = "/jobs/{cluster}/{uid}/hold"        // DELETE -> Act: releases a job that is held, or stopped by suspension

	PathTemplates = "/templates"        // GET: TemplateList
	PathTemplate  = "/templates/{name}" // GET: Template
	PathRender    = "/submit/render"    // POST: RenderRequest -> Rendered
	PathCheck     = "/submit/check"     // POST: SubmitRequest -> Checked (a dry run)
	PathSubmit    = "/submit"           // POST: SubmitRequest -> Submitted

	PathStats        = "/stats"                // GET: Stats
	PathStatsWaiting = "/stats/waits"          // GET: StatsSeries of the times waited
	PathOperations   = "/operations"           // GET: Operations
	PathDeadLetters  = "/deadletters"          // GET: DeliveryList
	PathReplay       = "/deadletters/replay"   // POST: ReplayRequest -> Act
	PathDrop         = "/deadletters/drop"     // POST: ReplayRequest -> Act
	PathSend         = "/deliveries/{id}/send" // POST: sends a delivery again -> Act

	PathEndSessions = "/sessions/end" // POST: EndSessionsRequest -> Act

	PathSubscriptions = "/subscriptions"           // GET: SubscriptionList; POST: Subscribe -> Subscription
	PathSubscription  = "/subscriptions/{id}"      // DELETE -> Act
	PathVerify        = "/subscriptions/{id}/code" // POST: VerifyRequest -> Act
	PathTestMessage   = "/subscriptions/{id}/test" // POST -> Act
	PathMuteMessages  = "/subscriptions/{id}/mute" // POST: MuteRequest with a time until -> Act; a past time ends the mute

	PathRecordTypes       = "/records/types"                    // GET: RecordTypes
	PathRecords           = "/records/named"                    // GET: RecordList, the objects that had a name
	PathRecordChanges     = "/records/transitions"              // GET: RecordChangeList
	PathRecordJobs        = "/records/jobs"                     // GET: RecordJobList
	PathUnrecorded        = "/records/unrecorded"               // GET: UnrecordedList
	PathRecordGaps        = "/records/gaps"                     // GET: RecordGapList
	PathRecordStats       = "/records/stats"                    // GET: RecordStats
	PathRecordJob         = "/records/{id}/job"                 // GET: RecordJob
	PathRecordAttempts    = "/records/{id}/attempts"            // GET: RecordAttempts
	PathRecordTransitions = "/records/{id}/transitions"         // GET: TransitionList
	PathRecordRevisions   = "/records/{id}/revisions"           // GET: RevisionList
	PathRecordBody        = "/records/{id}/revisions/{version}" // GET: RecordBody; the version may be last
)
