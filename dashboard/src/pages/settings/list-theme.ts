/** Describes the theme of a referral page, which is stored as JSON. */
export function listTheme(json: string): string {
  const set = Object.entries(JSON.parse(json) as Readonly<Record<string, unknown>>).filter(
    ([, value]) => value !== null,
  );
  return set.map(([name, value]) => `${name} ${value}`).join(", ") || "default";
}
