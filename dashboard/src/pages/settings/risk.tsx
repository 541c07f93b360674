import type { JSX } from "preact";
import { maxBlockedHosts, reviewDaysRange, type SignalCode, type SignalSetting, signalCodes } from "#domain/risk.ts";
import { api, take } from "../../api/client.ts";
import { fieldError } from "../../api/failure.ts";
import { useAction } from "../../api/use-action.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { Card } from "../../components/card.tsx";
import { Form, SelectField, TextArea, TextField } from "../../components/form.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { formatCount, pluralize } from "../../format.ts";
import { parseWhole } from "../../forms/parse-numbers.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { useDraft } from "../../use-draft.ts";
import { ReadOnlyFacts } from "./read-only-facts.tsx";

const settings: readonly (readonly [SignalSetting, string])[] = [
  ["hold", "Hold for review"],
  ["flag", "Flag"],
  ["off", "Off"],
];

const signals: Readonly<Record<SignalCode, { readonly label: string; readonly hint: string }>> = {
  self_referral: {
    label: "Self-referrals",
    hint: "The customer has the email address of the partner, or of one of their accounts. For example, a partner buys through their own link, as a discount. Unless this is off, a similar address, such as one with a tag after a plus sign, is flagged.",
  },
  duplicate_source: {
    label: "Duplicate sales",
    hint: "Two sales to a customer for the same amount within ten minutes, under different IDs. For example, a payment is reported once as invoice in_7 and once as charge ch_9. If both IDs are of the same kind, the second sale is only flagged.",
  },
  blocked_source: {
    label: "Blocked sites",
    hint: "The click came from one of the sites below. For example, a coupon site takes the credit for customers who were about to pay.",
  },
  many_sources: {
    label: "Customers with many addresses",
    hint: "More than three email addresses are known for the customer. For example, a shop sends “guest” as the key of everyone without an account.",
  },
};

function useRisk() {
  return useProgramQuery("risk", {}, async ({ param }, init) => {
    return (await take(api.programs[":programId"].risk.$get({ param }, init))).data;
  });
}
type RiskSettings = NonNullable<ReturnType<typeof useRisk>["data"]>;

export function Risk(): JSX.Element {
  const { mayChange } = useProgram();
  const risk = useRisk();
  return (
    <div class="settings">
      <Card
        title="Risk"
        lead="What happens to suspicious commissions. One that is held for review isn't paid until it is released. A flagged one is only marked, and paid as usual. Changes apply to new sales."
      >
        <Loaded query={risk} skeleton={<Skeleton lines={10} />}>
          {(found) => (mayChange("admin") ? <Rules risk={found} /> : <Facts risk={found} />)}
        </Loaded>
      </Card>
    </div>
  );
}

const Facts = ({
  risk: { signals: chosen, blockedHosts, reviewDays },
}: {
  readonly risk: RiskSettings;
}): JSX.Element => (
  <ReadOnlyFacts
    facts={[
      ...signalCodes.map((code) => [signals[code].label, titleOf(chosen[code] ?? "flag")] as const),
      ["Sites to block", blockedHosts.join(", ") || "None"],
      ["Review ends after", reviewDays === null ? "Never" : pluralize(reviewDays, "day")],
    ]}
  />
);

const titleOf = (setting: string) => settings.find(([value]) => value === setting)?.[1];

function Rules({ risk }: { readonly risk: RiskSettings }): JSX.Element {
  const { program } = useProgram();
  const draft = useDraft(`program ${program.id} risk`, {
    ...risk.signals,
    many_sources: risk.signals.many_sources ?? "flag",
    blockedHosts: risk.blockedHosts.join("\n"),
    reviewDays: risk.reviewDays === null ? "" : String(risk.reviewDays),
  });
  const save = useAction(
    async () => {
      const { blockedHosts = "", reviewDays = "" } = draft.values;
      const json = {
        signals: {
          self_referral: settingOf("self_referral"),
          duplicate_source: settingOf("duplicate_source"),
          blocked_source: settingOf("blocked_source"),
          many_sources: settingOf("many_sources"),
        },
        blockedHosts: hostsIn(blockedHosts),
        reviewDays: reviewDays.trim() === "" ? null : readDays(reviewDays),
      };
      return take(api.programs[":programId"].risk.$put({ param: paramOf(program), json }));
    },
    {
      failsIn: "form",
      done: "Saved.",
      refreshes: ["risk", "audit"].map((name) => `program ${program.id} ${name}`),
      onDone: draft.markSaved,
    },
  );
  const settingOf = (code: SignalCode): SignalSetting =>
    settings.find(([value]) => value === draft.values[code])?.[0] ?? "hold";
  return (
    <Form action={save} submit="Save" draft={draft}>
      {signalCodes.map((code) => (
        <SelectField key={code} name={code} options={settings} {...signals[code]} />
      ))}
      <TextArea
        name="blockedHosts"
        label="Sites to block"
        hint={`One per line, such as coupons.example, up to ${formatCount(maxBlockedHosts)}. Subdomains are included.`}
        isOptional
      />
      <TextField
        name="reviewDays"
        label="Review ends after"
        unit="days"
        inputMode="numeric"
        hint={`${reviewDaysRange.min} to ${reviewDaysRange.max} days, then the commission is released automatically. If empty, it waits for you. One that you hold yourself always does.`}
        isOptional
      />
    </Form>
  );
}

function readDays(text: string): number {
  const days = parseWhole(text, "reviewDays");
  const { min, max } = reviewDaysRange;
  if (days < min || days > max) throw fieldError("reviewDays", `Enter a whole number from ${min} to ${max}.`);
  return days;
}

/** Parses host names, which may be pasted as URLs. */
function hostsIn(text: string): string[] {
  const lines = text.split(/[\s,]+/).filter(Boolean);
  if (lines.length > maxBlockedHosts) throw fieldError("blockedHosts", `Enter at most ${maxBlockedHosts} sites.`);
  return lines.map((line) => {
    const host = URL.parse(line.includes("://") ? line : `https://${line}`)?.hostname;
    if (host === undefined || !host.includes(".")) {
      throw fieldError("blockedHosts", `“${line}” isn't a site, such as coupons.example.`);
    }
    return host;
  });
}
