-- +goose Up
CREATE TABLE clusters (
  id ${ID},
  uid ${WORD} NOT NULL,
  name ${NAME} NOT NULL,
  seen_at BIGINT NOT NULL,
  CONSTRAINT clusters_uid UNIQUE (uid)
) ${OPTIONS};

CREATE TABLE resources (
  id ${ID},
  api_group ${NAME} NOT NULL,
  name ${WORD} NOT NULL,
  kind ${WORD} NOT NULL,
  CONSTRAINT resources_name UNIQUE (api_group, name)
) ${OPTIONS};

-- The latest state of each object.
CREATE TABLE objects (
  id ${ID},
  cluster_id BIGINT NOT NULL,
  resource_id BIGINT NOT NULL,
  namespace ${WORD} NOT NULL,
  name ${NAME} NOT NULL,
  uid ${WORD} NOT NULL,
  owner_uid ${WORD} NOT NULL,
  owner_kind ${WORD} NOT NULL,
  owner_name ${NAME} NOT NULL,
  queue ${NAME} NOT NULL,
  submitter ${NAME} NOT NULL,
  created_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  presence SMALLINT NOT NULL,
  deleted_at BIGINT NOT NULL,
  version BIGINT NOT NULL,
  state ${WORD} NOT NULL,
  raw_state ${NAME} NOT NULL,
  reason ${NAME} NOT NULL,
  message ${TEXT} NOT NULL,
  since BIGINT NOT NULL,
  attributes_hash BIGINT NOT NULL,
  selector_hash BIGINT NOT NULL,
  keyframe_version BIGINT NOT NULL,
  deltas SMALLINT NOT NULL,
  CONSTRAINT objects_uid UNIQUE (cluster_id, resource_id, uid)
) ${OPTIONS};
CREATE INDEX objects_name ON objects (name, resource_id, namespace, id);
CREATE INDEX objects_state ON objects (state, since, id);
CREATE INDEX objects_presence ON objects (presence, cluster_id, resource_id);

-- A row for each job: an object of a type of jobs that does not belong to another job. state,
-- reason, message and since are the status of the job: that of its object, with what its pods
-- show. Each transaction that changes the object or a pod decides it again, under the lock of
-- the row, and adds 1 to decisions, so two of them conflict in a cluster of databases without
-- common locks too. entered_at is since of the object. The other columns are facts that package
-- job has read in the body of the last revision. They are NULL if no body was seen, and 0 or
-- empty if the body does not say it. time_limit is the maximum running time in microseconds.
CREATE TABLE jobs (
  object_id BIGINT NOT NULL PRIMARY KEY,
  state ${WORD} NOT NULL,
  reason ${NAME} NOT NULL,
  message ${TEXT} NOT NULL,
  since BIGINT NOT NULL,
  entered_at BIGINT NOT NULL,
  decisions BIGINT NOT NULL,
  gpus BIGINT,
  pods BIGINT,
  priority ${NAME},
  attempt BIGINT,
  attempts BIGINT,
  time_limit BIGINT,
  pod_label ${NAME},
  pod_label_value ${NAME}
) ${ORDERED};
CREATE INDEX jobs_state ON jobs (state, entered_at, object_id);
CREATE INDEX jobs_pod_label ON jobs (pod_label_value);

-- The job of each object that belongs to one: pods, and the objects between them and the job. The
-- class of a pod and the begin of its problem follow from its row in objects. The index has the
-- first pod of each class of a job without reading the others.
CREATE TABLE job_parts (
  object_id BIGINT NOT NULL PRIMARY KEY,
  job_id BIGINT NOT NULL,
  pod_class SMALLINT NOT NULL,
  problem_since BIGINT NOT NULL
) ${ORDERED};
CREATE INDEX job_parts_job ON job_parts (job_id, pod_class, problem_since, object_id);

-- The objects whose owner has no job, or is not recorded yet.
CREATE TABLE open_parts (
  object_id BIGINT NOT NULL PRIMARY KEY,
  owner_uid ${WORD} NOT NULL
) ${ORDERED};
CREATE INDEX open_parts_owner ON open_parts (owner_uid, object_id);

-- The transition index. An index entry says that an object with a term changed its state
-- in an hour. A term is the hash of a label, a namespace, an owner and so on.
CREATE TABLE transition_index (
  term BIGINT NOT NULL,
  hour BIGINT NOT NULL,
  object_id BIGINT NOT NULL,
  PRIMARY KEY (term, hour, object_id)
) ${ORDERED};

