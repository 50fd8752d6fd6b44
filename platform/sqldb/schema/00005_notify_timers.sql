-- +goose Up
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
${COPY_RIGHTS:objects notify_timers}

-- How far the planner has come with what it does beside the feed, by name.
CREATE TABLE notify_marks (
  name ${NAME} NOT NULL PRIMARY KEY,
  content ${TEXT} NOT NULL
) ${OPTIONS};
${COPY_RIGHTS:objects notify_marks}

INSERT INTO schema_compatibility (step, oldest_step) VALUES (5, 1);
