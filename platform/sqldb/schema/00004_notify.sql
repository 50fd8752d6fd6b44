-- +goose Up
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
${COPY_RIGHTS:objects deliveries}

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
${COPY_RIGHTS:objects notify_channels}

CREATE TABLE digest_items (
  id ${ID},
  delivery_id BIGINT NOT NULL,
  key_hash ${HASH} NOT NULL,
  object_id BIGINT NOT NULL,
  kind ${WORD} NOT NULL,
  notice ${BLOB} NOT NULL,
  CONSTRAINT digest_items_key UNIQUE (delivery_id, key_hash)
) ${OPTIONS};
${COPY_RIGHTS:objects digest_items}

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
${COPY_RIGHTS:objects subscriptions}

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
${COPY_RIGHTS:objects mutes}

-- What people did with deliveries, mutes and subscriptions.
CREATE TABLE notify_audit (
  id ${ID},
  happened_at BIGINT NOT NULL,
  actor ${NAME} NOT NULL,
  action ${WORD} NOT NULL,
  detail ${TEXT} NOT NULL
) ${OPTIONS};
CREATE INDEX notify_audit_time ON notify_audit (happened_at, id);
${COPY_RIGHTS:objects notify_audit}

${REPLACE_VIEW:delivery_times} AS
SELECT d.id, d.key_text, d.kind, d.rule_name, d.channel, d.receiver, d.person, d.role, d.object_id, d.attempts, d.status, d.last_error, d.late, d.replay, d.acked_by,
  CASE d.state WHEN 1 THEN 'held' WHEN 2 THEN 'behind' WHEN 3 THEN 'waiting' WHEN 4 THEN 'sending' WHEN 5 THEN 'sent' WHEN 6 THEN 'dead'
    WHEN 7 THEN 'superseded' ELSE 'dropped' END AS state_name,
  ${TIME:d.created_at} AS created_at, ${TIME:d.sent_at} AS sent_at, ${TIME:d.next_at} AS next_at, ${TIME:d.acked_at} AS acked_at
FROM deliveries d;

INSERT INTO schema_compatibility (step, oldest_step) VALUES (4, 1);