-- body is the hash of the body, and data is the encoded body. A keyframe has keyframe_version
-- 0, and its body is stored whole, compressed with a dictionary if dictionary_id is not 0. Any
-- other body is stored as a difference from a keyframe of the same object, which has the
-- version keyframe_version.
CREATE TABLE revisions (
  id ${ID},
  object_id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  deleted SMALLINT NOT NULL,
  source SMALLINT NOT NULL,
  seen_at BIGINT NOT NULL,
  state ${WORD} NOT NULL,
  raw_state ${NAME} NOT NULL,
  body ${HASH} NOT NULL,
  keyframe_version BIGINT NOT NULL,
  dictionary_id BIGINT NOT NULL,
  size INTEGER NOT NULL,
  data ${BLOB} NOT NULL,
  CONSTRAINT revisions_version UNIQUE (object_id, version)
) ${OPTIONS};

CREATE TABLE transitions (
  id ${ID},
  object_id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  from_state ${WORD} NOT NULL,
  to_state ${WORD} NOT NULL,
  from_raw_state ${NAME} NOT NULL,
  to_raw_state ${NAME} NOT NULL,
  reason ${NAME} NOT NULL,
  message ${TEXT} NOT NULL,
  happened_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  source SMALLINT NOT NULL,
  CONSTRAINT transitions_version UNIQUE (object_id, version)
) ${OPTIONS};
CREATE INDEX transitions_time ON transitions (happened_at, id);
CREATE INDEX transitions_state ON transitions (to_state, happened_at, id);

-- retired_at is when a dictionary was found to contain the body of an erased object. No body is
-- compressed with it from then on, and the row is deleted when none is left. 0: it is in use.
CREATE TABLE dictionaries (
  id ${ID},
  resource_id BIGINT NOT NULL,
  made_at BIGINT NOT NULL,
  retired_at BIGINT NOT NULL,
  data ${BLOB} NOT NULL
) ${OPTIONS};
CREATE INDEX dictionaries_newest ON dictionaries (resource_id, id);

-- The objects that were erased. Recorders do not store them again, whatever a spill, a list or
-- a watch still has. object_id is the number of the row that was deleted; 0: there was none.
CREATE TABLE erased_objects (
  uid ${WORD} NOT NULL,
  cluster_uid ${WORD} NOT NULL,
  object_id BIGINT NOT NULL,
  erased_at BIGINT NOT NULL,
  PRIMARY KEY (uid, cluster_uid)
) ${ORDERED};
CREATE INDEX erased_objects_number ON erased_objects (object_id);

CREATE TABLE labels (
  object_id BIGINT NOT NULL,
  name ${NAME} NOT NULL,
  value ${WORD} NOT NULL,
  PRIMARY KEY (object_id, name)
) ${ORDERED};

-- The intervals of versions of which a recorder has seen every revision.
CREATE TABLE coverage (
  id ${ID},
  cluster_id BIGINT NOT NULL,
  resource_id BIGINT NOT NULL,
  namespace ${WORD} NOT NULL,
  selector_hash BIGINT NOT NULL,
  recorder ${NAME} NOT NULL,
  from_version BIGINT NOT NULL,
  to_version BIGINT NOT NULL,
  base_version BIGINT NOT NULL,
  from_at BIGINT NOT NULL,
  to_at BIGINT NOT NULL,
  ended_at BIGINT NOT NULL
) ${OPTIONS};
CREATE INDEX coverage_end ON coverage (cluster_id, resource_id, namespace, selector_hash, to_version);

CREATE TABLE gaps (
  id ${ID},
  cluster_id BIGINT NOT NULL,
  resource_id BIGINT NOT NULL,
  namespace ${WORD} NOT NULL,
  selector_hash BIGINT NOT NULL,
  recorder ${NAME} NOT NULL,
  cause ${WORD} NOT NULL,
  from_version BIGINT NOT NULL,
  to_version BIGINT NOT NULL,
  from_at BIGINT NOT NULL,
  to_at BIGINT NOT NULL,
  detail ${TEXT} NOT NULL,
  healed_at BIGINT NOT NULL
) ${OPTIONS};
CREATE INDEX gaps_open ON gaps (cluster_id, resource_id, healed_at);

