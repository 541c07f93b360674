import type { JSX } from "preact";
import { policyReasons } from "#domain/commission.ts";
import type { Explanation } from "../../api/types.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, programAddress, settingsAddress } from "../../url.ts";

type Shortfall = Explanation["missing"][number];

const settings: Readonly<Record<string, readonly [section: string | undefined, title: string]>> = {
  attribution_window_expired: ["attribution", "Change the window"],
  program_inactive: [undefined, "Open program settings"],
  provisional: ["attribution", "View who may report leads"],
  no_commission_policy: ["commission", "Set a commission"],
  ...Object.fromEntries(policyReasons.map((reason) => [reason, ["commission", "View commission policy"] as const])),
};

interface NextStepProps {
  readonly shortfall: Shortfall;
  readonly partnerCode: string | null;
}

/** A link to the page where the user can act on a reason, or otherwise to documentation. */
export function NextStep({ shortfall: { code, docsUrl }, partnerCode }: NextStepProps): JSX.Element {
  const { program } = useProgram();
  if (code === "partner_inactive" && partnerCode !== null) {
    return <a href={addressWith(programAddress(program.id, "partners"), { q: partnerCode })}>Open partner</a>;
  }
  if (code === "under_review") {
    return (
      <a href={addressWith(programAddress(program.id, "commissions"), { held: "true" })}>View all held for review</a>
    );
  }
  const [section, title] = settings[code] ?? [];
  if (title !== undefined) return <a href={settingsAddress(program.id, section)}>{title}</a>;
  return (
    <a href={docsUrl} target="_blank" rel="noreferrer">
      Read more
    </a>
  );
}

/** Outcomes of a click that led the customer to the site but earned nothing. */
const consideredOutcomes: readonly string[] = ["outside_window", "after_the_event"];

export function consideredText({ verdict, candidates }: Explanation): string | undefined {
  const considered = candidates.find(({ outcome }) => consideredOutcomes.includes(outcome));
  return verdict.partnerCode !== null || considered?.partnerCode == null
    ? undefined
    : `The click was on a link of partner ${considered.partnerCode}.`;
}
