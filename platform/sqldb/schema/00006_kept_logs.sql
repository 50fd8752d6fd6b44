-- +goose Up
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
${COPY_RIGHTS:objects kept_logs}

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
${COPY_RIGHTS:objects kept_log_chunks}

${REPLACE_VIEW:kept_log_times} AS
SELECT l.id, l.cluster_uid, l.namespace, l.pod, l.pod_uid, l.container, l.restarts, l.owner_kind, l.owner_name, l.owner_uid, l.job_kind, l.job_name, l.job_uid, l.node,
  l.exit_code, l.reason, l.complete, l.lines_kept, l.text_bytes, l.stored_bytes, l.lost_lines, l.lost, l.limited,
  ${TIME:l.started_at} AS started_at, ${TIME:l.ended_at} AS ended_at, ${TIME:l.first_at} AS first_line_at, ${TIME:l.last_at} AS last_line_at,
  ${TIME:l.fetched_at} AS fetched_at, ${TIME:l.removed_at} AS removed_at
FROM kept_logs l;

INSERT INTO schema_compatibility (step, oldest_step) VALUES (6, 1);