-- The feed: the transitions in the order of their commits (decision 27).

-- What transactions have written and the sequencer has not numbered yet. kind is 1 (new),
-- 2 (late), 3 (corrected), 4 (withdrawn: the revision is no transition any more) or 5 (decided:
-- the status of the job has changed without a transition of its object).
CREATE TABLE feed_outbox (
  id ${ID},
  object_id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  kind SMALLINT NOT NULL
) ${OPTIONS};

-- Positions have no gaps. recorded_at is when the sequencer assigned the position.
CREATE TABLE feed (
  position BIGINT NOT NULL PRIMARY KEY,
  object_id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  kind SMALLINT NOT NULL,
  recorded_at BIGINT NOT NULL
) ${ORDERED};
CREATE INDEX feed_object ON feed (object_id, position, version);

-- One row. position is the last position that was assigned; oldest is the last one whose
-- row was deleted. The transaction of a sequencer updates the row, so two of them conflict.
CREATE TABLE feed_head (
  id BIGINT NOT NULL PRIMARY KEY,
  position BIGINT NOT NULL,
  oldest BIGINT NOT NULL
) ${OPTIONS};

INSERT INTO feed_head (id, position, oldest) VALUES (1, 0, 0);

-- What each named reader has read. token grows with each transaction of the reader, so
-- two replicas conflict. expired_at is 0 while retention heeds the cursor.
CREATE TABLE feed_cursors (
  name ${NAME} NOT NULL PRIMARY KEY,
  position BIGINT NOT NULL,
  token BIGINT NOT NULL,
  owner ${NAME} NOT NULL,
  created_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  expired_at BIGINT NOT NULL
) ${OPTIONS};

-- A delivery is one message for one receiver. next_at is when it may be sent; while it is
-- sent, when its claim ends; after its end, when it ended. A claim takes the row of its
-- channel first, so claims of a channel are in a sequence on every database (decision 28).
CREATE TABLE deliveries (
  id ${ID},
  key_hash ${HASH} NOT NULL,
  key_text ${TEXT} NOT NULL,
  kind ${WORD} NOT NULL,
  rule_name ${NAME} NOT NULL,
  channel ${NAME} NOT NULL,
  receiver ${TEXT} NOT NULL,
  receiver_hash BIGINT NOT NULL,
  person ${NAME} NOT NULL,
  role ${WORD} NOT NULL,
  object_id BIGINT NOT NULL,
  lane BIGINT NOT NULL,
  feed_position BIGINT NOT NULL,
  notice ${BLOB} NOT NULL,
  state SMALLINT NOT NULL,
  attempts SMALLINT NOT NULL,
  rescues SMALLINT NOT NULL,
  next_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  sent_at BIGINT NOT NULL,
  claim BIGINT NOT NULL,
  claimed_by ${NAME} NOT NULL,
  status ${NAME} NOT NULL,
  ref ${NAME} NOT NULL,
  last_error ${TEXT} NOT NULL,
  late SMALLINT NOT NULL,
  replay SMALLINT NOT NULL,
  acked_by ${NAME} NOT NULL,
  acked_at BIGINT NOT NULL,
  escalate_at BIGINT NOT NULL,
  CONSTRAINT deliveries_key UNIQUE (key_hash)
) ${OPTIONS};
CREATE INDEX deliveries_due ON deliveries (channel, state, next_at, id);
CREATE INDEX deliveries_lane ON deliveries (lane, state, id);
CREATE INDEX deliveries_receiver ON deliveries (receiver_hash, created_at);
CREATE INDEX deliveries_object ON deliveries (object_id, id);
CREATE INDEX deliveries_escalation ON deliveries (escalate_at, id);

CREATE TABLE notify_channels (
  name ${NAME} NOT NULL PRIMARY KEY,
  token BIGINT NOT NULL,
  rate_at BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  open_until BIGINT NOT NULL,
  cause SMALLINT NOT NULL,
  trial BIGINT NOT NULL,
  disabled_at BIGINT NOT NULL,
  reason ${TEXT} NOT NULL,
  checked_at BIGINT NOT NULL
) ${OPTIONS};

