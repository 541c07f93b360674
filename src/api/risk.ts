import { hostOf } from "#domain/code-owner.ts";
import {
  maxBlockedHosts,
  reviewDaysRange,
  type SignalCode,
  settingOf,
  signalCodes,
  signalSettings,
} from "#domain/risk.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import type { ProgramRow } from "#store/programs.ts";

const signals: Readonly<Record<SignalCode, string>> = {
  self_referral: "The customer has the same email address as the partner or one of the partner's accounts.",
  duplicate_source:
    "The customer, or a customer with the same email address, has another sale with the same amount within ten minutes. If both transaction ids are of the same kind, such as `in_`, the signal only flags the commission.",
  blocked_source: "The click came from one of the `blockedHosts`.",
  many_sources: "More than three email addresses are known for the customer. If omitted, this setting doesn't change.",
};

const setting = (code: SignalCode) => fields.oneOf(code, signalSettings).openapi({ description: signals[code] });

const Signals = z.object(
  {
    self_referral: setting("self_referral"),
    duplicate_source: setting("duplicate_source"),
    blocked_source: setting("blocked_source"),
    many_sources: fields.omittable(setting("many_sources")),
  } satisfies Record<SignalCode, unknown>,
  "signals must be an object",
);

const hostRule = `blockedHosts must be up to ${maxBlockedHosts} host names, such as coupons.example`;
const hostIn = (text: string): string => (/[\s/:@?#]/.test(text) ? "" : (hostOf(`https://${text}`) ?? ""));
/** A host as stored. Wildcards are invalid, because subdomains are blocked anyway. */
const isHost = (text: string): boolean => /^[\w-]+(\.[\w-]+)+$/.test(hostIn(text));

export const Risk = z
  .object({
    signals: Signals.describe(
      "Effect of each signal on later commissions: none, a flag, or a hold that keeps them pending.",
    ),
    blockedHosts: z
      .array(z.string(hostRule).max(253, hostRule).refine(isHost, hostRule), hostRule)
      .max(maxBlockedHosts, hostRule)
      .transform((hosts) => [...new Set(hosts.map(hostIn))].sort())
      .describe("Hosts whose clicks are suspicious, each including its subdomains."),
    reviewDays: fields
      .optional(fields.integer("reviewDays", reviewDaysRange.min, reviewDaysRange.max))
      .describe(
        "Number of days after which a hold by a signal ends automatically. Null: never. A manual hold never ends automatically.",
      ),
  })
  .openapi("Risk");
type RiskSettings = z.output<typeof Risk>;

export const riskColumns = ({ signals: of, blockedHosts, reviewDays }: RiskSettings) => ({
  ...(Object.fromEntries(signalCodes.map((code) => [settingOf[code], of[code]])) as Pick<
    ProgramRow,
    (typeof settingOf)[SignalCode]
  >),
  blockedHosts: JSON.stringify(blockedHosts),
  reviewDays,
});

export const riskReply = (row: ReturnType<typeof riskColumns>): RiskSettings => ({
  signals: Object.fromEntries(signalCodes.map((code) => [code, row[settingOf[code]]])) as RiskSettings["signals"],
  blockedHosts: JSON.parse(row.blockedHosts) as string[],
  reviewDays: row.reviewDays,
});
