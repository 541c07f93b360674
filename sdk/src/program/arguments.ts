type Wire = Readonly<Record<string, string | null>>;

/** Throws a `TypeError` unless `id` is one of the service's ids. */
export function idOf(path: string, id: unknown): string {
  if (Number.isSafeInteger(id) && Number(id) > 0) return String(id);
  throw new TypeError(`${path} must be a positive integer`);
}

/** Returns the arguments under their wire names. Throws a `TypeError` if one is unknown or of the wrong type. */
export function wireOf(kind: string, known: string, input: object): Wire {
  const wire: Record<string, string | null> = {};
  for (const [name, value] of Object.entries(input as Readonly<Record<string, unknown>>)) {
    const path = `${kind}.${name}`;
    if (!known.split(" ").includes(name)) throw new TypeError(`${path} is unknown`);
    const text = textOf(path, name, value);
    if (typeof text !== "string" && text != null) throw new TypeError(`${path} must be text`);
    if (text !== undefined) wire[name.replace(/[A-Z]/g, "_$&").toLowerCase()] = text;
  }
  return wire;
}

const flags = ["attributed", "hasSale", "testMode"];

function textOf(path: string, name: string, value: unknown): unknown {
  if (name === "partnerId" && value != null) return idOf(path, value);
  if (typeof value === "boolean" && flags.includes(name)) return String(value);
  // An invalid Date is NaN here, so the caller refuses it. As null, it would remove a limit.
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? Number.NaN : value.toISOString();
  return value;
}

/** Returns the query parameters without those that count as absent. */
export const present = (wire: Wire): Record<string, string> =>
  Object.fromEntries(Object.entries(wire).flatMap(([name, text]) => (text ? [[name, text]] : [])));
