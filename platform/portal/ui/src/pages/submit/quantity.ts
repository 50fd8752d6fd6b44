// Quantities and durations in the notation of Kubernetes and the templates.

const suffixes: Record<string, number> = {
  n: 1e-9, u: 1e-6, m: 1e-3, "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
  Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3, Ti: 1024 ** 4, Pi: 1024 ** 5, Ei: 1024 ** 6,
};

// quantity returns the number of a quantity such as 500m or 16Gi; undefined for an invalid
// one.
export function quantity(text: string): number | undefined {
  const found = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,3}))?$/.exec(text.trim());
  if (found === null) return undefined;
  const scale = found[3] === undefined ? suffixes[found[2] ?? ""] : 10 ** Number(found[3]);
  return scale === undefined ? undefined : Number(found[1]) * scale;
}

const units: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

// duration returns the seconds of a duration such as 90s or 1h30m; undefined for an invalid
// one.
export function duration(text: string): number | undefined {
  const bare = text.replace(/\s+/g, "");
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(bare)) return undefined;
  let seconds = 0;
  for (const part of bare.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) seconds += Number(part[1]) * (units[part[2] ?? ""] ?? 0);
  return seconds;
}