CREATE TABLE digest_items (
  id ${ID},
  delivery_id BIGINT NOT NULL,
  key_hash ${HASH} NOT NULL,
  object_id BIGINT NOT NULL,
  kind ${WORD} NOT NULL,
  notice ${BLOB} NOT NULL,
  CONSTRAINT digest_items_key UNIQUE (delivery_id, key_hash)
) ${OPTIONS};

-- What people subscribed to. code_hash is the hash of the code that verifies the address.
CREATE TABLE subscriptions (
  id ${ID},
  content_hash ${HASH} NOT NULL,
  person ${NAME} NOT NULL,
  cluster ${NAME} NOT NULL,
  object_type ${NAME} NOT NULL,
  namespace ${WORD} NOT NULL,
  name ${NAME} NOT NULL,
  uid ${WORD} NOT NULL,
  labels ${TEXT} NOT NULL,
  states ${TEXT} NOT NULL,
  channel ${NAME} NOT NULL,
  address ${TEXT} NOT NULL,
  created_at BIGINT NOT NULL,
  created_by ${NAME} NOT NULL,
  verified_at BIGINT NOT NULL,
  code_hash ${HASH} NOT NULL,
  code_until BIGINT NOT NULL,
  tries SMALLINT NOT NULL,
  muted_until BIGINT NOT NULL,
  CONSTRAINT subscriptions_content UNIQUE (content_hash)
) ${OPTIONS};
CREATE INDEX subscriptions_person ON subscriptions (person, id);

-- What people do not want to get for a while. until_at 0 means until the job ends.
CREATE TABLE mutes (
  id ${ID},
  content_hash ${HASH} NOT NULL,
  person ${NAME} NOT NULL,
  channel ${NAME} NOT NULL,
  receiver ${TEXT} NOT NULL,
  object_id BIGINT NOT NULL,
  rule_name ${NAME} NOT NULL,
  digests SMALLINT NOT NULL,
  until_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  created_by ${NAME} NOT NULL,
  CONSTRAINT mutes_content UNIQUE (content_hash)
) ${OPTIONS};
CREATE INDEX mutes_until ON mutes (until_at, id);
CREATE INDEX mutes_object ON mutes (object_id, id);

-- Which messages are held back for everybody until a time. matchers has one matcher in a line.
-- touches grows when a message is held back and when the silence is expired, so that the two
-- transactions exclude each other.
CREATE TABLE silences (
  id ${ID},
  matchers ${TEXT} NOT NULL,
  comment ${TEXT} NOT NULL,
  created_by ${NAME} NOT NULL,
  expired_by ${NAME} NOT NULL,
  starts_at BIGINT NOT NULL,
  ends_at BIGINT NOT NULL,
  touches BIGINT NOT NULL
) ${OPTIONS};
CREATE INDEX silences_end ON silences (ends_at, id);

-- The messages that silences have held back, each in one summary.
CREATE TABLE silenced (
  id ${ID},
  silence_id BIGINT NOT NULL,
  delivery_id BIGINT NOT NULL,
  summary_id BIGINT NOT NULL,
  CONSTRAINT silenced_delivery UNIQUE (delivery_id)
) ${OPTIONS};
CREATE INDEX silenced_silence ON silenced (silence_id, delivery_id);
CREATE INDEX silenced_summary ON silenced (summary_id, delivery_id);

-- What people did with deliveries, mutes, silences and subscriptions.
CREATE TABLE notify_audit (
  id ${ID},
  happened_at BIGINT NOT NULL,
  actor ${NAME} NOT NULL,
  action ${WORD} NOT NULL,
  detail ${TEXT} NOT NULL
) ${OPTIONS};
CREATE INDEX notify_audit_time ON notify_audit (happened_at, id);

-- When the planner of notifications has to look at the state of an object again. hash is
-- that of the key, so each timer exists once. The row stays until the object has left the
-- state: fired says that the message was written, so it is never written twice.
CREATE TABLE notify_timers (
  id ${ID},
  key_hash ${HASH} NOT NULL,
  kind ${WORD} NOT NULL,
  due_at BIGINT NOT NULL,
  object_id BIGINT NOT NULL,
  version BIGINT NOT NULL,
  rule_id ${NAME} NOT NULL,
  fired SMALLINT NOT NULL,
  CONSTRAINT notify_timers_key UNIQUE (key_hash)
) ${OPTIONS};
CREATE INDEX notify_timers_due ON notify_timers (rule_id, due_at, id);

