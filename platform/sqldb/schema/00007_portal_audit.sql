-- +goose Up
-- What people did through the portal (decision 32): a row for each write. The row is there
-- before the act, with the result "attempt", and gets its result afterwards. An attempt that
-- stays one was interrupted: its outcome is unknown.
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
  CONSTRAINT portal_audit_act UNIQUE (act_key)
) ${OPTIONS};
CREATE INDEX portal_audit_time ON portal_audit (happened_at, id);
${COPY_RIGHTS:objects portal_audit}

INSERT INTO schema_compatibility (step, oldest_step) VALUES (7, 1);
