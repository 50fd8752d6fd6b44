// The beginning of the page: a clone, a draft, or a template.

import { useEffect, useState } from "preact/hooks";
import { PathBody, PathJob, PathTemplates, ProblemUnknown } from "../../api";
import type { Body, JobDetail, Problem, Template, TemplateList } from "../../api";
import { fill } from "../../core/client";
import { useResource } from "../../core/resource";
import { clusters as allClusters, session } from "../../core/session";
import { recall } from "../../core/storage";
import { newKey } from "../../design/key";
import { cloned } from "./clonetext";
import { load } from "./draft";
import type { Storage } from "./draft";
import { choose, empty, ofDraft, open, raised } from "./submission";
import type { Raise, Submission } from "./submission";

// Beginning is the data that the page needs to show the form.
export interface Beginning {
  templates: readonly Template[];
  // clone is the job to clone, if there is one.
  clone?: JobDetail;
  body?: Body;
}

// writable are the clusters that the portal can write to.
export function writable(): string[] {
  return (session.value?.clusters ?? []).filter((c) => c.writable).map((c) => c.name);
}

// browserStorage is the storage of drafts; undefined if the person forbids it.
export function browserStorage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

// useBeginning reads the templates, and the job to clone. A UID without a cluster is searched in
// one cluster after the other.
export function useBeginning(uid: string, cluster: string): { data?: Beginning; problem?: Problem; reload: () => void } {
  const [tried, next] = useState(0);
  const names = cluster !== "" ? [cluster] : allClusters.value;
  const at = names[Math.min(tried, names.length - 1)] ?? "";
  const templates = useResource<TemplateList>(PathTemplates);
  const detail = useResource<JobDetail>(uid === "" || at === "" ? "" : fill(PathJob, { cluster: at, uid }));
  const version = detail.data?.job.version ?? "";
  const body = useResource<Body>(version === "" ? "" : fill(PathBody, { cluster: at, uid, version }));
  const missing = detail.problem?.type === ProblemUnknown && tried < names.length - 1;
  useEffect(() => {
    if (missing) {
      next(tried + 1);
    }
  }, [missing, tried]);
  const reload = () => {
    templates.reload();
    detail.reload();
    body.reload();
  };
  const problem = templates.problem ?? (missing ? undefined : detail.problem) ?? body.problem;
  if (problem && !(templates.data && (uid === "" || body.data))) {
    return { problem, reload };
  }
  if (!templates.data || (uid !== "" && (!detail.data || !body.data))) {
    return { reload };
  }
  return { data: { templates: templates.data.templates ?? [], ...(detail.data && body.data ? { clone: detail.data, body: body.data } : {}) }, reload };
}

// begin creates the first submission of the page: the draft if there is one, otherwise the
// clone, the template of the URL, or the first template. A raise applies to a new clone,
// not to a draft of one.
export function begin(b: Beginning, template: string, raise?: Raise): Submission {
  const names = writable();
  const job = b.clone?.job;
  const fresh = empty(job && names.includes(job.cluster) ? job.cluster : (names[0] ?? ""), recall("submit.namespace", ""), newKey());
  const draft = load(browserStorage(), job?.uid ?? "");
  if (job && b.body) {
    const clone = cloned(b.body);
    const ref = { cluster: job.cluster, uid: job.uid, type: job.type, namespace: job.namespace, name: job.name };
    const begun = open(fresh, clone.lines, clone.base, ref);
    if (raise) {
      return raised(begun, raise);
    }
    return draft?.cloneOf?.uid === job.uid ? ofDraft(begun, draft, b.templates, clone.base) : begun;
  }
  const wanted = b.templates.find((t) => t.name === template);
  if (wanted && draft?.template !== wanted.name) {
    return choose(fresh, wanted);
  }
  if (draft) {
    const kept = ofDraft(fresh, draft, b.templates, []);
    if (kept !== fresh) {
      return kept;
    }
  }
  const first = b.templates[0];
  return first ? choose(fresh, first) : open(fresh, []);
}