-- How far the planner has come with what it does beside the feed, by name.
CREATE TABLE notify_marks (
  name ${NAME} NOT NULL PRIMARY KEY,
  content ${TEXT} NOT NULL
) ${OPTIONS};

-- The ends of the logs of containers (decision 31): a row for each start of a container.
-- phase is 1 (ended, with text), 2 (not ended, with text) or 3 (without text). Lines before
-- floor_at, and the first floor_lines of that time, were removed because of a limit. The
-- transaction of a writer adds 1 to version first, so two of them conflict.
CREATE TABLE kept_logs (
  id ${ID},
  cluster_uid ${WORD} NOT NULL,
  namespace ${WORD} NOT NULL,
  pod ${NAME} NOT NULL,
  pod_uid ${WORD} NOT NULL,
  container ${WORD} NOT NULL,
  restarts BIGINT NOT NULL,
  owner_uid ${WORD} NOT NULL,
  owner_kind ${WORD} NOT NULL,
  owner_name ${NAME} NOT NULL,
  job_uid ${WORD} NOT NULL,
  job_kind ${WORD} NOT NULL,
  job_name ${NAME} NOT NULL,
  node ${NAME} NOT NULL,
  started_at BIGINT NOT NULL,
  ended_at BIGINT NOT NULL,
  exit_code BIGINT NOT NULL,
  reason ${NAME} NOT NULL,
  complete SMALLINT NOT NULL,
  phase SMALLINT NOT NULL,
  lines_kept BIGINT NOT NULL,
  text_bytes BIGINT NOT NULL,
  stored_bytes BIGINT NOT NULL,
  lost_lines BIGINT NOT NULL,
  lost ${TEXT} NOT NULL,
  limited ${TEXT} NOT NULL,
  floor_at BIGINT NOT NULL,
  floor_lines BIGINT NOT NULL,
  first_at BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  fetched_at BIGINT NOT NULL,
  removed_at BIGINT NOT NULL,
  version BIGINT NOT NULL,
  CONSTRAINT kept_logs_container UNIQUE (pod_uid, container, restarts, cluster_uid)
) ${OPTIONS};
CREATE INDEX kept_logs_job ON kept_logs (job_uid, phase, fetched_at, stored_bytes);
CREATE INDEX kept_logs_owner ON kept_logs (owner_uid);
CREATE INDEX kept_logs_age ON kept_logs (phase, fetched_at, id, stored_bytes, lines_kept, text_bytes);

-- Parts of the text in the order of seq, compressed, with the time of each line.
CREATE TABLE kept_log_chunks (
  log_id BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  first_at BIGINT NOT NULL,
  last_at BIGINT NOT NULL,
  line_count BIGINT NOT NULL,
  text_bytes BIGINT NOT NULL,
  data ${BLOB} NOT NULL,
  PRIMARY KEY (log_id, seq)
) ${ORDERED};

-- What people did through the portal (decision 32): a row for each write. The row is there
-- before the act, with the result "attempt", and gets its result afterwards. An attempt that
-- stays one was interrupted: its outcome is unknown. Refusals of one act within an hour are one
-- row, with the number of its repeats.
CREATE TABLE portal_audit (
  id ${ID},
  act_key ${WORD} NOT NULL,
  happened_at BIGINT NOT NULL,
  ended_at BIGINT NOT NULL,
  person ${NAME} NOT NULL,
  sign_in ${WORD} NOT NULL,
  address ${WORD} NOT NULL,
  act ${WORD} NOT NULL,
  object ${NAME} NOT NULL,
  cluster ${NAME} NOT NULL,
  type ${NAME} NOT NULL,
  namespace ${WORD} NOT NULL,
  name ${NAME} NOT NULL,
  uid ${WORD} NOT NULL,
  result ${WORD} NOT NULL,
  detail ${TEXT} NOT NULL,
  repeats BIGINT NOT NULL,
  CONSTRAINT portal_audit_act UNIQUE (act_key)
) ${OPTIONS};
CREATE INDEX portal_audit_time ON portal_audit (happened_at, id);

-- Recorders that share the work (decision 35).

-- One row. version grows with each change of members, shards and offers, so members poll it.
CREATE TABLE shard_head (
  id BIGINT NOT NULL PRIMARY KEY,
  version BIGINT NOT NULL
) ${OPTIONS};

