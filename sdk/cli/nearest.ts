/** Returns the known name that is most similar, ignoring case and separators; undefined if none is similar. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = lettersOf(name);
  const [best] = known
    .map((candidate) => ({ candidate, changes: distance(lettersOf(candidate), wanted) }))
    .sort((a, b) => a.changes - b.changes);
  if (best && best.changes <= Math.min(2, wanted.length / 3)) return best.candidate;
  return wanted.length > 3 ? known.find((candidate) => lettersOf(candidate).includes(wanted)) : undefined;
}

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** Returns the number of letters to add, remove or replace. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      const [above = 0, diagonal = 0, left = 0] = [row[j + 1], row[j], next[j]];
      next.push(Math.min(above + 1, left + 1, diagonal + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
