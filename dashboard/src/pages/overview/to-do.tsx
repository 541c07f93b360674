import type { ComponentChildren, JSX } from "preact";
import { ShortMoney } from "../../components/numbers.tsx";
import { DayOf, Instant } from "../../components/time.tsx";
import { formatCount, pluralize } from "../../format.ts";
import { nameInText } from "../../named-by-code.ts";
import { type Program, useProgram } from "../../session.tsx";
import { countText, type ToDo } from "../../shell/to-do.ts";
import {
  addressWith,
  partnerAddress,
  payoutAddress,
  programAddress,
  settingsAddress,
  webhookAddress,
} from "../../url.ts";
import type { Overview } from "./queries.ts";

interface Line {
  readonly text: ComponentChildren;
  readonly detail?: ComponentChildren;
  readonly href: string;
  /** The link's verb, and its object for users of screen readers. */
  readonly action: readonly [verb: string, object: string];
  readonly isBad?: true;
}

interface ToDoListProps {
  readonly items: readonly ToDo[];
  readonly overview: Overview["data"];
}

/** The to-do list. Shows nothing if there is nothing to do. */
export default function ToDoList({ items, overview }: ToDoListProps): JSX.Element | null {
  const { program, isArchived, may } = useProgram();
  const lines = [...trackingLines(program, overview, may("admin")), ...items.map((item) => lineOf(item, program))];
  if (isArchived || lines.length === 0) return null;
  return (
    <section class="card to-do" aria-labelledby="to-do">
      <h2 id="to-do">To do</h2>
      <ul>
        {lines.map(({ text, detail, href, action: [verb, object], isBad }, i) => (
          <li key={i} class={isBad && "bad"}>
            <span class="to-do-text breakable">{text}</span>
            {detail !== undefined && <span class="soft breakable">{detail}</span>}
            <a href={href}>
              {verb}
              <span class="unseen"> {object}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function trackingLines(program: Program, overview: Overview["data"], isAdmin: boolean): readonly Line[] {
  const { integrationVerified, lastClickAt, clicksStopped } = overview;
  const href = programAddress(program.id, "setup");
  return [
    ...(integrationVerified || !isAdmin
      ? []
      : [{ text: "The integration isn't verified yet", href, action: ["Continue setup", ""] } as const]),
    ...(lastClickAt === null || !clicksStopped
      ? []
      : [
          {
            text: (
              <>
                No clicks since <Instant at={lastClickAt} />
              </>
            ),
            href,
            action: ["Check the script", ""] as const,
            isBad: true as const,
          },
        ]),
  ];
}

const Sums = ({ of: { amounts } }: { readonly of: ToDo }): JSX.Element => (
  <>
    {amounts.map(({ currency, cents }, i) => (
      <span key={currency}>
        {i > 0 && " · "}
        <ShortMoney amountCents={cents} currency={currency} />
      </span>
    ))}
  </>
);

/** A count with its verb, such as "2 people want" or "1 person wants". */
const says = ({ count, hasMore }: ToDo, one: string, many: string): string =>
  `${countText(count, hasMore)} ${count === 1 && !hasMore ? one : many}`;

const Since = ({ at, before = "since" }: { readonly at: string | null; readonly before?: string }): JSX.Element => (
  <>
    {at !== null && (
      <>
        {before} <DayOf at={at} />
      </>
    )}
  </>
);

/** Says how many of the partners to pay have no payment details. */
const withoutDetailsText = ({ count, withoutDetails }: ToDo): string => {
  if (withoutDetails === 0) return "";
  const has = withoutDetails === 1 ? "has" : "have";
  return count === 1
    ? ", who has no payment details"
    : `; ${formatCount(withoutDetails)} of them ${has} no payment details`;
};

const namesOf = ({ names, count }: ToDo): string =>
  `${names.map(nameInText).join(", ")}${count > names.length ? ", …" : ""}`;

const Oldest = ({ of }: { readonly of: ToDo }): JSX.Element => (
  <>
    {namesOf(of)}
    <Since at={of.since} before=", since" />
  </>
);

const lines = {
  applications: (item, { id }) => ({
    text: says(item, "person wants to become a partner", "people want to become partners"),
    detail: <Oldest of={item} />,
    href: programAddress(id, "partners/applications"),
    action: ["Review", "applications"],
  }),
  claims: (item, { id }) => ({
    text: says(item, "sale is reported as missing", "sales are reported as missing"),
    detail: <Oldest of={item} />,
    href: programAddress(id, "partners/claims"),
    action: ["Answer", "claims"],
  }),
  held: (item, { id }) => ({
    text: says(item, "commission is held for review", "commissions are held for review"),
    detail: <Sums of={item} />,
    href: addressWith(programAddress(id, "commissions"), { held: "true" }),
    action: ["Decide", "held commissions"],
  }),
  unconfirmed: (item, { id }) => ({
    text: says(item, "commission needs your confirmation", "commissions need your confirmation"),
    detail: <Sums of={item} />,
    href: addressWith(programAddress(id, "commissions"), { status: "pending", unconfirmed: "true" }),
    action: ["Confirm", "commissions"],
  }),
  payable: (item, { id }) => ({
    text: (
      <>
        <Sums of={item} /> {item.withoutDetails === 0 ? "can be paid" : "due"}
      </>
    ),
    detail: `to ${pluralize(item.count, "partner")}${withoutDetailsText(item)}`,
    href: addressWith(programAddress(id, "payouts"), { start: "payout" }),
    action: ["Pay", "partners"],
  }),
  draft: (item, { id }) => ({
    text: item.onlyId === null ? says(item, "payout", "payouts are drafts") : `Payout ${namesOf(item)} is a draft`,
    detail: <Sums of={item} />,
    href: payoutsAddress(id, item),
    action: ["Continue", "the draft"],
  }),
  unpaid: (item, { id, payoutApproval }) => ({
    text:
      item.onlyId === null
        ? says(item, "payout", "payouts wait to be paid")
        : `Payout ${namesOf(item)} waits to be ${payoutApproval === "two_people" ? "confirmed by a second person" : "paid"}`,
    detail: (
      <>
        <Sums of={item} /> <Since at={item.since} before="finalized" />
      </>
    ),
    href: payoutsAddress(id, item),
    action: [payoutApproval === "two_people" ? "Confirm" : "Pay", "the payout"],
  }),
  details: (item, { id }) => ({
    text: says(item, "partner changed where they are paid", "partners changed where they are paid"),
    detail: (
      <>
        <Since at={item.since} /> · include them in a payout once checked
      </>
    ),
    href:
      item.onlyId === null
        ? programAddress(id, "payouts")
        : addressWith(partnerAddress(id, item.onlyId), { tab: "details", at: "payment" }),
    action: ["Check", "payment details"],
  }),
  bonuses: (item, { id }) => ({
    text: says(item, "bonus can be awarded", "bonuses can be awarded"),
    detail: <Sums of={item} />,
    href: programAddress(id, "partners/bonuses"),
    action: ["Award", "bonuses"],
  }),
  webhooks: (item, { id }) => ({
    text: `${namesOf(item)} ${item.count === 1 ? "refuses webhooks" : "refuse webhooks"}`,
    detail: <Since at={item.since} />,
    href: item.onlyId === null ? settingsAddress(id, "webhooks") : webhookAddress(id, item.onlyId),
    action: ["Look", "at the webhook"],
    isBad: true,
  }),
} satisfies Readonly<Record<ToDo["kind"], (item: ToDo, program: Program) => Line>>;

const lineOf = (item: ToDo, program: Program): Line => lines[item.kind](item, program);

const payoutsAddress = (programId: number, { onlyId }: ToDo): string =>
  onlyId === null ? programAddress(programId, "payouts") : payoutAddress(programId, onlyId);
