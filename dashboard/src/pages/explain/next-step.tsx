import type { JSX } from "preact";
import type { Explanation } from "../../api/types.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, programAddress } from "../../url.ts";

type Shortfall = Explanation["missing"][number];

const settings: Readonly<Record<string, readonly [section: string | undefined, title: string]>> = {
  attribution_window_expired: ["attribution", "Change the window"],
  program_inactive: [undefined, "Open program settings"],
  provisional: ["attribution", "View who may report leads"],
  no_commission_policy: ["commission", "Set a commission"],
  below_minimum: ["commission", "View commission policy"],
  commission_duration_over: ["commission", "View commission policy"],
  recurring_not_covered: ["commission", "View commission policy"],
  currency_mismatch: ["commission", "View commission policy"],
};

interface NextStepProps {
  readonly shortfall: Shortfall;
  readonly partnerCode: string | null;
}

/** Where the user can act on a reason; else, what to read. */
export function NextStep({ shortfall: { code, docsUrl }, partnerCode }: NextStepProps): JSX.Element {
  const { program } = useProgram();
  const to = (page: string, query: Readonly<Record<string, string | undefined>>, title: string) => (
    <a href={addressWith(programAddress(program.id, page), query)}>{title}</a>
  );
  if (code === "partner_inactive" && partnerCode !== null) return to("partners", { q: partnerCode }, "Open partner");
  const found = settings[code];
  if (found !== undefined) return to("settings", { section: found[0] }, found[1]);
  return (
    <a href={docsUrl} target="_blank" rel="noreferrer">
      Read more
    </a>
  );
}

/** The click that a customer came by, although it earned nothing. */
const consideredOutcomes: readonly string[] = ["outside_window", "after_the_event"];

export function consideredText({ verdict, candidates }: Explanation): string | undefined {
  const considered = candidates.find(({ outcome }) => consideredOutcomes.includes(outcome));
  return verdict.partnerCode !== null || considered?.partnerCode == null
    ? undefined
    : `The click was of partner ${considered.partnerCode}.`;
}
