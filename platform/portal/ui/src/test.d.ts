// The parts of Node that tests use.
declare module "node:test" {
  export function test(name: string, f: () => void | Promise<void>): void;
  export const mock: { timers: { enable(o: { apis: string[]; now?: number }): void; tick(ms: number): void; setTime(ms: number): void; reset(): void } };
}
declare module "node:assert/strict" {
  const assert: { equal(a: unknown, b: unknown, m?: string): void; deepEqual(a: unknown, b: unknown, m?: string): void; ok(a: unknown, m?: string): void };
  export default assert;
}
declare module "*.json" {
  const value: unknown;
  export default value;
}
