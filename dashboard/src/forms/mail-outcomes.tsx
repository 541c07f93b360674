import "./mail-outcomes.css";
import type { JSX } from "preact";
import type { MailOutcome } from "../api/types.ts";
import { pluralize } from "../format.ts";

type Result = MailOutcome["result"];

export const whys = {
  no_address: "without an email address",
  same_address: "with the address of another partner",
  has_details: "with existing payment details",
  no_access: "without access to their pages: invite them first",
  over_limit: "not mailed: today's limit for mails to new addresses is reached",
  no_mail: "not mailed: this service sends no mail",
} as const satisfies Partial<Record<Result, string>>;

const reasons = Object.keys(whys) as (keyof typeof whys)[];

/** Lists partners who got no mail, and the reasons. */
export function MailOutcomes({ outcomes }: { readonly outcomes: readonly MailOutcome[] }): JSX.Element {
  const count = (result: Result) => outcomes.filter((each) => each.result === result).length;
  return (
    <div role="status">
      <p>
        {pluralize(count("mailed"), "mail")} on the way.
        {count("already_mailed") > 0 &&
          ` ${count("already_mailed")} ${count("already_mailed") === 1 ? "was" : "were"} mailed before.`}
      </p>
      {reasons.map((reason) => {
        const left = outcomes.filter(({ result }) => result === reason);
        return left.length > 0 && <PartnersLeft key={reason} partners={left} why={whys[reason]} />;
      })}
    </div>
  );
}

interface PartnersLeftProps {
  readonly partners: readonly Pick<MailOutcome, "partnerId" | "partnerCode" | "name">[];
  /** The text after the number of partners, as in "2 partners without an email address". */
  readonly why: string;
  readonly isOpen?: boolean;
}

/** Lists partners who get no mail. */
export const PartnersLeft = ({ partners, why, isOpen = false }: PartnersLeftProps): JSX.Element => (
  <details open={isOpen}>
    <summary>
      {pluralize(partners.length, "partner")} {why}
    </summary>
    <ul class="mail-outcomes">
      {partners.map(({ partnerId, partnerCode, name }) => (
        <li key={partnerId}>
          <bdi>{name}</bdi> ({partnerCode})
        </li>
      ))}
    </ul>
  </details>
);
