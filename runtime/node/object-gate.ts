/** Delays an object's calls until its writes are durable. */
export interface Gate {
  /** Sends a call once the object's writes are stored. The promise never settles if the object has ended by then. */
  send<T>(call: () => T | Promise<T>): Promise<T>;
}

/** Marks a binding that applies the gate itself. Its own methods return at once, and only calls to its objects wait. */
export const gated = Symbol("gated");

interface Gatable {
  [gated](gate: Gate): unknown;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const isGatable = (value: object): value is Gatable => gated in value;

/** The bindings with all methods behind the gate. Texts and data are unchanged. */
export function gatedEnv(env: object, gate: Gate): Record<string, unknown> {
  return Object.fromEntries(Object.entries(env).map(([name, binding]) => [name, gatedBinding(binding, gate)]));
}

function gatedBinding(binding: unknown, gate: Gate): unknown {
  if (typeof binding === "function") return gatedMethod(binding, undefined, gate);
  if (!isObject(binding)) return binding;
  if (isGatable(binding)) return binding[gated](gate);
  const methods = methodsOf(binding).map((name) => [name, gatedMethod(Reflect.get(binding, name), binding, gate)]);
  return methods.length === 0 ? binding : { ...binding, ...Object.fromEntries(methods) };
}

const gatedMethod =
  (method: CallableFunction, owner: object | undefined, gate: Gate) =>
  (...args: readonly unknown[]): Promise<unknown> =>
    gate.send(() => Reflect.apply(method, owner, args));

/** The names of methods, including inherited ones. */
export function methodsOf(value: object): readonly string[] {
  const names = new Set<string>();
  for (let at: object | null = value; at !== null && !isBase(at); at = Object.getPrototypeOf(at)) {
    for (const [name, { value: member }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (typeof member === "function" && name !== "constructor") names.add(name);
    }
  }
  return [...names];
}

const isBase = (prototype: object): boolean => prototype === Object.prototype || prototype === Array.prototype;
