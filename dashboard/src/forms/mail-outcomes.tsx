import type { JSX } from "preact";
import { pluralize } from "../format.ts";

interface Outcome {
  readonly partnerId: number;
  readonly partnerCode: string;
  readonly name: string;
  readonly result: "mailed" | "already_mailed" | "no_address" | "same_address" | "over_limit" | "no_mail";
}

const whys = {
  no_address: "without an email address",
  same_address: "with the address of another partner",
  over_limit: "not mailed: today's limit for mails to new addresses is reached",
  no_mail: "not mailed: this service sends no mail",
} as const satisfies Partial<Record<Outcome["result"], string>>;

const reasons = Object.keys(whys) as (keyof typeof whys)[];

/** What became of each mail: who got none, and why. */
export function MailOutcomes({ outcomes }: { readonly outcomes: readonly Outcome[] }): JSX.Element {
  const count = (result: Outcome["result"]) => outcomes.filter((each) => each.result === result).length;
  return (
    <div role="status">
      <p>
        {pluralize(count("mailed"), "mail")} on the way.
        {count("already_mailed") > 0 && ` ${count("already_mailed")} were mailed before.`}
      </p>
      {reasons.map((reason) => {
        const left = outcomes.filter(({ result }) => result === reason);
        return (
          left.length > 0 && (
            <details key={reason}>
              <summary>
                {pluralize(left.length, "partner")} {whys[reason]}
              </summary>
              <ul class="mail-outcomes">
                {left.map(({ partnerId, partnerCode, name }) => (
                  <li key={partnerId}>
                    <bdi>{name}</bdi> ({partnerCode})
                  </li>
                ))}
              </ul>
            </details>
          )
        );
      })}
    </div>
  );
}
