// The first tab: why it waits or failed, attempts, transitions, the end of the log, messages.

import { holds, isOpen } from "../../core/state";
import { AttemptsCard, useAttempts } from "./attempts";
import type { JobContext } from "./context";
import { DeliveriesCard, useDeliveries } from "./deliveries";
import { DiffCard } from "./diffcard";
import { useFailure, WhyItFailed } from "./failure";
import { LogCard } from "./logcard";
import { TransitionsCard } from "./transitions";
import { WhyItWaits } from "./waiting";
import type { useWaiting } from "./waiting";

// Overview shows the most important facts about the state of the job first.
export function Overview({ job, waits }: { job: JobContext; waits: ReturnType<typeof useWaiting> }) {
  const failure = useFailure(job);
  const attempts = useAttempts(job);
  const deliveries = useDeliveries(job);
  const messages = deliveries.data?.deliveries ?? [];
  const why = (isOpen(job.row.state) && !holds(job.row.state)) || (job.row.state === "Starting" && (waits.data?.nodes?.length ?? 0) > 0);
  const compared = (attempts.data?.attempts.length ?? 0) > 1;
  // The difference goes into the shorter column.
  const aside = job.row.state === "Failed" || compared;
  return (
    <div class="job-stack">
      {why ? <WhyItWaits job={job} waiting={waits} /> : null}
      <div class="overview">
        <div class="overview-main">
          {job.row.state === "Failed" ? <WhyItFailed job={job} failure={failure} /> : null}
          {attempts.data && compared ? <AttemptsCard job={job} list={attempts.data} /> : null}
          <TransitionsCard job={job} />
          {aside ? null : <DiffCard job={job} />}
        </div>
        <div class="overview-side">
          <LogCard job={job} lines={failure.data?.lines} kept={failure.data?.linesKept} />
          {messages.length > 0 ? <DeliveriesCard job={job} list={messages} reload={deliveries.reload} /> : null}
          {aside ? <DiffCard job={job} /> : null}
        </div>
      </div>
    </div>
  );
}