INSERT INTO shard_head (id, version) VALUES (1, 0);

-- A row for each recorder that shares. beat grows while the recorder is alive. silent is how
-- long others have seen it stand still, in microseconds of their own clocks; it is 0 again with
-- each beat. lease is the time after which silent means death, for people. A recorder
-- that comes back after its row was deleted gets another id, so its old writes are refused.
-- namelock identifies the lock that the process held on its name; it is empty without one.
CREATE TABLE shard_members (
  id ${ID},
  name ${NAME} NOT NULL,
  beat BIGINT NOT NULL,
  silent BIGINT NOT NULL,
  lease BIGINT NOT NULL,
  namelock ${WORD} NOT NULL,
  joined_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  program ${WORD} NOT NULL,
  CONSTRAINT shard_members_name UNIQUE (name)
) ${OPTIONS};

-- A row for each target of a cluster. load_value is the measured work, in revisions a minute.
-- changed is the version of the last change of the row, so members read what is new. A
-- target may be divided into ranges of the hashes of UIDs. uid_range is the number of ranges
-- plus the index of this range, or 0 for a target that is not divided. It is for people:
-- selector_hash distinguishes ranges already.
CREATE TABLE shards (
  id ${ID},
  cluster_id BIGINT NOT NULL,
  resource_id BIGINT NOT NULL,
  namespace ${NAME} NOT NULL,
  selector_hash BIGINT NOT NULL,
  uid_range SMALLINT NOT NULL,
  load_value BIGINT NOT NULL,
  changed BIGINT NOT NULL,
  CONSTRAINT shards_scope UNIQUE (cluster_id, resource_id, namespace, selector_hash)
) ${OPTIONS};
CREATE INDEX shards_changed ON shards (changed);

-- A row for each member that can record a shard. held is 1 while the member records it, and
-- -1 after the member has withdrawn the offer. Each
-- transaction that writes revisions adds 1 to batches where held is 1: it fails if the
-- member was removed, also in a cluster of databases without common locks.
CREATE TABLE shard_offers (
  shard_id BIGINT NOT NULL,
  member_id BIGINT NOT NULL,
  held SMALLINT NOT NULL,
  ready SMALLINT NOT NULL,
  held_at BIGINT NOT NULL,
  changed BIGINT NOT NULL,
  batches BIGINT NOT NULL,
  PRIMARY KEY (shard_id, member_id)
) ${OPTIONS};
CREATE INDEX shard_offers_member ON shard_offers (member_id);
CREATE INDEX shard_offers_changed ON shard_offers (changed);

-- Each recorder says every three seconds up to when everything that it has seen is committed.
-- Readers call nothing current that no recorder has confirmed. All times are by the clock of
-- the database, in microseconds.

-- A row for each recorder of a cluster. committed_at is the instant up to which everything
-- that the recorder has seen is committed. renewed_at is the time of the last heartbeat.
CREATE TABLE recorders (
  id ${ID},
  cluster_id BIGINT NOT NULL,
  name ${NAME} NOT NULL,
  committed_at BIGINT NOT NULL,
  renewed_at BIGINT NOT NULL,
  CONSTRAINT recorders_name UNIQUE (cluster_id, name)
) ${OPTIONS};

-- A row for each scope of a recorder. behind_at replaces committed_at of the recorder where
-- this scope is behind; 0: it is not. heard_at is the time of the last frame or bookmark; it
-- is stored about every half minute. uid_range is that of shards.
CREATE TABLE recorder_scopes (
  recorder_id BIGINT NOT NULL,
  resource_id BIGINT NOT NULL,
  namespace ${WORD} NOT NULL,
  selector_hash BIGINT NOT NULL,
  selectors BIGINT NOT NULL,
  uid_range SMALLINT NOT NULL,
  behind_at BIGINT NOT NULL,
  heard_at BIGINT NOT NULL,
  PRIMARY KEY (recorder_id, resource_id, namespace, selector_hash)
) ${OPTIONS};

-- Says which programs work on the schema: a program must know oldest_step at least. Each
-- later step adds its row (decision 26).
CREATE TABLE schema_compatibility (
  step BIGINT NOT NULL PRIMARY KEY,
  oldest_step BIGINT NOT NULL
) ${OPTIONS};

INSERT INTO schema_compatibility (step, oldest_step) VALUES (1, 1);

