import assert from "node:assert/strict";
import { test } from "node:test";
import type { Template } from "../../api";
import { linesOf } from "../../design/yamltokens";
import { cloned, nextName } from "./clonetext";
import { load, store, withoutSecrets } from "./draft";
import type { Draft } from "./draft";
import { fieldOf, fieldsOf } from "./fields";
import { slotsOf } from "./mirror";
import { choose, draftOf, empty, fieldName, ofDraft, open, rendered, repaired, request, setText, setYAML } from "./submission";
import { outline, scalar, unquoted } from "./yamloutline";
import { changedLines, indentAfter } from "./yamlpane";

const job = `apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"spec": 1}
  labels:
    kueue.x-k8s.io/queue-name: gpu-h100
    training.kubeflow.org/job: x
    controller-uid: "77"
  managedFields:
  - manager: kubectl
    fieldsV1:
      f:a: {}
  name: llama-seed-1337
  namespace: team-llm
  uid: abc
spec:
  runPolicy:
    backoffLimit: 2
    suspend: true
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        spec:
          containers:
          - name: pytorch
            image: train:1 # pinned
            args:
            - --seed=1
            env:
            - name: HF_TOKEN
              value: geheim
            resources:
              limits:
                memory: 640Gi
                nvidia.com/gpu: 8
              requests:
                memory: 720Gi
    Worker:
      replicas: 3
      template:
        spec:
          containers:
          - args: |
              image: no field
            image: train:1
status:
  conditions:
  - type: Created
`;

test("the outline has the paths of servers", () => {
  const paths = Object.fromEntries(outline(linesOf(job)).map((n) => [n.path, n.value]));
  assert.equal(paths["spec.pytorchReplicaSpecs.Master.template.spec.containers[0].image"], "train:1");
  assert.equal(paths["spec.pytorchReplicaSpecs.Worker.template.spec.containers[0].image"], "train:1");
  assert.equal(paths["metadata.labels[kueue.x-k8s.io/queue-name]"], "gpu-h100");
  assert.equal(paths["spec.pytorchReplicaSpecs.Master.template.spec.containers[0].env[0].value"], "geheim");
  assert.equal(outline(linesOf(job)).filter((n) => n.key === "image").length, 2, "the text of a block has no keys");
});

test("scalars are read as they were written", () => {
  for (const text of ["a", "true", "12", "1e3", "0x1f", "2026-11-22", "", " a", "a ", "a: b", "a #b", "#a", "- a", "-a", "--seed=1", "null", "~", "it's", '"x"', "a\nb", "汉", "yes", "*x", "a:"]) {
    const written = scalar(text, false);
    assert.equal(unquoted(written), text);
    const node = outline([`k: ${written}`])[0];
    assert.equal(node ? unquoted(node.value) : undefined, text, written);
  }
  assert.equal(scalar("true", false), '"true"');
  assert.equal(scalar("8", true), "8");
});

test("a clone has nothing of servers and controllers, and a new name", () => {
  const clone = cloned({ version: "1", yaml: job });
  const text = clone.lines.join("\n");
  for (const gone of ["uid", "status", "managedFields", "suspend", "last-applied", "annotations", "controller-uid"]) {
    assert.ok(!text.includes(gone), gone);
  }
  assert.ok(text.includes("name: llama-seed-1338") && text.includes("backoffLimit: 2"));
  assert.deepEqual([...changedLines(clone.base, text)].length, 1, "only the name differs");
  assert.deepEqual(["a-seed-1337", "a-099", "resnet50", "a".repeat(63)].map(nextName), ["a-seed-1338", "a-100", "resnet50-2", "a".repeat(61) + "-2"]);
});

test("fields are found in YAML, shared if their values are the same", () => {
  const found = fieldsOf(linesOf(job));
  assert.equal(found.texts["name"], "llama-seed-1337");
  assert.equal(found.slots["image"]?.length, 2);
  assert.equal(found.texts["replicas Worker"], "3");
  assert.equal(fieldOf(found.slots, "spec.pytorchReplicaSpecs.Master.template.spec.containers[0].resources.limits.memory"), "memoryLimit");
});

