interface Decision {
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly after: Readonly<Record<string, unknown>> | null;
}

const togetherMs = 60_000;

const isTogether = (newer: Decision, older: Decision): boolean =>
  (newer.action.startsWith("commission.") || newer.action === "customer.imported") &&
  newer.action === older.action &&
  newer.actor === older.actor &&
  newer.after?.reason === older.after?.reason &&
  newer.after?.partnerNote === older.after?.partnerNote &&
  Date.parse(newer.at) - Date.parse(older.at) <= togetherMs;

/** Groups decisions of the same kind that one user made within a minute. The newest group comes first. */
export function groupDecisions<Entry extends Decision>(
  entries: readonly Entry[],
): readonly (readonly [Entry, ...Entry[]])[] {
  const groups: [Entry, ...Entry[]][] = [];
  for (const entry of entries) {
    const latest = groups.at(-1);
    const before = latest?.at(-1);
    if (latest !== undefined && before !== undefined && isTogether(before, entry)) latest.push(entry);
    else groups.push([entry]);
  }
  return groups;
}
