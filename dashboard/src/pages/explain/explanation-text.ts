import type { Explanation, StoryEvent } from "../../api/types.ts";
import { formatMoney } from "../../format.ts";
import {
  type Candidate,
  correctionsOf,
  couponText,
  type Entry,
  earlierText,
  entryAuthor,
  entryPayout,
  entryTitle,
  eventLines,
  eventTitle,
  moreEntriesText,
  outcomeText,
  settingsOf,
  stepsOf,
  titleOf,
} from "./words.ts";

/** The explanation as plain text for a mail, with times in UTC. */
export function explanationText(explanation: Explanation, address: string): string {
  const { verdict, missing, commission, events, nextCursor, candidates, earlierClicks, coupons } = explanation;
  const money = (cents: number) => (verdict.currency === null ? "" : `: ${formatMoney(cents, verdict.currency)}`);
  return [
    `${titleOf(explanation)}\n${verdict.message}`,
    correctionsOf(explanation)
      .map(({ sale, text }) => `${text} ${sale.transactionId}`)
      .join("\n"),
    section(
      "What is missing",
      missing.map(({ message, remedy, docsUrl }) => `${message} ${remedy} ${docsUrl}`),
    ),
    section(
      "Calculation",
      stepsOf(commission?.calculation ?? []).map(({ text, cents }) => text + (cents === null ? "" : money(cents))),
    ),
    section("Ledger entries", [
      ...(commission?.entries.map(entryLine) ?? []),
      ...(commission?.moreEntries ? [moreEntriesText(commission.moreEntries)] : []),
    ]),
    section("Timeline", [
      ...events.map((event) => eventLine(event, explanation)),
      ...(nextCursor === null ? [] : ["More events: see the link."]),
    ]),
    section("Clicks considered", [
      ...candidates.map((candidate) => candidateLine(candidate, events)),
      ...(earlierClicks === 0 ? [] : [earlierText(earlierClicks)]),
    ]),
    section(
      "Coupons",
      coupons.map((coupon) => `${coupon.code}: ${couponText(coupon)}`),
    ),
    section(
      "Settings at the time",
      settingsOf(explanation).map(
        ({ name, atDecision, now }) => `${name}: ${atDecision}${now === undefined ? "" : ` (now: ${now})`}`,
      ),
    ),
    address,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const section = (title: string, rows: readonly string[] = []): string =>
  rows.length === 0 ? "" : [title, ...rows.map((row) => `- ${row}`)].join("\n");

/** An instant as "2026-03-04 12:00 UTC". */
const timeText = (instant: string): string => `${instant.slice(0, 16).replace("T", " ")} UTC`;

const entryLine = (entry: Entry): string =>
  `${timeText(entry.postedAt)}: ${entryTitle(entry)}: ${formatMoney(entry.amountCents, entry.currency)}, by ${entryAuthor(entry)}${entry.payout === null ? "" : `, ${entryPayout(entry)}`}`;

const eventLine = (event: StoryEvent, explanation: Explanation): string =>
  [`${timeText(event.occurredAt)}: ${eventTitle(event, explanation)}`, ...eventLines(event)].join("\n  ");

const candidateLine = (candidate: Candidate, events: readonly StoryEvent[]): string =>
  [
    ...(candidate.at === null ? [] : [timeText(candidate.at)]),
    ...(candidate.partnerCode === null ? [] : [`Partner ${candidate.partnerCode}`]),
    `${outcomeText(candidate, events, "UTC")} (${candidate.clickId})`,
  ].join(": ");
