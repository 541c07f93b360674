import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { Card } from "../../components/card.tsx";
import { pluralize } from "../../format.ts";

const shown = 10;

const useUnknownCodes = () =>
  useProgramQuery(
    "unknown codes",
    {},
    async (call, init) => (await take(api.programs[":programId"]["unknown-codes"].$get(call, init))).data,
  );

/**
 * Codes of clicks that belong to no partner. Shows nothing if there are none or until they are loaded, since they are
 * only a hint.
 */
export function UnknownCodes(): JSX.Element | null {
  const { data = [] } = useUnknownCodes();
  const landings = new Map<string, number>();
  for (const { code, landings: more } of data) landings.set(code, (landings.get(code) ?? 0) + more);
  const codes = [...landings].sort(([, a], [, b]) => b - a);
  if (codes.length === 0) return null;
  return (
    <Card
      title="Unknown codes"
      lead="Visitors landed with codes that no partner has, so no one is credited. Correct the links, or add the code to its partner. Last 30 days."
    >
      <ul>
        {codes.slice(0, shown).map(([code, count]) => (
          <li key={code} class="breakable">
            {pluralize(count, "landing")} with the unknown code <code>{code}</code>
          </li>
        ))}
      </ul>
      {codes.length > shown && <p class="soft">and {pluralize(codes.length - shown, "more code")}</p>}
    </Card>
  );
}