-- Views for people, with names instead of IDs and with timestamps.
CREATE VIEW object_times AS
SELECT o.id, c.name AS cluster, r.api_group, r.name AS resource, o.namespace, o.name, o.uid, o.owner_kind, o.owner_name, o.queue, o.submitter,
  o.state, o.raw_state, o.reason, o.message, o.version, o.presence, ${TIME:o.created_at} AS created_at, ${TIME:o.seen_at} AS seen_at,
  ${TIME:o.since} AS since, ${TIME:o.deleted_at} AS deleted_at, o.selector_hash, o.attributes_hash, o.keyframe_version, o.deltas,
  CASE o.presence WHEN 0 THEN 'present' WHEN 1 THEN 'deleted' WHEN 3 THEN 'unselected' ELSE 'unknown' END AS presence_name
FROM objects o JOIN clusters c ON c.id = o.cluster_id JOIN resources r ON r.id = o.resource_id;

CREATE VIEW job_times AS
SELECT o.id, o.cluster, o.api_group, o.resource, o.namespace, o.name, o.uid, o.queue, o.submitter, j.state, j.reason, j.message, o.presence_name,
  o.created_at, ${TIME:j.since} AS since, o.deleted_at, j.gpus, j.pods, j.priority, j.attempt, j.attempts, j.time_limit / 1000000 AS limit_seconds
FROM object_times o JOIN jobs j ON j.object_id = o.id;

CREATE VIEW transition_times AS
SELECT t.id, t.object_id, c.name AS cluster, r.api_group, r.name AS resource, o.namespace, o.name, o.uid, t.version, t.from_state, t.to_state,
  t.from_raw_state, t.to_raw_state, t.reason, t.message, t.source, ${TIME:t.happened_at} AS happened_at, ${TIME:t.seen_at} AS seen_at,
  CASE t.source WHEN 1 THEN 'watch' WHEN 2 THEN 'list' WHEN 3 THEN 'relist' WHEN 5 THEN 'reshown' ELSE 'inferred' END AS source_name
FROM transitions t JOIN objects o ON o.id = t.object_id JOIN clusters c ON c.id = o.cluster_id JOIN resources r ON r.id = o.resource_id;

CREATE VIEW gap_times AS
SELECT g.id, c.name AS cluster, r.api_group, r.name AS resource, g.namespace, g.recorder, g.cause, g.from_version, g.to_version, g.detail,
  ${TIME:g.from_at} AS from_at, ${TIME:g.to_at} AS to_at, ${TIME:g.healed_at} AS healed_at,
  g.selector_hash
FROM gaps g JOIN clusters c ON c.id = g.cluster_id JOIN resources r ON r.id = g.resource_id;

CREATE VIEW delivery_times AS
SELECT d.id, d.key_text, d.kind, d.rule_name, d.channel, d.receiver, d.person, d.role, d.object_id, d.attempts, d.status, d.last_error, d.late, d.replay, d.acked_by,
  CASE d.state WHEN 1 THEN 'held' WHEN 2 THEN 'behind' WHEN 3 THEN 'waiting' WHEN 4 THEN 'sending' WHEN 5 THEN 'sent' WHEN 6 THEN 'dead'
    WHEN 7 THEN 'superseded' WHEN 8 THEN 'dropped' ELSE 'silenced' END AS state_name,
  ${TIME:d.created_at} AS created_at, ${TIME:d.sent_at} AS sent_at, ${TIME:d.next_at} AS next_at, ${TIME:d.acked_at} AS acked_at
FROM deliveries d;

CREATE VIEW kept_log_times AS
SELECT l.id, l.cluster_uid, l.namespace, l.pod, l.pod_uid, l.container, l.restarts, l.owner_kind, l.owner_name, l.owner_uid, l.job_kind, l.job_name, l.job_uid, l.node,
  l.exit_code, l.reason, l.complete, l.lines_kept, l.text_bytes, l.stored_bytes, l.lost_lines, l.lost, l.limited,
  ${TIME:l.started_at} AS started_at, ${TIME:l.ended_at} AS ended_at, ${TIME:l.first_at} AS first_line_at, ${TIME:l.last_at} AS last_line_at,
  ${TIME:l.fetched_at} AS fetched_at, ${TIME:l.removed_at} AS removed_at
FROM kept_logs l;
