/** Accepts an integer or its decimal string. Undefined if it can't be an id. */
export function readId(value: unknown): number | undefined {
  const id = typeof value === "string" && /^[1-9]\d*$/.test(value) ? Number(value) : value;
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 1 ? id : undefined;
}