test("the form changes the YAML, and the YAML the form", () => {
  const s = open(empty("c", "n", "k"), linesOf(job));
  const changed = setText(s, "image", "true");
  assert.equal(changed.yaml.match(/image: "true"/g)?.length, 2);
  assert.ok(changed.yaml.includes('image: "true" # pinned'));
  const back = setYAML(changed, changed.yaml.replaceAll('"true"', "train:2").replace("replicas: 3", "replicas: 5"));
  assert.equal(back.texts["image"], "train:2");
  assert.equal(back.texts["replicas Worker"], "5");
  const repair = { field: "spec.pytorchReplicaSpecs.Master.template.spec.containers[0].resources.limits.memory", line: 0, message: "less than the request", repair: "720Gi" };
  assert.equal(fieldName(s, repair), "memoryLimit");
  assert.ok(!repaired(s, repair).yaml.includes("640Gi"));
  assert.deepEqual(request(s), { cluster: "c", yaml: s.yaml });
});

const template: Template = { name: "t", title: "T", type: "jobs.batch", source: "builtin", parameters: [{ name: "image", type: "text" }, { name: "gpus", type: "int", default: 1 }, { name: "command", type: "list" }] };

test("parameters whose lines are known stay mirrored while the YAML is edited", () => {
  let s = setText(choose(empty("c", "n", "k"), template), "image", "a:1");
  s = rendered(s, { yaml: "spec:\n  image: a:1\n  note: uses a:1\n  gpus: 1\n", lines: { image: [2, 3], gpus: [4] } });
  assert.deepEqual(Object.keys(s.slots), ["image", "gpus"]);
  s = setText(s, "image", "b:2");
  assert.ok(s.yaml.includes("image: b:2\n  note: uses b:2"));
  const edited = setYAML(s, s.yaml.replaceAll("b:2", "c:3").replace("spec:", "kind: Job\nspec:"));
  assert.equal(edited.mode, "yaml");
  assert.equal(edited.texts["image"], "c:3");
  assert.equal(setText(edited, "gpus", "4").yaml.includes("gpus: 4\n"), true);
  const torn = setYAML(s, s.yaml.replace("note: uses b:2", "note: uses d:9"));
  assert.equal(torn.slots["image"], undefined, "places that disagree are not mirrored");
  assert.deepEqual(request(s), { cluster: "c", namespace: "n", template: "t", values: { image: "b:2", gpus: 1 } });
  assert.equal(slotsOf(template.parameters ?? [], { image: "a", gpus: "", command: "x" }, ["a: banana"], { image: [1], command: [1] })["image"], undefined, "a value that occurs twice has no place");
});

test("drafts are kept without secrets", () => {
  const draft: Draft = { ...draftOf(open(empty("c", "n", "k"), linesOf(job)), "t"), texts: { env: "A=1 HF_TOKEN=geheim", image: "tokenizer:1" } };
  const kept = withoutSecrets({ ...draft, yaml: `${draft.yaml}args: [--token=geheim]\npassword: geheim\nTOKENIZER: x\nserviceAccountToken: keep\ncert: |\n  -----BEGIN RSA PRIVATE KEY-----\n  geheim\n` });
  assert.ok(!JSON.stringify(kept).includes("geheim"), kept.yaml);
  assert.ok(kept.yaml.includes("TOKENIZER: x") && kept.yaml.includes("serviceAccountToken: keep") && kept.yaml.includes("train:1"));
  assert.equal(kept.texts["env"], "A=1 HF_TOKEN=");
  assert.equal(kept.left, true);
  const clean = { ...draft, texts: {}, yaml: "a: b\n" };
  assert.deepEqual(withoutSecrets(clean), clean);
});

test("a draft comes back, and damaged ones do not", () => {
  const kept = new Map<string, string>();
  const storage = { getItem: (k: string) => kept.get(k) ?? null, setItem: (k: string, v: string) => void kept.set(k, v), removeItem: (k: string) => void kept.delete(k) };
  const s = setText(choose(empty("c", "n", "k"), template), "image", "a:1");
  assert.ok(store(storage, draftOf(s, "now")));
  const draft = load(storage, "") ?? draftOf(empty("", "", "lost"), "");
  assert.equal(ofDraft(empty("", "", "x"), draft, [template], []).texts["image"], "a:1");
  assert.equal(ofDraft(empty("", "", "x"), draft, [template], []).key, "k", "the key stays, so that one draft makes one job");
  for (const bad of ["", "{", "null", '{"version":2}', '{"version":1,"texts":{"a":1}}']) {
    kept.set("vedette.draft", bad);
    assert.equal(load(storage, ""), undefined, bad);
  }
  assert.equal(load(undefined, ""), undefined);
  assert.equal(store({ ...storage, setItem: () => { throw new Error("full"); } }, draftOf(s, "now")), false);
});

test("a new line is indented like a person would", () => {
  assert.equal(indentAfter("  a:"), "    ");
  assert.equal(indentAfter("  - a: b"), "    ");
  assert.equal(indentAfter("x"), "");
});
